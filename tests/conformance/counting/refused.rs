//! The rows of calls that a guard refused or cut, and of those that their caller left.

use super::{ASYNC, BOTH, Failure, Neutral, Row, every, guarded, row};
use crate::{
    clock::{ms, paused},
    dep::{Dep, F, HANG, O, Outcome, Q, S},
    ended::full,
    world::both,
};
use resilient::{
    BreakerState::{Closed, HalfOpen},
    RejectedKind::{Deadline, Expired, Open},
    Stop::{Budget, CircuitOpen, InnerLayer, NoTime},
    last_stop, resilient, snapshot, testing, within,
};

#[test]
fn own_rejections_are_not_counted_and_earn_nothing() {
    let expected = Row { closed: Neutral, half_open: Neutral, runs: 0, tokens: 0 };
    let expired = row(ASYNC, guarded!(), async |world| {
        within(ms(0), async { drop(world.call([S]).await.ends(Expired)) }).await;
    });
    assert_eq!(expired, expected);
    // What fills the bulkhead are calls that have not ended: as many runs, and as much earned.
    let filled = row(ASYNC, guarded!(), async |world| {
        let holders = [(); 3].map(|()| world.start([HANG]));
        let before = world.now();
        if world.breaker().probes_in_flight == 0 {
            world.call([S]).await.ends(full(3)).runs(0);
        }
        assert_eq!(world.now().budget, before.budget);
        assert_eq!(world.now().breaker, before.breaker);
        drop(holders);
    });
    assert_eq!(filled, Row { runs: 3, tokens: 300, ..expected });
    guarded!().story(async |world| {
        world.calls(4, &[O]).await;
        let before = world.now();
        world.call([S]).await.ends(Open).runs(0);
        assert_eq!((world.now().budget, world.now().breaker), (before.budget, before.breaker));
    });
}

/// Neither does one while the breaker tries the dependency out: the bulkhead is asked first.
#[test]
fn a_full_bulkhead_takes_no_probes_slot() {
    both!(timeout = none, bulkhead = 2, breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2))
        .async_story(async |world| {
            let old = world.start([HANG]);
            world.calls(4, &[F]).await;
            world.pass(1_000).await;
            let probe = world.start([HANG]);
            world.is(HalfOpen).in_use(2);
            world.call([S]).await.ends(full(2));
            assert_eq!(world.breaker().probes_in_flight, 1);
            old.drop();
            probe.drop();
            world.calls(2, &[S]).await;
            world.is(Closed);
        });
}

#[test]
fn a_retry_that_the_budget_refuses() {
    let policy = both!(
        read,
        timeout_ms = 100,
        retries = 1,
        retry_budget(0.001, burst = 1),
        bulkhead = 3,
        breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2)
    );
    let refused = row(BOTH, policy, async |world| {
        world.call([F]).await.ends(F).runs(1);
    });
    assert_eq!(refused, Row { closed: Failure, half_open: Failure, runs: 1, tokens: 1 });
    policy.story(async |world| {
        world.call([Q]).await;
        world.call([F]).await.because(Budget);
    });
}

#[test]
fn a_retry_that_no_longer_fits() {
    let refused = row(ASYNC, guarded!(), async |world| {
        within(ms(20), async { drop(world.call([F]).await.ends(F).runs(1).because(NoTime)) }).await;
    });
    assert_eq!(refused, Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 });
}

#[test]
fn a_retry_that_the_inner_layer_has_made() {
    #[resilient(read, timeout = none, retries = 1, name = "inner")]
    async fn inner(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(
        read,
        timeout = none,
        retries = 1,
        name = "outer",
        breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0)
    )]
    async fn outer(dep: &Dep) -> Outcome {
        inner(dep).await
    }
    paused().block_on(testing::isolated(async {
        assert!(outer(&[F].into()).await.is_err());
        assert_eq!(last_stop(), Some(InnerLayer));
        let now = snapshot().into_iter().find(|now| now.operation == "outer").unwrap();
        let breaker = now.breaker.unwrap();
        assert_eq!((breaker.calls, breaker.failures, now.counts.attempts), (1, 1, 1));
        assert!((now.budget.unwrap().tokens - 10.0).abs() < 1e-9);
    }));
}

/// The token that was set aside for the backoff comes back; the breaker that refused has a generation of its own.
#[test]
fn a_retry_that_the_breaker_refuses() {
    guarded!().async_story(async |world| {
        world.call([Q]).await;
        let call = world.start([F]);
        world.tokens(9.0 + 0.1 - 1.0);
        world.calls(4, &[O]).await;
        call.end().await.ends(F).runs(1).because(CircuitOpen);
        world.tokens(9.0 + 0.1 + 0.4).window(0, 0);
        // A breaker that is open already when the attempt fails refuses at once, and no token is asked for.
        world.pass(1_000).await;
        world.calls(2, &[S]).await;
        let call = world.start([F.takes(20)]);
        world.calls(4, &[O]).await;
        let begun = world.elapsed();
        call.end().await.ends(F).runs(1).because(CircuitOpen);
        assert_eq!(world.elapsed() - begun, ms(20));
    });
}

#[test]
fn dropped_early_is_neutral_and_late_is_a_failure() {
    let dropped = |after, policy| {
        row(ASYNC, policy, async |world| {
            let call = world.start([HANG]);
            world.pass(after).await;
            call.drop();
        })
    };
    let (early, late) = (
        Row { closed: Neutral, half_open: Neutral, runs: 1, tokens: 100 },
        Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 },
    );
    // Half the timeout, where no `slow_ms` is written.
    assert_eq!(dropped(0, guarded!()), early);
    assert_eq!(dropped(50, guarded!()), early);
    assert_eq!(dropped(51, guarded!()), late);
    assert_eq!(dropped(30, guarded!(breaker: slow_ms = 30)), early);
    assert_eq!(dropped(31, guarded!(breaker: slow_ms = 30)), late);
    assert_eq!(dropped(51, guarded!(breaker: slow_ms = 80)), early);
}

#[test]
fn dropped_in_the_backoff_gives_the_token_back_and_in_the_retry_does_not() {
    let policy = guarded!(retry: jitter = equal);
    policy.async_story(async |world| {
        world.call([Q]).await;
        world.start([F]).drop();
        world.tokens(9.1).window(0, 0);
        let mut call = world.start([F, HANG]);
        world.pass(20).await;
        assert!(!call.poll());
        assert_eq!(call.dep.visits().len(), 2);
        call.drop();
        world.tokens(9.2 - 1.0).window(0, 0).in_use(0);
    });
}

#[test]
fn px_11_dropped_in_attempt_two() {
    both!(
        read,
        timeout_ms = 100,
        retries = 1,
        retry(base_ms = 10),
        bulkhead = 3,
        breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0)
    )
    .async_story(async |world| {
        let mut call = world.start([F, HANG]);
        world.pass(20).await;
        assert!(!call.poll());
        assert_eq!((call.dep.visits().len(), world.counts().in_flight, world.counts().retries), (2, 1, 1));
        call.drop();
        world.is(Closed).window(0, 0).in_use(0).tokens(9.0);
        assert_eq!((world.counts().in_flight, world.counts().dropped), (0, 1));
    });
}

#[test]
fn cut_by_the_callers_deadline_early_is_neutral_and_late_is_a_failure() {
    let cut = |after, policy| {
        row(ASYNC, policy, async |world| {
            within(ms(after), async { drop(world.call([HANG]).await.ends(Deadline).runs(1).because(NoTime)) }).await;
        })
    };
    let (early, late) = (
        Row { closed: Neutral, half_open: Neutral, runs: 1, tokens: 100 },
        Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 },
    );
    assert_eq!(cut(50, guarded!()), early);
    assert_eq!(cut(51, guarded!()), late);
    assert_eq!(cut(30, guarded!(breaker: slow_ms = 30)), early);
    assert_eq!(cut(31, guarded!(breaker: slow_ms = 30)), late);
}

#[test]
fn cut_by_its_own_deadline() {
    macro_rules! bounded {
        ($($policy:tt)*) => {
            both!(read, retries = 1, retry(base_ms = 10, cap_ms = 10, jitter = none), bulkhead = 3, allow(R07, R15),
                breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2), $($policy)*)
        };
    }
    // It ran at least half its timeout.
    let row_of_one = every(ASYNC, bounded!(timeout_ms = 100, deadline_ms = 110), [F.takes(45), HANG]);
    assert_eq!(row_of_one, Row { closed: Failure, half_open: Failure, runs: 2, tokens: -900 });
    // It ran for less, but an earlier attempt failed: the task was not polled in time after the backoff.
    bounded!(timeout_ms = 100, deadline_ms = 110).async_story(async |world| {
        let mut call = world.start([F, HANG]);
        world.pass(90).await;
        assert!(!call.poll());
        call.end().await.ends(Deadline).runs(2).at(110).because(NoTime);
        world.window(1, 1).tokens(9.0);
    });
}
