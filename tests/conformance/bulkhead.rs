//! How many calls run at once.

use crate::{
    clock::at_once,
    dep::{Dep, F, Fault, HANG, Outcome, PANIC, S},
    ended::full,
    world::both,
};
use resilient::{
    BreakerState::Closed,
    RejectedKind::{Full, Open},
    Stop::Exhausted,
    snapshot, testing,
};

#[test]
fn bh_01_bh_08_admits_its_size_and_one_more_per_call_that_ends() {
    for (size, policy) in [
        (2, both!(timeout = none, bulkhead = 2)),
        (3, both!(timeout = none, bulkhead = 3)),
        (10, both!(timeout = none, bulkhead = 10)),
    ] {
        policy.async_story(async |world| {
            let one = world.start([S.takes(10)]);
            let _others: Vec<_> = (1..size).map(|_| world.start([HANG])).collect();
            world.in_use(size);
            world.call([S]).await.ends(full(size)).runs(0).because(None).at(0);
            one.end().await.ends(S);
            let _one_more = world.start([HANG]);
            world.call([S]).await.ends(full(size)).runs(0);
            assert_eq!((world.runs(), world.counts().full), (size + 1, 2));
        });
    }
}

/// The same for a sync function, whose calls overlap where it calls itself.
#[test]
fn bh_01_a_function_that_calls_itself_takes_a_permit_per_level() {
    #[resilient::resilient(timeout = none, bulkhead = 2, blocking = cooperative)]
    fn deeper(levels: u32) -> Result<u32, Fault> {
        assert_eq!(snapshot()[0].bulkhead.unwrap().in_use, 3 - levels);
        if levels == 1 { Ok(1) } else { deeper(levels - 1).map(|levels| levels + 1) }
    }
    #[resilient::resilient(timeout = none, bulkhead = 2)]
    async fn deeper_async(levels: u32) -> Result<u32, Fault> {
        if levels == 1 { Ok(1) } else { Box::pin(deeper_async(levels - 1)).await.map(|levels| levels + 1) }
    }
    let refused = |outcome| matches!(outcome, Err(Fault::Rejected(told)) if told.kind() == full(2));
    testing::isolated_blocking(|| {
        assert_eq!(deeper(2), Ok(2));
        assert_eq!(snapshot()[0].bulkhead.unwrap().in_use, 0);
    });
    testing::isolated_blocking(|| {
        assert_eq!(at_once(deeper_async(2)), Ok(2));
        assert!(refused(at_once(deeper_async(3))));
        assert_eq!(snapshot()[0].bulkhead.unwrap().in_use, 0);
    });
}

#[test]
fn bh_04_bh_06_a_permit_comes_back_however_a_call_ends() {
    both!(timeout_ms = 50, bulkhead = 1).async_story(async |world| {
        world.call([F]).await.ends(F);
        world.call([HANG]).await;
        world.call([PANIC]).await.ends(PANIC);
        // A dropped async body does not run on.
        world.start([HANG]).drop();
        world.call([S]).await.ends(S);
        world.in_use(0);
    });
    both!(timeout = none, bulkhead = 1).sync_story(async |world| {
        world.call([F]).await.ends(F);
        world.call([PANIC]).await.ends(PANIC);
        world.call([S]).await.ends(S);
    });
}

#[test]
fn px_05_a_permit_is_held_during_the_backoff() {
    both!(read, timeout = none, retries = 1, retry(base_ms = 100, jitter = none), allow(R15), bulkhead = 1)
        .async_story(async |world| {
            let a = world.start([F, S]);
            world.pass(50).await;
            world.in_use(1);
            world.call([S]).await.ends(full(1)).runs(0);
            a.end().await.ends(S).runs(2).at(100);
            world.call([S]).await.ends(S);
        });
}

#[test]
fn px_40_co_35_co_36_a_full_bulkhead_leaves_the_breaker_alone_and_is_not_repeated() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 1), bulkhead = 1, fallback(plan_b_told, error))
        .async_story(async |world| {
            let one = world.start([S.takes(10)]);
            let refused = world.call([S]).await.ends("plan b").runs(0).plans(1).at(0);
            assert!(matches!(&refused.told[..], [Some(Fault::Rejected(told))] if told.kind() == full(1)));
            world.is(Closed).window(0, 0).tokens(10.0);
            one.end().await.ends(S);
            assert_eq!((world.counts().full, world.counts().attempts), (1, 1));
        });
}

/// In other orders a full bulkhead counts as a failure of the dependency; ours has nothing to say about it.
#[test]
fn co_30_co_31_co_32_ours_never_opens_by_its_own_bulkhead() {
    both!(timeout = none, breaker("dep", window = 3, failure_rate = 1.0), bulkhead = 1).async_story(async |world| {
        let one = world.start([HANG]);
        for _ in 0..5 {
            world.call([S]).await.ends(full(1));
        }
        world.is(Closed).window(0, 0);
        one.drop();
    });
}

/// A look, not an admission: while it is open, nobody is told "full" who would be told "open" once there is room.
#[test]
fn an_open_breaker_answers_before_the_bulkhead_is_asked() {
    #[resilient::resilient(timeout = none, name = "opens", breaker("shared", window = 1))]
    async fn opens(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient::resilient(timeout = none, name = "crowded", breaker("shared", window = 1), bulkhead = 1)]
    async fn crowded(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    testing::isolated_blocking(|| {
        let (hang, answer) = (Dep::from([HANG]), Dep::from([S]));
        let mut holder = Box::pin(crowded(&hang));
        assert!(holder.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
        let kind = || match at_once(crowded(&answer)) {
            Err(Fault::Rejected(told)) => told.kind(),
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(), Full { limit: 1 });
        assert!(at_once(opens(&[F].into())).is_err());
        assert_eq!(kind(), Open);
    });
}

/// Plan B is outside of the bulkhead: it takes nothing of what the dependency has room for.
#[test]
fn plan_b_holds_no_permit() {
    both!(timeout_ms = 60, bulkhead = 1, fallback = plan_b).async_story(async |world| {
        let failed = world.start(Dep::from([F]).plan([S.takes(50)]));
        world.in_use(0);
        world.call([S]).await.ends(S).runs(1);
        failed.end().await.ends("plan b");
    });
}

#[test]
fn a_retried_call_holds_one_permit() {
    both!(read, timeout = none, retries = 2, bulkhead = 1).story(async |world| {
        world.call([F]).await.ends(F).runs(3).because(Exhausted);
        world.in_use(0);
    });
}

/// T45: admission has no memory that a busy task could use up.
#[test]
fn five_thousand_calls_of_one_task_meet_no_spurious_rejection() {
    both!(timeout = none, bulkhead = 1).story(async |world| {
        for _ in 0..5_000 {
            world.call([S]).await.ends(S);
        }
    });
}
