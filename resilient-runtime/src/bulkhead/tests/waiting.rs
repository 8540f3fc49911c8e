//! Who waits, who gets in, who gives up.

use super::*;

#[test]
fn so_many_run_so_many_wait_and_one_starts_per_permit_given_back() {
    for (id, size, queue) in
        [("BH-02", 10, 10), ("BH-02", 3, 10), ("BH-02", 5, 5), ("BH-03", 2, 2), ("BH-16", 2, 3), ("AD-43", 4, 10)]
    {
        let (gate, at) = (queueing(size, queue), now());
        let mut held = gate.fill();
        let mut waits: Vec<_> = (0..queue).map(|_| gate.ask(at).wait()).collect();
        assert_eq!(held.len() as u32, size, "{id}");
        assert!(gate.ask(at).is_full(), "{id}");
        held.pop();
        let started: Vec<_> = waits.iter_mut().filter_map(|waiter| waiter.look(at)).collect();
        assert!(matches!(started[..], [Ok(_)]), "{id}: {started:?}");
        assert_eq!(gate.waiting(), queue - 1, "{id}");
    }
}

#[test]
fn as_many_wait_as_may_run_where_nothing_is_written() {
    let (gate, at) = (gate(Bulkhead { max_wait: LONG, ..Bulkhead::of(3) }), now());
    let _held = gate.fill();
    let _waits: Vec<_> = (0..3).map(|_| gate.ask(at).wait()).collect();
    assert!(gate.ask(at).is_full());
}

#[test]
fn bh_04_a_failure_gives_its_permit_back_like_a_success() {
    let (gate, at) = (queueing(2, 3), now());
    let mut held = gate.fill();
    let _waits: Vec<_> = (0..3).map(|_| gate.ask(at).wait()).collect();
    held.pop().unwrap().finish(Served::Failed, MS, at);
    let _next = gate.ask(at).wait();
    assert!(gate.ask(at).is_full());
}

#[test]
fn bh_07_px_12_a_waiter_that_goes_frees_its_place_and_takes_no_permit_along() {
    let (gate, at) = (queueing(1, 1), now());
    let held = gate.ask(at).permit();
    drop(gate.ask(at).wait());
    let mut next = gate.ask(at).wait();
    drop(held);
    drop(next.admitted(at));
    assert!(gate.is_idle());
}

#[test]
fn a_permit_that_was_handed_over_and_not_taken_is_the_next_ones() {
    let (gate, at) = (queueing(1, 2), now());
    let held = gate.ask(at).permit();
    let (first, mut second) = (gate.ask(at).wait(), gate.ask(at).wait());
    drop(held);
    assert!(second.is_waiting(at));
    drop(first);
    drop(second.admitted(at));
    assert!(gate.is_idle());
}

#[test]
fn bh_09_bh_14_ad_38_a_wait_that_is_over_is_full() {
    for wait in [20, 50] {
        let (gate, at) = (gate(Bulkhead { max_wait: MS * wait, ..Bulkhead::of(1) }), now());
        let _held = gate.ask(at).permit();
        let mut waiter = gate.ask(at).wait();
        assert_eq!(waiter.until(), at.after(MS * wait));
        assert!(waiter.is_waiting(at.after(MS * wait - Duration::from_nanos(1))));
        assert_eq!(waiter.gone(at.after(MS * wait)), Gone::Full);
        assert_eq!(gate.waiting(), 0);
    }
}

#[test]
fn bh_13_ad_44_a_permit_that_comes_back_in_time_is_the_waiters() {
    for order in [Order::Fifo, Order::Newest] {
        let (gate, at) = (gate(Bulkhead { max_wait: LONG, order, ..Bulkhead::of(1) }), now());
        let held = gate.ask(at).permit();
        let mut waiter = gate.ask(at).wait();
        let then = at.after(MS * 250);
        assert!(waiter.is_waiting(then));
        held.back(then);
        waiter.admitted(then);
    }
}

#[test]
fn ad_39_a_wait_of_any_length_is_one() {
    for wait in [Duration::from_secs(86_400), Duration::MAX] {
        let (gate, at) = (gate(Bulkhead { max_wait: wait, ..Bulkhead::of(1) }), now());
        let held = gate.ask(at).permit();
        let mut waiter = gate.ask(at).wait();
        assert!(waiter.is_waiting(at.after(LONG)));
        held.back(at.after(LONG));
        waiter.admitted(at.after(LONG));
    }
}

#[test]
fn bh_19_first_come_first_served_and_nobody_goes_past_who_waits() {
    let (gate, at) = (queueing(1, 3), now());
    let a = gate.ask(at).permit();
    let (mut b, mut c) = (gate.ask(at).wait(), gate.ask(at).wait());
    a.back(at);
    // A comes again while B holds the permit that it has not taken yet.
    assert!(gate.try_acquire().is_none());
    let mut a = gate.ask(at).wait();
    b.admitted(at).back(at);
    assert!(gate.try_acquire().is_none() && a.is_waiting(at));
    c.admitted(at).back(at);
    a.admitted(at);
}

#[test]
fn px_06_a_waiter_never_starts_after_its_deadline() {
    let (gate, at) = (queueing(1, 1), now());
    let held = gate.ask(at).permit();
    let mut waiter = gate.enter(at, Criticality::Critical, at.after(MS * 100)).wait();
    assert_eq!(waiter.until(), at.after(MS * 100));
    // It was not polled at its deadline: whoever gives the permit back turns it away.
    held.back(at.after(MS * 200));
    assert_eq!(waiter.gone(at.after(MS * 200)), Gone::Expired);
    assert!(gate.is_idle());

    // Handed over in time, and come for too late.
    let held = gate.ask(at).permit();
    let mut late = gate.enter(at, Criticality::Critical, at.after(MS * 100)).wait();
    held.back(at.after(MS * 50));
    assert_eq!(late.gone(at.after(MS * 100)), Gone::Expired);
    assert!(gate.is_idle());
}

#[test]
fn waiters_that_timed_out_leave_the_gate_whole() {
    let (gate, at) = (queueing(8, 8), now());
    let held = gate.fill();
    let mut waits: Vec<_> = (0..8).map(|_| gate.ask(at).wait()).collect();
    for waiter in &mut waits {
        assert_eq!(waiter.gone(at.after(LONG)), Gone::Full);
    }
    held.into_iter().for_each(|permit| permit.back(at.after(LONG)));
    assert_eq!(gate.fill().len(), 8);
}

#[test]
fn a_permit_given_back_wakes_one_and_a_larger_size_wakes_as_many_as_it_admits() {
    let (gate, at) = (queueing(1, 5), now());
    let held = gate.ask(at).permit();
    let mut waits: Vec<_> = (0..5).map(|_| (gate.ask(at).wait(), Arc::new(Woken::default()))).collect();
    for (waiter, woken) in &mut waits {
        assert!(waiter.poll(at, Some(&woken.clone().into())).is_pending());
    }
    let times = |waits: &[(Waiter, Arc<Woken>)]| waits.iter().map(|(_, woken)| woken.times()).collect::<Vec<_>>();
    held.back(at);
    assert_eq!(times(&waits), [1, 0, 0, 0, 0]);
    gate.resize(3);
    assert_eq!(times(&waits), [1, 1, 1, 0, 0]);
}

#[test]
fn no_waker_is_cloned_woken_or_dropped_inside_the_lock() {
    /// Whatever is done with it, it asks the gate, which the lock would not let it.
    struct Nosy(&'static Gate);
    impl Wake for Nosy {
        fn wake(self: Arc<Self>) {
            self.0.waiting();
        }
    }
    impl Drop for Nosy {
        fn drop(&mut self) {
            self.0.waiting();
        }
    }
    let (gate, at) = (queueing(1, 3), now());
    let poll = |waiter: &mut Waiter, at| waiter.poll(at, Some(&Arc::new(Nosy(gate)).into()));
    let held = gate.ask(at).permit();
    let mut waits: Vec<_> = (0..3).map(|_| gate.ask_as(at, Criticality::SheddablePlus)).collect();
    assert!(waits.pop().unwrap().is_full());
    let mut waits: Vec<_> = waits.into_iter().map(Entry::wait).collect();
    for waiter in waits.iter_mut().chain([&mut gate.ask(at).wait()]) {
        assert!(poll(waiter, at).is_pending());
        assert!(poll(waiter, at).is_pending(), "one takes the place of another");
    }
    let (mut plus, mut critical) = (gate.ask(at).wait(), gate.ask(at).wait());
    assert!(poll(&mut waits[1], at).is_ready(), "it was displaced");
    assert!(poll(&mut plus, at).is_pending() && poll(&mut critical, at).is_pending());
    held.back(at);
    assert!(poll(&mut plus, at).is_ready(), "it was handed a permit");
    assert!(poll(&mut critical, at.after(LONG)).is_ready());
    assert!(poll(&mut waits[0], at.after(LONG)).is_ready(), "its time is over");
}

#[test]
fn a_state_is_idle_when_nobody_is_inside_or_waits_or_has_yet_to_learn_that_it_does_not() {
    let (gate, at) = (queueing(1, 1), now());
    assert!(gate.is_idle());
    let held = gate.ask(at).permit();
    let mut waiter = gate.ask(at).wait();
    held.back(at.after(LONG));
    assert_eq!((gate.used(), gate.waiting()), (0, 0));
    assert!(!gate.is_idle());
    gate.recycle(&Bulkhead::of(7));
    assert_eq!(waiter.gone(at.after(LONG)), Gone::Full);
    assert!(gate.is_idle() && gate.limit() == 7);
}

#[test]
fn a_queue_touches_as_many_places_for_a_thousand_waiters_as_for_ten() {
    let touched = |waiters: u32| {
        let (gate, at) = (queueing(1, waiters), now());
        let mut held = Some(gate.ask(at).permit());
        let mut waits: Vec<_> = (0..waiters).map(|_| gate.ask(at).wait()).collect();
        let mut most = 0;
        let mut count = |step: &mut dyn FnMut()| {
            let before = gate.lock_queue().touched;
            step();
            most = most.max(gate.lock_queue().touched - before);
        };
        let middle = waiters as usize / 2;
        count(&mut || drop(waits.remove(middle)));
        count(&mut || waits.push(gate.ask(at).wait()));
        count(&mut || drop(gate.ask_as(at, Criticality::CriticalPlus).wait()));
        count(&mut || held.take().unwrap().back(at));
        count(&mut || drop(waits[0].admitted(at)));
        count(&mut || drop(waits.pop()));
        most
    };
    assert_eq!(touched(10), touched(1_000));
    assert!(touched(1_000) < 12);
}
