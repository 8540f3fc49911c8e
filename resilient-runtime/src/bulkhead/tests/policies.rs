//! Classes, order and age limits.

use super::*;

#[test]
fn a_class_gets_in_up_to_its_share_and_the_default_class_up_to_the_last_permit() {
    for (size, shares) in [(80, [51, 64, 80, 80]), (12, [7, 9, 12, 12]), (2, [1, 1, 2, 2]), (1, [1; 4]), (0, [0; 4])] {
        for (class, wanted) in CLASSES.into_iter().zip(shares) {
            let gate = gate(Bulkhead::of(size));
            let got = (0..=size).filter_map(|_| gate.try_acquire_as(class)).map(mem::forget).count();
            assert_eq!(got, wanted, "{class:?} of {size}");
        }
    }
}

#[test]
fn what_matters_more_leaves_the_queue_first() {
    let (gate, at) = (queueing(1, 10), now());
    let mut permit = gate.ask(at).permit();
    let mut waits: Vec<_> =
        CLASSES.iter().chain(&CLASSES).map(|class| (*class, Some(gate.ask_as(at, *class).wait()))).collect();
    let mut order = Vec::new();
    for _ in 0..8 {
        permit.back(at);
        let (n, next) = waits
            .iter_mut()
            .enumerate()
            .find_map(|(n, (_, waiter))| waiter.as_mut()?.look(at).map(|answer| (n, answer.unwrap())))
            .expect("somebody is next");
        waits[n].1 = None;
        order.push(n);
        permit = next;
    }
    assert_eq!(order, [3, 7, 2, 6, 1, 5, 0, 4]);
}

#[test]
fn what_matters_more_goes_past_those_of_a_lesser_class_who_may_not_have_the_last_permit() {
    let (gate, at) = (queueing(5, 5), now());
    let _held: Vec<_> = (0..4).map(|_| gate.ask(at).permit()).collect();
    let mut sheddable = gate.ask_as(at, Criticality::SheddablePlus).wait();
    assert!(gate.try_acquire().is_none(), "who does not wait goes past nobody");
    let critical = gate.ask(at).permit();
    assert!(gate.ask_as(at, Criticality::SheddablePlus).wait().is_waiting(at));
    critical.back(at);
    assert!(sheddable.is_waiting(at));
}

#[test]
fn a_full_queue_turns_away_the_newest_of_the_least_critical_for_one_that_matters_more() {
    let (gate, at) = (queueing(1, 3), now());
    let _held = gate.ask(at).permit();
    let mut older = gate.ask_as(at, Criticality::Sheddable).wait();
    let mut plus = gate.ask_as(at, Criticality::SheddablePlus).wait();
    assert!(gate.ask_as(at, Criticality::Sheddable).is_full(), "the class has its share of the queue");
    let mut critical = gate.ask(at).wait();
    let woken = Arc::new(Woken::default());
    assert!(older.poll(at, Some(&woken.clone().into())).is_pending());

    let _first = gate.ask(at).wait();
    assert_eq!(woken.times(), 1);
    assert_eq!(older.gone(at), Gone::Full);
    let _second = gate.ask_as(at, Criticality::CriticalPlus).wait();
    assert_eq!(plus.gone(at), Gone::Full);
    assert!(gate.ask(at).is_full(), "nobody there matters less");
    let _third = gate.ask_as(at, Criticality::CriticalPlus).wait();
    assert!(critical.is_waiting(at), "the newest goes, not the oldest");
    assert_eq!(gate.waiting(), 3);
}

#[test]
fn the_newest_go_first_while_the_queue_stands_and_the_oldest_before() {
    for (order, after, first) in [(Order::Newest, 99, 0), (Order::Newest, 100, 2), (Order::Fifo, 100, 0)] {
        let gate = gate(Bulkhead { max_wait: LONG, max_queue: Some(3), order, ..Bulkhead::of(1) });
        let at = now();
        let held = gate.ask(at).permit();
        let mut waits: Vec<_> = (0..3).map(|n| gate.ask(at.after(MS * n)).wait()).collect();
        let then = at.after(MS * after);
        held.back(then);
        let answers: Vec<_> = waits.iter_mut().map(|waiter| waiter.look(then)).collect();
        assert_eq!(answers.iter().position(Option::is_some), Some(first), "{order:?} after {after} ms");
    }
}

#[test]
fn ad_41_with_the_newest_first_the_oldest_wait_their_whole_time() {
    let gate = gate(Bulkhead { max_wait: LONG, max_queue: Some(10), order: Order::Newest, ..Bulkhead::of(4) });
    let at = now();
    let _held = gate.fill();
    let mut fifth = gate.ask(at).wait();
    assert!(fifth.is_waiting(at.after(LONG - MS)));
    assert_eq!(fifth.gone(at.after(LONG)), Gone::Full);
}

#[test]
fn a_standing_queue_with_an_age_limit_lets_newcomers_wait_five_milliseconds() {
    let gate = gate(Bulkhead { max_wait: LONG, max_queue: Some(9), max_age: Some(MS * 80), ..Bulkhead::of(1) });
    let at = now();
    let held = gate.ask(at).permit();
    let waits = |after: u64, deadline: Moment| {
        let waiter = gate.enter(at.after(MS * after as u32), Criticality::Critical, deadline).wait();
        (waiter.until().since(at), waiter)
    };
    let (first, _a) = waits(0, Moment::NEVER);
    let (burst, _b) = waits(99, Moment::NEVER);
    let (standing, _c) = waits(100, Moment::NEVER);
    let (hurried, _d) = waits(100, at.after(MS * 102));
    assert_eq!([first, burst, standing, hurried], [80, 179, 105, 102].map(|n| MS * n));

    // Who is too old when its turn comes is not started.
    held.back(at.after(MS * 110));
    let mut state = [_a, _b, _c, _d].map(|mut waiter| waiter.look(at.after(MS * 110)));
    assert!(matches!(state, [Some(Err(Gone::Full)), Some(Ok(_)), Some(Err(Gone::Full)), Some(Err(Gone::Expired))]));

    // Empty once, it is a burst again.
    let held = state[1].take().unwrap().unwrap();
    assert_eq!(gate.waiting(), 0);
    let (again, _e) = waits(300, Moment::NEVER);
    assert_eq!(again, MS * 380);
    drop(held);
}
