//! Guards together: the vectors of suites whose order is another, and that async and sync say the same.

use crate::{
    dep::{Dep, F, HANG, O, P, Q, S, Step, T},
    ended::{Ended, timed_out},
    world::{World, both},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient::{
    BreakerSnapshot,
    BreakerState::{Closed, Open},
    Counts, RejectedKind,
    Stop::Exhausted,
};
use std::cell::RefCell;

/// Retry round the breaker: 4 runs, then "open circuit". Ours has the breaker outside: one sample per call.
#[test]
fn co_01_co_06_ours_exhausts_its_attempts_and_returns_the_bodys_error() {
    both!(read, timeout = none, retries = 7, allow(R34), breaker("dep", window = 4, failure_rate = 0.75)).story(
        async |world| {
            world.call([F]).await.ends(F).runs(8).because(Exhausted);
            world.is(Closed).window(1, 1);
        },
    );
}

/// Same numbers as the suite's, for the other reason.
#[test]
fn co_02_three_runs_end_with_the_bodys_error_and_a_closed_breaker() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 4, failure_rate = 0.75)).story(async |world| {
        world.call([F]).await.ends(F).runs(3);
        world.is(Closed).window(1, 1);
    });
}

#[test]
fn co_03_ours_times_out_as_often_as_it_has_attempts() {
    both!(read, timeout_ms = 100, retries = 7, allow(R34), breaker("dep", window = 4, failure_rate = 0.75))
        .async_story(async |world| {
            world.call([HANG]).await.ends(timed_out(100)).runs(8);
            world.is(Closed).window(1, 1);
        });
}

#[test]
fn co_07_co_08_co_09_co_12_ours_counts_a_call_that_its_retries_saved_as_one_success() {
    both!(read, timeout = none, retries = 10, allow(R34), breaker("dep", window = 5)).story(async |world| {
        world.call([F, F, S]).await.ends(S).runs(3);
        world.is(Closed).window(1, 0);
        world.call([F, F, F, F, F, S]).await.ends(S).runs(6);
        world.is(Closed).window(2, 0);
    });
}

#[test]
fn co_13_a_call_that_fails_for_good_is_one_failure() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 3, consecutive = 3)).story(async |world| {
        world.call([F]).await.ends(F).runs(3);
        world.is(Closed).window(1, 1);
    });
}

#[test]
fn co_14_ours_counts_one_failure_behind_a_fallback() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 5), fallback = plan_b).story(async |world| {
        world.call([F]).await.ends("plan b").runs(3).plans(1);
        world.is(Closed).window(1, 1);
    });
}

/// Nothing sleeps towards an open breaker in ours, so nothing races with its open time.
#[test]
fn co_04_co_16_ours_never_waits_for_a_breaker_to_close() {
    both!(
        read,
        timeout = none,
        retries = 4,
        retry(base = 5s, cap = 5s, jitter = none),
        allow(R15, R34),
        breaker("dep", window = 2, open_ms = 5_000, open_jitter = 0.0)
    )
    .story(async |world| {
        world.call([F]).await.ends(F).runs(5);
        world.call([F]).await.ends(F).runs(5);
        world.is(Open);
        world.call([S]).await.ends(RejectedKind::Open).runs(0).at(0);
    });
}

/// A history of single calls, some of which wait.
fn tale(seed: u64) -> Vec<(Vec<Step>, u64)> {
    let mut random = StdRng::seed_from_u64(seed);
    let steps = [S, S, F, F, T, Q, Q.hint(40), O, O.hint(40), P];
    (0..60)
        .map(|_| {
            let script = (0..3).map(|_| steps[random.random_range(0..steps.len())].takes(random.random_range(0..40)));
            (script.collect(), random.random_range(0..4) * 100)
        })
        .collect()
}

/// What is comparable of an end: not the time, which tokio rounds up to milliseconds.
fn essence(call: &Ended) -> String {
    format!("{:?} after {} runs, {:?}", call.outcome, call.visits.len(), call.stop)
}

/// How each call ended, and what the guards know after the last.
type Told = RefCell<Option<(Vec<String>, Counts, BreakerSnapshot, f64)>>;

async fn tell(world: &World, told: &Told, tale: &[(Vec<Step>, u64)]) {
    let mut ends = Vec::new();
    for (script, pause) in tale {
        ends.push(essence(&world.call(Dep::does(script)).await));
        world.pass(*pause).await;
    }
    let now = world.now();
    *told.borrow_mut() = Some((ends, now.counts, now.breaker.unwrap(), now.budget.unwrap().tokens));
}

/// One policy, one history, one answer: the sync expansion is not a lesser one.
#[test]
fn px_28_a_sync_function_counts_what_an_async_one_counts() {
    // Whole milliseconds, so that no timer of tokio's has anything to round.
    let policy = both!(
        read,
        timeout_ms = 200,
        deadline_ms = 1_000,
        retries = 2,
        retry(base_ms = 30, jitter = none, overloaded),
        retry_budget(0.3, burst = 5),
        breaker("dep", window = 6, min_calls = 4, slow_ms = 35, open_ms = 200, open_jitter = 0.0, probes = 2),
        bulkhead = 3,
        allow(R15),
        fallback = plan_b
    );
    for seed in 0..20 {
        let (tale, a, b) = (tale(seed), Told::default(), Told::default());
        policy.async_story(async |world| tell(world, &a, &tale).await);
        policy.sync_story(async |world| tell(world, &b, &tale).await);
        let (a, b) = (a.take().unwrap(), b.take().unwrap());
        for (n, (a, b)) in a.0.iter().zip(&b.0).enumerate() {
            assert_eq!(a, b, "seed {seed}, call {n}: {:?}", tale[n]);
        }
        assert_eq!((a.1, a.2), (b.1, b.2), "seed {seed}");
        assert!((a.3 - b.3).abs() < 1e-9);
    }
}
