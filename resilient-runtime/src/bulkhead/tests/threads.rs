//! Sync code and real threads.

use super::*;

#[cfg(feature = "testing")]
#[test]
fn a_blocked_wait_moves_the_clock_of_its_test_and_is_full_at_its_end() {
    for (deadline, gone, took) in [(None, Gone::Full, HOUR), (Some(HOUR / 2), Gone::Expired, HOUR / 2)] {
        crate::testing::isolated_blocking(|| {
            let gate = gate(Bulkhead { max_wait: HOUR, ..Bulkhead::of(1) });
            let _held = gate.try_acquire().unwrap();
            let at = now();
            let deadline = deadline.map_or(Moment::NEVER, |left| at.after(left));
            let waiter = gate.enter(at, Criticality::Critical, deadline).wait();
            assert_eq!(waiter.block().unwrap_err(), gone);
            let waited = now().since(at);
            assert!(waited >= took && waited < took + LONG, "{waited:?}");
        });
    }
}

#[cfg(feature = "testing")]
#[test]
fn a_permit_that_was_handed_over_before_a_thread_blocks_is_taken_at_once() {
    crate::testing::isolated_blocking(|| {
        let (gate, at) = (queueing(1, 1), now());
        let held = gate.ask(at).permit();
        let waiter = gate.ask(at).wait();
        drop(held);
        waiter.block().unwrap();
        assert!(now().since(at) < LONG);
    });
}

#[tokio::test(start_paused = true)]
async fn a_blocked_wait_ends_though_the_clock_is_paused() {
    let gate = gate(Bulkhead { max_wait: MS, ..Bulkhead::of(1) });
    let _held = gate.try_acquire().unwrap();
    assert_eq!(gate.ask(now()).wait().block().unwrap_err(), Gone::Full);
}

#[test]
fn a_blocked_thread_and_a_task_wait_in_one_queue() {
    for wait in [HOUR, Duration::MAX] {
        let gate = gate(Bulkhead { max_wait: wait, max_queue: Some(2), ..Bulkhead::of(1) });
        let held = gate.try_acquire().unwrap();
        let thread = gate.ask(now()).wait();
        let mut task = gate.ask(now()).wait();
        let woken = Arc::new(Woken::default());
        assert!(task.poll(now(), Some(&woken.clone().into())).is_pending());
        let blocked = thread::spawn(move || thread.block().map(drop));
        drop(held);
        assert_eq!(blocked.join().unwrap(), Ok(()));
        assert_eq!(woken.times(), 1);
        task.admitted(now());
    }
}

#[test]
fn ad_40_eight_threads_pass_one_after_the_other() {
    let gate = gate(Bulkhead { max_wait: HOUR, max_queue: Some(8), ..Bulkhead::of(1) });
    let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let _permit = match gate.ask(now()) {
                        Entry::Permit(permit) => permit,
                        Entry::Wait(waiter) => waiter.block().unwrap(),
                        Entry::Full => panic!("seven others cannot fill a queue of eight"),
                    };
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(most.into_inner(), 1);
    assert!(gate.is_idle());
}

#[test]
fn threads_that_come_wait_give_up_and_resize_lose_no_permit() {
    for limit in [Limit::Fixed(2), Limit::Adaptive { min: 1, max: 2, kind: Adaptive::Aimd }] {
        let gate = gate(Bulkhead { limit, max_wait: MS, max_queue: Some(3), ..Bulkhead::of(0) });
        let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for n in 0..4 {
                let (inside, most) = (&inside, &most);
                scope.spawn(move || {
                    for turn in 0..3_000 {
                        let permit = match gate.ask_as(now(), CLASSES[(turn + n) % 4]) {
                            Entry::Permit(permit) => permit,
                            Entry::Wait(waiter) if turn % 3 == 0 => {
                                drop(waiter);
                                continue;
                            }
                            Entry::Wait(waiter) => match waiter.block() {
                                Ok(permit) => permit,
                                Err(_) => continue,
                            },
                            Entry::Full => continue,
                        };
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        if turn % 50 == 0 {
                            gate.resize(1 + turn as u32 / 50 % 2);
                        }
                        inside.fetch_sub(1, Ordering::SeqCst);
                        let served = [Served::Answered, Served::Failed, Served::Unknown][turn % 7 % 3];
                        permit.finish(served, Duration::from_nanos(1), now());
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
        assert!(gate.is_idle());
        gate.resize(2);
        assert_eq!(gate.fill().len(), 2);
    }
}
