//! Who waits before a full gate, and in which order they get in.
//!
//! A line per class, threaded through a slab: whoever joins, leaves or is picked touches a few places, however many wait.

use super::class::share;
use crate::{context::Criticality, time::Moment};
use resilient_policy::{Bulkhead, Order};
use std::{mem, task::Waker, time::Duration};

/// A queue that has not been empty for this long stands: it is no burst, calls come faster than they go
/// `[storm, part 6]`, `[fail]`.
const STANDING: Duration = Duration::from_millis(100);

/// How long a call may wait if it finds a standing queue with an age limit. Same sources.
const STANDING_AGE: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub(super) struct Queue {
    max_queue: Option<u32>,
    order: Order,
    max_age: Option<Duration>,
    /// By class, least critical first.
    lines: [Line; 4],
    places: Vec<Option<Place>>,
    free: Vec<u32>,
    /// Places in all lines. Who was handed a permit or refused stands in none, but keeps its place until it knows.
    waiting: u32,
    /// When somebody last joined an empty queue.
    formed: Option<Moment>,
    #[cfg(test)]
    pub(super) touched: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Line {
    first: Option<u32>,
    last: Option<u32>,
}

#[derive(Debug)]
struct Place {
    state: State,
    criticality: Criticality,
    until: Moment,
    waker: Option<Waker>,
    before: Option<u32>,
    behind: Option<u32>,
}

/// How far a call that waits has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    /// A permit was taken for it.
    Handed,
    /// Its time is over, or its place is another's.
    Refused,
}

/// A call that wants to wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: Moment,
    pub(super) criticality: Criticality,
    pub(super) max_wait: Duration,
    pub(super) deadline: Moment,
}

/// A call that waits.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) slot: u32,
    pub(super) until: Moment,
    /// Wakes the one that lost its place to it.
    pub(super) displaced: Option<Waker>,
}

/// The one whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    pub(super) slot: u32,
    pub(super) criticality: Criticality,
    pub(super) is_late: bool,
}

impl Queue {
    pub(super) fn new(settings: &Bulkhead) -> Self {
        Self {
            max_queue: settings.max_queue,
            order: settings.order,
            max_age: settings.max_age,
            lines: [Line::default(); 4],
            places: Vec::new(),
            free: Vec::new(),
            waiting: 0,
            formed: None,
            #[cfg(test)]
            touched: 0,
        }
    }

    /// New settings hold for those who come from now on.
    pub(super) fn adopt(&mut self, settings: &Bulkhead) {
        (self.max_queue, self.order, self.max_age) = (settings.max_queue, settings.order, settings.max_age);
    }

    pub(super) fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Whether nobody has a place, not even one who was handed a permit and has not come for it.
    pub(super) fn is_unused(&self) -> bool {
        self.free.len() == self.places.len()
    }

    /// Whether somebody waits who goes before a newcomer of this class.
    pub(super) fn goes_before(&self, criticality: Criticality) -> bool {
        self.lines[criticality as usize..].iter().any(|line| line.first.is_some())
    }

    /// A place for `arrival`, if one is free or somebody less critical can be turned away for it: the newest of the least
    /// critical, who has waited least `[shedding]`.
    pub(super) fn join(&mut self, arrival: Arrival, limit: u32) -> Option<Joined> {
        let Arrival { at, criticality, max_wait, deadline } = arrival;
        if self.waiting == 0 {
            self.formed = Some(at);
        }
        // What a call may wait is decided by the queue it finds, as in `[fail]`, so that it is known from the start.
        let age = self.max_age.map(|age| if self.stands(at) { age.min(STANDING_AGE) } else { age });
        let until = at.after(age.map_or(max_wait, |age| age.min(max_wait))).min(deadline);
        let room = share(self.max_queue.unwrap_or(limit), criticality);
        let displaced = if self.waiting < room {
            None
        } else {
            let newest = self.lines[..criticality as usize].iter().find_map(|line| line.last)?;
            self.take_out(newest, State::Refused)
        };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() - 1) as u32
        });
        let before = self.lines[criticality as usize].last.replace(slot);
        match before {
            Some(before) => self.place(before).behind = Some(slot),
            None => self.lines[criticality as usize].first = Some(slot),
        }
        let place = Place { state: State::Waiting, criticality, until, waker: None, before, behind: None };
        self.places[slot as usize] = Some(place);
        self.waiting += 1;
        Some(Joined { slot, until, displaced })
    }

    /// Whose turn it is: of the most critical line the first, or the last while the queue stands and the newest go first.
    pub(super) fn next(&mut self, at: Moment) -> Option<Next> {
        let newest = self.order == Order::Newest && self.stands(at);
        let slot = self.lines.iter().rev().find_map(|line| if newest { line.last } else { line.first })?;
        let place = self.place(slot);
        Some(Next { slot, criticality: place.criticality, is_late: place.until <= at })
    }

    /// Takes one who waits out of its line, as [`Handed`](State::Handed) or [`Refused`](State::Refused). The waker
    /// returned is for after the lock.
    pub(super) fn take_out(&mut self, slot: u32, state: State) -> Option<Waker> {
        let place = self.place(slot);
        place.state = state;
        let (before, behind, criticality) = (place.before.take(), place.behind.take(), place.criticality);
        let waker = place.waker.take();
        match before {
            Some(before) => self.place(before).behind = behind,
            None => self.lines[criticality as usize].first = behind,
        }
        match behind {
            Some(behind) => self.place(behind).before = before,
            None => self.lines[criticality as usize].last = before,
        }
        self.waiting -= 1;
        waker
    }

    /// How far this one has come; while it waits, its waker is exchanged for the one in `waker`. Whoever no longer waits
    /// has no place after this. The waker returned is for a drop after the lock.
    pub(super) fn poll(&mut self, slot: u32, at: Moment, waker: &mut Option<Waker>) -> (State, Option<Waker>) {
        let place = self.place(slot);
        if place.state == State::Waiting && at < place.until {
            return (State::Waiting, mem::replace(&mut place.waker, waker.take()));
        }
        match self.leave(slot) {
            (State::Waiting, waker) => (State::Refused, waker),
            ended => ended,
        }
    }

    /// Frees the place of one who goes, and says how far it had come.
    pub(super) fn leave(&mut self, slot: u32) -> (State, Option<Waker>) {
        let state = self.place(slot).state;
        let waker = if state == State::Waiting { self.take_out(slot, State::Refused) } else { None };
        self.places[slot as usize] = None;
        self.free.push(slot);
        (state, waker)
    }

    fn stands(&self, at: Moment) -> bool {
        self.waiting > 0 && self.formed.is_some_and(|formed| at.since(formed) >= STANDING)
    }

    fn place(&mut self, slot: u32) -> &mut Place {
        #[cfg(test)]
        {
            self.touched += 1;
        }
        self.places[slot as usize].as_mut().expect("a slot is its waiter's own until the waiter leaves")
    }
}
