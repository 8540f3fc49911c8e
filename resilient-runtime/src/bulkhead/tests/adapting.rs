//! Gates that move their own limit.

use super::*;

fn adaptive(min: u32, max: u32, kind: Adaptive) -> &'static Gate {
    gate(Bulkhead { limit: Limit::Adaptive { min, max, kind }, max_wait: LONG, ..Bulkhead::of(0) })
}

#[test]
fn an_adaptive_gate_starts_at_twenty_grows_when_it_is_used_and_shrinks_when_calls_fail() {
    let (gate, at) = (adaptive(4, 200, Adaptive::Aimd), now());
    assert_eq!(gate.limit(), 20);
    let mut held = gate.fill();
    let mut waiter = gate.ask(at).wait();
    held.pop().unwrap().finish(Served::Answered, MS * 10, at.after(MS * 10));
    assert_eq!(gate.limit(), 21);
    let _admitted = waiter.admitted(at.after(MS * 10));
    // One permit came back and one is new: one waited, so one is free.
    assert_eq!(gate.used(), 20);
    held.pop().unwrap().finish(Served::Failed, MS * 10, at.after(MS * 30));
    held.pop().unwrap().finish(Served::Failed, MS * 10, at.after(MS * 30));
    assert_eq!(gate.limit(), 18);
    assert_eq!(gate.used(), 18);
    assert!(gate.try_acquire().is_none());
}

#[test]
fn a_cancelled_call_and_the_loser_of_a_hedge_are_no_samples() {
    let (gate, at) = (adaptive(4, 200, Adaptive::Aimd), now());
    let mut held = gate.fill();
    held.pop().unwrap().finish(Served::Unknown, MS * 10, at.after(MS * 10));
    held.pop();
    assert_eq!(gate.limit(), 20);
}

#[test]
fn a_growing_limit_admits_who_waits_at_once() {
    let (gate, at) = (adaptive(1, 200, Adaptive::Vegas), now());
    let mut held = gate.fill();
    let mut waits: Vec<_> = (0..8).map(|_| gate.ask(at).wait()).collect();
    held.pop().unwrap().finish(Served::Answered, MS * 10, at.after(MS * 10));
    assert_eq!(gate.limit(), 20, "the first sample is the baseline");
    held.pop().unwrap().finish(Served::Answered, MS * 10, at.after(MS * 30));
    assert_eq!(gate.limit(), 26);
    let admitted = waits.iter_mut().filter_map(|waiter| waiter.look(at)).count();
    assert_eq!(admitted, 8);
}

#[test]
fn a_recycled_gate_starts_anew() {
    let settings = Bulkhead { limit: Limit::Adaptive { min: 4, max: 200, kind: Adaptive::Vegas }, ..Bulkhead::of(0) };
    let (gate, at) = (gate(settings), now());
    let served = |took: u32, after: u32| {
        let mut held = gate.fill();
        held.pop().unwrap().finish(Served::Answered, MS * took, at.after(MS * after));
    };
    served(10, 10);
    served(10, 30);
    assert_eq!(gate.limit(), 26);
    gate.adopt(&settings);
    assert_eq!(gate.limit(), 26);
    gate.recycle(&settings);
    assert_eq!(gate.limit(), 20);
    served(30, 100);
    served(30, 200);
    assert_eq!(gate.limit(), 26, "the new dependency takes its own time");
}

#[test]
fn a_resize_of_an_adaptive_gate_is_where_it_goes_on_from() {
    let (gate, at) = (adaptive(4, 200, Adaptive::Aimd), now());
    gate.resize(1_000);
    assert_eq!(gate.limit(), 200);
    gate.resize(40);
    let mut held = gate.fill();
    held.pop().unwrap().finish(Served::Answered, MS * 10, at.after(MS * 10));
    assert_eq!(gate.limit(), 41);
    gate.adopt(&Bulkhead::of(3));
    held.pop().unwrap().finish(Served::Answered, MS * 10, at.after(MS * 30));
    assert_eq!(gate.limit(), 3);
}
