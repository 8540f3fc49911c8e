//! Vectors by their ids, then what users of other bulkheads reported, then everything at once against a model.

mod adapting;
mod history;
mod policies;
mod threads;
mod waiting;

use super::*;
use resilient_policy::{Adaptive, Limit, Order};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize},
    },
    task::{Poll, Wake},
    thread,
};

const MS: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);

const CLASSES: [Criticality; 4] =
    [Criticality::Sheddable, Criticality::SheddablePlus, Criticality::Critical, Criticality::CriticalPlus];

fn gate(settings: Bulkhead) -> &'static Gate {
    Box::leak(Box::new(Gate::new(&settings)))
}

/// So many run, so many wait, each for at most a second.
fn queueing(size: u32, queue: u32) -> &'static Gate {
    gate(Bulkhead { max_wait: LONG, max_queue: Some(queue), ..Bulkhead::of(size) })
}

/// A wake that is counted.
#[derive(Debug, Default)]
struct Woken(AtomicUsize);

impl Woken {
    fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Gate {
    fn ask(&'static self, at: Moment) -> Entry {
        self.enter(at, Criticality::Critical, Moment::NEVER)
    }

    fn ask_as(&'static self, at: Moment, criticality: Criticality) -> Entry {
        self.enter(at, criticality, Moment::NEVER)
    }

    fn fill(&'static self) -> Vec<Permit> {
        std::iter::from_fn(|| self.try_acquire()).collect()
    }
}

impl Entry {
    fn permit(self) -> Permit {
        match self {
            Self::Permit(permit) => permit,
            other => panic!("no permit: {other:?}"),
        }
    }

    fn wait(self) -> Waiter {
        match self {
            Self::Wait(waiter) => waiter,
            other => panic!("no place in the queue: {other:?}"),
        }
    }

    fn is_full(&self) -> bool {
        matches!(self, Self::Full)
    }
}

impl Permit {
    /// Given back at a time of the test's choosing.
    fn back(self, at: Moment) {
        self.finish(Served::Unknown, Duration::ZERO, at);
    }
}

impl Waiter {
    fn look(&mut self, at: Moment) -> Option<Result<Permit, Gone>> {
        match self.poll(at, None) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }

    fn is_waiting(&mut self, at: Moment) -> bool {
        self.poll(at, None).is_pending()
    }

    fn admitted(&mut self, at: Moment) -> Permit {
        self.look(at).expect("still waiting").expect("given up")
    }

    fn gone(&mut self, at: Moment) -> Gone {
        self.look(at).expect("still waiting").expect_err("admitted")
    }
}

#[test]
fn what_a_call_carries_is_small() {
    assert_eq!(size_of::<Permit>(), 8);
    assert_eq!(size_of::<Option<Permit>>(), 8);
    assert!(size_of::<Waiter>() <= 32);
    assert!(size_of::<Entry>() <= 32);
}

#[test]
fn admits_exactly_its_size_and_one_more_per_permit_given_back() {
    for (id, size) in [("BH-01", 3), ("BH-01", 10), ("BH-08", 2), ("BH-11", 0)] {
        let gate = gate(Bulkhead::of(size));
        let mut held: Vec<_> = (0..size).map(|_| gate.ask(now()).permit()).collect();
        assert!(gate.ask(now()).is_full(), "{id}");
        if held.pop().is_some() {
            held.push(gate.ask(now()).permit());
            assert!(gate.ask(now()).is_full(), "{id}");
        }
        drop(held);
        assert_eq!((gate.used(), gate.waiting()), (0, 0), "{id}");
    }
}

#[test]
fn ad_46_a_smaller_size_keeps_who_is_inside_and_admits_nobody_until_below_it() {
    // BH-12 the other way round.
    let gate = gate(Bulkhead::of(4));
    let mut held = gate.fill();
    gate.resize(3);
    held.pop();
    assert!(gate.try_acquire().is_none());
    held.pop();
    assert!(gate.try_acquire().is_some());
}

#[test]
fn bh_12_ad_45_a_larger_size_and_another_wait_take_effect_and_nobody_is_lost() {
    let (gate, at) = (queueing(2, 5), now());
    let held = gate.fill();
    let mut waits: Vec<_> = (0..3).map(|_| gate.ask(at).wait()).collect();
    gate.resize(4);
    assert_eq!((gate.limit(), gate.used(), gate.waiting()), (4, 4, 1));
    let _inside: Vec<_> = waits.drain(..2).map(|mut waiter| waiter.admitted(at)).collect();
    gate.adopt(&Bulkhead { max_wait: MS * 20, ..Bulkhead::of(4) });
    assert_eq!(waits[0].until(), at.after(LONG), "who waits already keeps its wait");
    assert_eq!(gate.ask(at).wait().until(), at.after(MS * 20));
    gate.adopt(&Bulkhead::of(4));
    assert!(gate.ask(at).is_full());
    drop(held);
    assert!(waits[0].look(at).is_some());
}

#[test]
fn any_size_is_kept() {
    let gate = gate(Bulkhead::of(u32::MAX));
    let permit = gate.try_acquire().unwrap();
    assert!(gate.limit() > 2_000_000_000 && gate.used() == 1);
    gate.resize(0);
    assert!(gate.limit() == 0 && gate.try_acquire().is_none());
    drop(permit);
    gate.resize(1);
    assert!(gate.try_acquire().is_some());
}

#[test]
fn one_call_after_the_other_is_never_refused() {
    let gate = gate(Bulkhead::of(1));
    (0..5_000).for_each(|_| drop(gate.ask(now()).permit()));
}
