//! Every order in which two threads can meet at a gate.

use super::*;
use loom::thread;
use resilient_policy::Bulkhead;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Poll, Wake},
};

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

fn gate(size: u32) -> &'static Gate {
    let settings = Bulkhead { max_wait: Duration::MAX, max_queue: Some(2), ..Bulkhead::of(size) };
    Box::leak(Box::new(Gate::new(&settings)))
}

fn enter(gate: &'static Gate) -> Entry {
    gate.enter(now(), Criticality::Critical, Moment::NEVER)
}

/// A call that came while the gate was full.
struct Call {
    entry: Option<Entry>,
    woken: Arc<Woken>,
    told_to_wait: bool,
}

impl Call {
    /// Comes, and looks once if it has to wait.
    fn come(gate: &'static Gate) -> Self {
        Self::look(enter(gate))
    }

    fn look(entry: Entry) -> Self {
        let woken = Arc::new(Woken::default());
        let (entry, told_to_wait) = match entry {
            Entry::Wait(mut waiter) => match waiter.poll(now(), Some(&woken.clone().into())) {
                Poll::Pending => (Entry::Wait(waiter), true),
                Poll::Ready(answer) => (Entry::Permit(answer.unwrap()), false),
            },
            other => (other, false),
        };
        Self { entry: Some(entry), woken, told_to_wait }
    }

    /// Its permit, which must be there, and must have been announced if the call was told to wait.
    fn admitted(mut self) -> Permit {
        assert_eq!(self.told_to_wait, self.woken.0.load(SeqCst), "a wake is lost, or nobody's");
        match self.entry.take() {
            Some(Entry::Permit(permit)) => permit,
            Some(Entry::Wait(mut waiter)) => match waiter.poll(now(), None) {
                Poll::Ready(answer) => answer.unwrap(),
                Poll::Pending => panic!("a permit is free and somebody waits"),
            },
            other => panic!("no permit: {other:?}"),
        }
    }
}

fn assert_whole(gate: &'static Gate, size: u32) {
    assert!(gate.is_idle());
    let held: Vec<_> = std::iter::from_fn(|| gate.try_acquire()).collect();
    assert_eq!(held.len() as u32, size);
}

#[test]
fn a_permit_given_back_meets_a_call_that_starts_to_wait() {
    loom::model(|| {
        let gate = gate(1);
        let held = gate.try_acquire().unwrap();
        let holder = thread::spawn(move || drop(held));
        let call = Call::come(gate);
        holder.join().unwrap();
        drop(call.admitted());
        assert_whole(gate, 1);
    });
}

#[test]
fn a_permit_given_back_meets_a_larger_limit() {
    loom::model(|| {
        let gate = gate(1);
        let held = gate.try_acquire().unwrap();
        let (first, second) = (Call::come(gate), Call::come(gate));
        let holder = thread::spawn(move || drop(held));
        gate.resize(2);
        holder.join().unwrap();
        drop((first.admitted(), second.admitted()));
        assert_whole(gate, 2);
    });
}

#[test]
fn a_permit_given_back_meets_a_smaller_limit() {
    loom::model(|| {
        let gate = gate(2);
        let (kept, held) = (gate.try_acquire().unwrap(), gate.try_acquire().unwrap());
        let holder = thread::spawn(move || drop(held));
        gate.resize(1);
        assert!(gate.try_acquire().is_none());
        holder.join().unwrap();
        assert!(gate.try_acquire().is_none());
        drop(kept);
        assert_whole(gate, 1);
    });
}

#[test]
fn a_permit_given_back_meets_a_waiter_that_gives_up() {
    loom::model(|| {
        let gate = gate(1);
        let held = gate.try_acquire().unwrap();
        let gives_up = enter(gate);
        let stays = Call::come(gate);
        let holder = thread::spawn(move || drop(held));
        drop(gives_up);
        holder.join().unwrap();
        drop(stays.admitted());
        assert_whole(gate, 1);
    });
}

#[test]
fn a_permit_is_taken_without_waiting_while_somebody_starts_to_wait() {
    loom::model(|| {
        let gate = gate(1);
        let held = gate.try_acquire().unwrap();
        let waits = thread::spawn(move || Call::come(gate));
        drop(held);
        // Whoever is first has it; if it is this one, the other gets it from here.
        drop(gate.try_acquire());
        drop(waits.join().unwrap().admitted());
        assert_whole(gate, 1);
    });
}

#[test]
fn a_newcomer_never_goes_past_who_waits_though_the_permit_is_not_handed_over_yet() {
    loom::model(|| {
        let gate = gate(1);
        let held = gate.try_acquire().unwrap();
        let waits = Call::come(gate);
        let holder = thread::spawn(move || drop(held));
        assert!(gate.try_acquire().is_none());
        let comes = Call::come(gate);
        assert!(matches!(comes.entry, Some(Entry::Wait(_))));
        holder.join().unwrap();
        drop(waits.admitted());
        drop(comes.admitted());
        assert_whole(gate, 1);
    });
}

#[test]
fn two_calls_meet_at_the_last_permit() {
    loom::model(|| {
        let gate = gate(1);
        let other = thread::spawn(move || gate.try_acquire().map(drop).is_some());
        let call = Call::come(gate);
        other.join().unwrap();
        drop(call.admitted());
        assert_whole(gate, 1);
    });
}

#[test]
fn samples_move_an_adaptive_limit_while_permits_come_back() {
    loom::model(|| {
        let limit = resilient_policy::Limit::Adaptive { min: 1, max: 2, kind: resilient_policy::Adaptive::Aimd };
        let settings = Bulkhead { limit, max_wait: Duration::MAX, ..Bulkhead::of(0) };
        let gate: &'static Gate = Box::leak(Box::new(Gate::new(&settings)));
        let (first, second) = (gate.try_acquire().unwrap(), gate.try_acquire().unwrap());
        let waits = Call::come(gate);
        let (took, at) = (Duration::from_millis(1), now());
        let other = thread::spawn(move || first.finish(Served::Failed, took, at));
        second.finish(Served::Answered, took, at);
        other.join().unwrap();
        drop(waits.admitted());
        assert!(gate.is_idle() && gate.limit() == 1);
    });
}
