//! One question that is being asked, and who waits for the answer.

use super::{AnyFlight, Flights};
use crate::{
    arguments::Kept,
    sync::{Mutex, lock},
};
use std::{
    any::Any,
    collections::BTreeMap,
    mem,
    sync::Arc,
    task::{Context, Poll, Waker},
};

pub(super) struct Flight<A> {
    flights: &'static Flights,
    digest: u64,
    key: Box<[Box<Kept>]>,
    line: Mutex<Line<A>>,
}

/// The followers in a line.
struct Line<A> {
    stage: Stage<A>,
    /// By arrival, with what wakes them.
    waiting: BTreeMap<u64, Option<Waker>>,
    arrived: u64,
}

enum Stage<A> {
    /// Somebody leads.
    Led,
    /// The leader is gone, and this follower is called to lead.
    Calls(u64),
    Landed(Arc<A>),
    /// The leader is gone, and nobody followed.
    Gone,
}

impl<A: Send + Sync + 'static> Flight<A> {
    pub(super) fn new(flights: &'static Flights, digest: u64, key: Box<[Box<Kept>]>) -> Self {
        let line = Line { stage: Stage::Led, waiting: BTreeMap::new(), arrived: 0 };
        Self { flights, digest, key, line: Mutex::new(line) }
    }

    fn land(&self, answer: A) {
        let answer = Arc::new(answer);
        let waiting = {
            let mut line = lock(&self.line);
            line.stage = Stage::Landed(answer);
            mem::take(&mut line.waiting)
        };
        self.flights.remove(self.digest, self);
        waiting.into_values().flatten().for_each(Waker::wake);
    }

    /// Whoever came first leads from now on.
    fn hand_over(&self) {
        let next = {
            let mut line = lock(&self.line);
            let next = line.waiting.pop_first();
            line.stage = next.as_ref().map_or(Stage::Gone, |(place, _)| Stage::Calls(*place));
            next
        };
        match next {
            Some((_, waker)) => waker.into_iter().for_each(Waker::wake),
            None => self.flights.remove(self.digest, self),
        }
    }
}

impl<A: Send + Sync + 'static> AnyFlight for Flight<A> {
    fn key(&self) -> &[Box<Kept>] {
        &self.key
    }

    fn erased(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The lead of a flight; dropped without an answer, it goes to the next in line.
pub(crate) struct Lead<A: Send + Sync + 'static>(Option<Arc<Flight<A>>>);

impl<A: Send + Sync + 'static> Lead<A> {
    pub(super) fn of(flight: Arc<Flight<A>>) -> Self {
        Self(Some(flight))
    }

    /// Answers everyone who follows.
    pub(crate) fn land(mut self, answer: A) {
        if let Some(flight) = self.0.take() {
            flight.land(answer);
        }
    }
}

impl<A: Send + Sync + 'static> Drop for Lead<A> {
    fn drop(&mut self) {
        if let Some(flight) = self.0.take() {
            flight.hand_over();
        }
    }
}

/// A place in the line; dropped, it is given up.
pub(crate) struct Follower<A: Send + Sync + 'static> {
    flight: Option<Arc<Flight<A>>>,
    place: u64,
}

/// What a follower waits for.
pub(crate) enum Arrival<A: Send + Sync + 'static> {
    /// The leader's answer.
    Answer(Arc<A>),
    /// The leader is gone: this one leads now.
    Lead(Lead<A>),
}

impl<A: Send + Sync + 'static> Follower<A> {
    /// `None` where the flight is over.
    pub(super) fn of(flight: Arc<Flight<A>>) -> Option<Self> {
        let place = {
            let mut line = lock(&flight.line);
            if matches!(line.stage, Stage::Landed(_) | Stage::Gone) {
                return None;
            }
            line.arrived += 1;
            let place = line.arrived;
            line.waiting.insert(place, None);
            place
        };
        Some(Self { flight: Some(flight), place })
    }

    /// # Panics
    /// After it was ready.
    pub(crate) fn poll(&mut self, cx: &Context<'_>) -> Poll<Arrival<A>> {
        let flight = self.flight.take().expect("a follower is not polled after it arrived");
        let waker = cx.waker().clone();
        let mut line = lock(&flight.line);
        match &line.stage {
            Stage::Landed(answer) => Poll::Ready(Arrival::Answer(answer.clone())),
            Stage::Calls(place) if *place == self.place => {
                line.stage = Stage::Led;
                drop(line);
                Poll::Ready(Arrival::Lead(Lead::of(flight)))
            }
            Stage::Led | Stage::Calls(_) | Stage::Gone => {
                let _known = line.waiting.insert(self.place, Some(waker));
                drop(line);
                self.flight = Some(flight);
                Poll::Pending
            }
        }
    }
}

impl<A: Send + Sync + 'static> Drop for Follower<A> {
    fn drop(&mut self) {
        let Some(flight) = self.flight.take() else { return };
        let called = {
            let mut line = lock(&flight.line);
            let _waker = line.waiting.remove(&self.place);
            let called = matches!(line.stage, Stage::Calls(place) if place == self.place);
            drop(line);
            called
        };
        if called {
            flight.hand_over();
        }
    }
}
