//! Extremes, panics and crowds.

use crate::{
    clock::{at_once, ms, paused},
    dep::{BODY, Dep, F, Fault, HANG, Outcome, PANIC, S, Scripted},
    ended::timed_out,
    world::both,
};
use resilient::{
    BreakerState::{Closed, Open},
    RejectedKind::{Deadline, Expired},
    resilient, snapshot, testing, within, within_blocking,
};
use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

const FOREVER: Duration = Duration::MAX;
/// The durations at which other libraries overflow.
const HUGE: [Duration; 4] =
    [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(u64::MAX / 10), Duration::from_millis(1 << 36)];

#[test]
fn endless_limits_are_no_limits() {
    both!(
        read,
        timeout = FOREVER,
        retries = 1,
        breaker("dep", window = 1, open = FOREVER, open_cap = FOREVER),
        bulkhead = 1
    )
    .story(async |world| {
        let call = world.call([F, S.takes(3_600_000)]).await.ends(S).runs(2);
        assert!(call.visits.iter().all(|visit| visit.remaining.is_none_or(|left| left > ms(1 << 36))), "{call:?}");
        world.call([F]).await.ends(F);
        world.is(Open).pass(1 << 36).await;
        world.call([S]).await.ends(resilient::RejectedKind::Open).runs(0);
    });
}

#[test]
fn an_endless_deadline_cuts_nobody() {
    both!(timeout = FOREVER, deadline = FOREVER).story(async |world| {
        let call = world.call([S.takes(3_600_000)]).await.ends(S);
        assert!(call.visits[0].remaining.is_none_or(|left| left > ms(1 << 36)), "{call:?}");
        within(ms(10), world.call([S.takes(5)])).await.ends(S);
    });
}

#[test]
fn endless_waits_saturate() {
    both!(read, timeout = none, retries = 1, retry(base = FOREVER, cap = FOREVER, retry_after_cap = FOREVER))
        .async_story(async |world| {
            let call = world.start([F]);
            world.pass(1_000).await;
            assert_eq!(call.dep.visits().len(), 1);
            call.drop();
            world.tokens(10.0);
        });
    both!(timeout = none, fallback(cached, max_stale = FOREVER, key = (0))).story(async |world| {
        world.call([S]).await.ends(S);
        world.pass(1 << 36).await;
        world.call([F]).await.ends(S);
    });
}

#[test]
fn huge_limits_of_a_caller_neither_panic_nor_cut() {
    both!(timeout_ms = 60).story(async |world| {
        for limit in HUGE {
            within(limit, world.call([S.takes(50)])).await.ends(S);
        }
    });
    for limit in HUGE {
        assert!(within_blocking(limit, resilient::remaining).is_none_or(|left| left > ms(1 << 35)));
        assert!(within_blocking(limit, resilient::send_within).is_none_or(|left| left > ms(1 << 35)));
    }
}

#[test]
fn a_caller_without_time_runs_nothing() {
    both!(read, timeout_ms = 60, retries = 2, fallback = plan_b).story(async |world| {
        within(Duration::ZERO, world.call([S])).await.ends("plan b").runs(0).at(0);
        assert_eq!((world.counts().expired, world.counts().attempts), (1, 0));
    });
    both!(timeout_ms = 60).story(async |world| {
        within(Duration::ZERO, world.call([S])).await.ends(Expired).runs(0);
        // One nanosecond is time.
        assert_eq!(within(Duration::from_nanos(1), world.call([S])).await.visits.len(), 1);
    });
    both!(timeout_ms = 60).async_story(async |world| {
        within(Duration::from_nanos(1), world.call([HANG])).await.ends(Deadline).runs(1);
    });
}

/// 50 callers in a hurry do not open a breaker for the others.
#[test]
fn impatient_callers_open_nothing() {
    both!(timeout_ms = 60, breaker("dep", window = 4)).async_story(async |world| {
        for _ in 0..50 {
            within(ms(1), world.call([S.takes(20)])).await.ends(Deadline);
        }
        world.is(Closed).window(0, 0);
    });
}

#[test]
fn a_panic_goes_on_to_the_caller_with_what_it_carries() {
    #[resilient(timeout_ms = 60)]
    async fn guarded(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(timeout = none)]
    fn blocking(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    let runtime = paused();
    let carried = |body: &dyn Fn() -> Outcome| catch_unwind(AssertUnwindSafe(body)).unwrap_err().is::<Scripted>();
    for step in [PANIC, PANIC.takes(10)] {
        assert!(carried(&|| runtime.block_on(testing::isolated(guarded(&[step].into())))));
        assert!(carried(&|| testing::isolated_blocking(|| blocking(&[step].into()))));
    }
}

/// One that panics does not disturb one that sleeps.
#[test]
fn a_panic_elsewhere_leaves_a_waiting_call_alone() {
    both!(
        read,
        timeout_ms = 60,
        retries = 1,
        retry(base_ms = 50, jitter = none),
        allow(R15),
        breaker("dep", window = 4),
        bulkhead = 4
    )
    .async_story(async |world| {
        let sleeper = world.start([F, S]);
        world.call([PANIC]).await.ends(PANIC);
        world.call([PANIC.takes(10)]).await.ends(PANIC);
        world.in_use(1).window(2, 2);
        sleeper.end().await.ends(S).runs(2).at(50);
        world.window(3, 2).tokens(9.0 + 0.2);
    });
}

/// A call that is dropped because its caller unwinds did not panic itself.
#[test]
fn a_call_dropped_by_a_panic_around_it_is_a_dropped_call() {
    both!(timeout_ms = 60, breaker("dep", window = 4), bulkhead = 1).async_story(async |world| {
        let around = catch_unwind(AssertUnwindSafe(|| {
            let _call = world.start([HANG]);
            std::panic::resume_unwind(Box::new(Scripted));
        }));
        assert!(around.is_err());
        assert_eq!((world.counts().dropped, world.counts().panicked), (1, 0));
        world.in_use(0).window(0, 0);
    });
}

/// The other way round: a body's destructor that makes a guarded call while the body's panic unwinds.
#[test]
fn a_call_made_while_a_panic_unwinds_is_a_call_like_any_other() {
    #[resilient(timeout = none, name = "cleanup", breaker = "cleanup")]
    fn cleanup() -> Outcome {
        Dep::from([S]).answer_blocking()
    }
    #[resilient(timeout = none, name = "body")]
    fn body() -> Outcome {
        struct Cleans;
        impl Drop for Cleans {
            fn drop(&mut self) {
                assert_eq!(cleanup(), Ok(BODY));
            }
        }
        let _cleans = Cleans;
        Dep::from([PANIC]).answer_blocking()
    }
    testing::isolated_blocking(|| {
        assert!(catch_unwind(body).is_err());
        let now = |name| snapshot().into_iter().find(|now| now.operation == name).unwrap().counts;
        assert_eq!((now("body").panicked, now("cleanup").panicked, now("cleanup").succeeded), (1, 0, 1));
    });
}

#[test]
fn a_function_that_calls_itself_without_end_is_stopped_by_its_bulkhead() {
    #[resilient(timeout = none, bulkhead = 2, breaker("recursive", window = 10))]
    fn endless(depth: u32) -> Result<u32, Fault> {
        match endless(depth + 1) {
            Ok(deepest) => Ok(deepest),
            Err(Fault::Rejected(_)) => Ok(depth),
            Err(error) => Err(error),
        }
    }
    #[resilient(timeout = none, bulkhead = 2, breaker("recursive", window = 10))]
    async fn endless_async(depth: u32) -> Result<u32, Fault> {
        match Box::pin(endless_async(depth + 1)).await {
            Ok(deepest) => Ok(deepest),
            Err(Fault::Rejected(_)) => Ok(depth),
            Err(error) => Err(error),
        }
    }
    testing::isolated_blocking(|| assert_eq!(endless(1), Ok(2)));
    testing::isolated_blocking(|| assert_eq!(at_once(endless_async(1)), Ok(2)));
}

/// A future that was made and never polled is no call yet.
#[test]
fn a_call_that_is_never_polled_is_no_call() {
    #[resilient(timeout_ms = 60, bulkhead = 1, name = "lazy")]
    async fn guarded(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    paused().block_on(testing::isolated(async {
        let dep = [S].into();
        drop(guarded(&dep));
        assert!(snapshot().is_empty());
        let never = guarded(&dep);
        assert_eq!(guarded(&dep).await, Ok(BODY));
        drop(never);
        assert_eq!(snapshot()[0].counts.calls, 1);
    }));
}

/// A crowd far beyond the bulkhead, dropped half-way in a random order.
#[test]
fn a_crowd_that_leaves_gives_everything_back() {
    both!(timeout_ms = 60, bulkhead = 100, breaker("dep", window = 20)).async_story(async |world| {
        let mut crowd: Vec<_> = (0..10_000).map(|_| world.start([HANG])).collect();
        world.in_use(100);
        assert_eq!((world.runs(), world.counts().full), (100, 9_900));
        while !crowd.is_empty() {
            let leaves = (crowd.len() * 7_919) % crowd.len().max(1);
            crowd.swap_remove(leaves).drop();
        }
        world.in_use(0).is(Closed).window(0, 0);
        world.call([HANG]).await.ends(timed_out(60));
    });
}

/// Being polled after it is done is a bug of the caller's, and says so instead of running the body again.
#[test]
fn a_finished_call_is_not_run_again() {
    #[resilient(timeout_ms = 60)]
    async fn guarded(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    testing::isolated_blocking(|| {
        let _clock = paused();
        let dep = [S].into();
        let mut call = pin!(guarded(&dep));
        let cx = &mut Context::from_waker(Waker::noop());
        let runtime = paused();
        let _inside = runtime.enter();
        assert!(call.as_mut().poll(cx).is_ready());
        assert!(catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))).is_err());
        assert_eq!(dep.visits().len(), 1);
    });
}

/// A judge is the user's code, too.
#[test]
fn a_panic_in_a_judge_is_the_bodys() {
    fn judge(_error: &Fault) -> resilient::Verdict {
        std::panic::resume_unwind(Box::new(Scripted))
    }
    both!(read, timeout_ms = 60, retries = 1, retry(on = judge), breaker("dep", window = 4), bulkhead = 1).story(
        async |world| {
            world.call([F]).await.ends(PANIC).runs(1);
            world.in_use(0).window(1, 1);
            assert_eq!(world.counts().panicked, 1);
            world.call([S]).await.ends(S);
        },
    );
}

/// A destructor that panics while its body is cut: everything comes back all the same.
#[test]
fn a_panic_in_a_bodys_destructor_leaks_nothing() {
    #[resilient(timeout_ms = 60, breaker("dep", window = 4), bulkhead = 1)]
    async fn guarded() -> Outcome {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                std::panic::resume_unwind(Box::new(Scripted));
            }
        }
        let _bomb = Bomb;
        std::future::pending().await
    }
    let runtime = paused();
    let cut = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(testing::isolated(async {
            let call = catch_unwind(AssertUnwindSafe(|| {
                let mut call = Box::pin(guarded());
                let cx = &mut Context::from_waker(Waker::noop());
                assert!(call.as_mut().poll(cx).is_pending());
                testing::advance(ms(60));
                drop(call.as_mut().poll(cx));
            }));
            assert!(call.is_err());
            let now = snapshot().pop().unwrap();
            assert_eq!((now.counts.in_flight, now.bulkhead.unwrap().in_use), (0, 0));
            assert_eq!((now.breaker.unwrap().calls, now.breaker.unwrap().failures), (1, 1));
        }));
    }));
    assert!(cut.is_ok());
}
