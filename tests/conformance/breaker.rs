//! The breaker while it is closed: what is in its window, and when it opens.

use crate::{
    clock::{ms, paused},
    dep::{F, Fault, O, Outcome, P, Q, S, Step, fails},
    world::{World, both},
};
use resilient::{
    BreakerState::{Closed, HalfOpen, Open},
    Hint, RejectedKind,
    Stop::{Budget, CircuitOpen, Exhausted},
    Verdict, snapshot,
    testing::{isolated_blocking, seed},
};

const X: RejectedKind = RejectedKind::Open;

/// Single-attempt calls one after the other; how many of them ran.
pub async fn feed(world: &World, calls: &[Step]) -> u32 {
    let before = world.runs();
    for step in calls {
        world.call([*step]).await;
    }
    world.runs() - before
}

#[test]
fn px_01_opens_after_the_third_call_not_the_third_attempt() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 3, failure_rate = 1.0)).story(async |world| {
        world.call([F]).await.ends(F).runs(3).because(Exhausted);
        world.is(Closed).window(1, 1);
        world.call([F]).await.ends(F).runs(3);
        world.is(Closed).window(2, 2);
        world.call([F]).await.ends(F).runs(3);
        world.is(Open);
        world.call([S]).await.ends(X).runs(0);
        assert_eq!(world.runs(), 9);
    });
}

#[test]
fn px_02_a_call_saved_by_its_retries_is_one_success() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 3, failure_rate = 1.0)).story(async |world| {
        for _ in 0..3 {
            world.call([F, F, S]).await.ends(S).runs(3).because(None);
        }
        world.is(Closed).window(3, 0);
        assert_eq!(world.runs(), 9);
    });
}

#[test]
fn px_03_a_call_that_sleeps_while_the_breaker_opens_stops_with_its_own_error() {
    both!(
        read,
        timeout = none,
        retries = 1,
        retry(base_ms = 100, jitter = none),
        allow(R15),
        breaker("dep", window = 2)
    )
    .async_story(async |world| {
        let sleeper = world.start([F, S]);
        world.tokens(9.0);
        // Meanwhile two others fail in a way that is not repeated, and open it.
        world.call([O]).await.ends(O);
        world.call([O]).await.ends(O);
        world.is(Open);
        sleeper.end().await.ends(F).runs(1).because(CircuitOpen).at(100);
        // Its token came back, and it was counted once: an older generation's result is ignored.
        world.is(Open).window(0, 0).tokens(10.0);
        assert_eq!((world.counts().stopped(CircuitOpen), world.counts().failed), (1, 3));
    });
}

#[test]
fn px_04_an_open_breaker_costs_nothing_and_says_when_to_come_back() {
    both!(
        read,
        timeout = none,
        retries = 1,
        breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0),
        fallback(plan_b_told, error)
    )
    .story(async |world| {
        world.call([F]).await.ends("plan b").runs(2);
        world.is(Open).tokens(9.0);
        let (before, at) = (world.counts(), world.elapsed());
        world.pass(400).await;
        let refused = world.call([S]).await.ends("plan b").runs(0).because(None);
        world.tokens(9.0);
        assert_eq!((world.counts().attempts, world.counts().retries), (before.attempts, before.retries));
        let Some(Fault::Rejected(told)) = &refused.told[0] else { panic!("{refused:?}") };
        assert_eq!((told.operation(), told.kind()), ("dep", X));
        let left = 1_000 - (world.elapsed() - at).as_millis();
        assert_eq!(told.retry_after().unwrap().as_millis(), left);
    });
}

#[test]
fn px_26_the_open_time_is_stretched_by_at_most_its_jitter() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000)).story(async |world| {
        let mut times = Vec::new();
        for n in 0..200 {
            seed(n);
            world.call([F]).await.ends(F);
            times.push(world.call([S]).await.ends(X).rejection().retry_after().unwrap().as_millis());
            world.pass(1_501).await;
        }
        assert!(times.iter().all(|time| (1_000..=1_500).contains(time)), "{times:?}");
        assert!(times.iter().any(|time| *time < 1_100) && times.iter().any(|time| *time > 1_400), "{times:?}");
    });
}

#[test]
fn px_29_all_instantiations_of_a_generic_function_share_their_guards() {
    #[resilient::resilient(timeout = none, breaker("dep", window = 2), bulkhead = 2)]
    fn generic<T>(_of: T, outcome: Result<(), Verdict>) -> Outcome {
        outcome.map(|()| "").map_err(|verdict| Fault::Failed { verdict, run: 1 })
    }
    isolated_blocking(|| {
        assert!(generic(1_u8, Err(Verdict::TRANSIENT)).is_err());
        assert!(generic("text", Err(Verdict::TRANSIENT)).is_err());
        let now = snapshot();
        assert_eq!(now.len(), 1);
        assert_eq!(now[0].breaker.unwrap().state, Open);
        assert_eq!(now[0].counts.calls, 2);
    });
}

/// tokio's clock cannot run backwards, but a thread may leave a runtime whose paused clock is ahead for one whose clock
/// is not: to the library the same.
#[test]
fn px_35_a_clock_that_goes_back_opens_nothing_early_and_panics_nowhere() {
    let policy = both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0));
    let (ahead, behind) = (paused(), paused());
    ahead.block_on(async { tokio::time::sleep(ms(3_600_000)).await });
    isolated_blocking(|| {
        let call = |step: Step| (policy.blocking)(&[step].into());
        {
            let _clock = ahead.enter();
            assert!(call(F).is_err());
        }
        let _clock = behind.enter();
        let refused = call(S).unwrap_err();
        assert!(matches!(&refused, Fault::Rejected(rejected) if rejected.kind() == X), "{refused:?}");
        resilient::testing::advance(ms(3_600_000 + 1_000));
        assert_eq!(call(S), Ok("body"));
        assert_eq!(snapshot()[0].breaker.unwrap().state, HalfOpen);
    });
}

#[test]
fn cb_21_the_first_failure_opens_where_one_is_enough() {
    both!(timeout = none, breaker("dep", window = 1)).story(async |world| {
        feed(world, &[F]).await;
        world.is(Open);
    });
}

#[test]
fn cb_22_cb_25_consecutive_means_consecutive() {
    both!(timeout = none, breaker("dep", window = 100, consecutive = 3)).story(async |world| {
        feed(world, &[F, S, F, F]).await;
        world.is(Closed);
        feed(world, &[F]).await;
        world.is(Open);
    });
    both!(timeout = none, breaker("dep", window = 100, consecutive = 2)).story(async |world| {
        feed(world, &[S, F].repeat(20)).await;
        world.is(Closed);
    });
}

#[test]
fn cb_26_cb_27_the_sixth_failure_in_a_row() {
    both!(timeout = none, breaker("dep", window = 100, consecutive = 6)).story(async |world| {
        feed(world, &[[F; 5].as_slice(), &[S], &[F; 5]].concat()).await;
        world.is(Closed);
        feed(world, &[F]).await;
        world.is(Open);
    });
}

fn is_marked(outcome: &Outcome) -> bool {
    matches!(outcome, Err(error) if error.hint() == Hint::Stop)
}

#[test]
fn cb_29_cb_127_ignored_calls_are_not_in_the_denominator() {
    const I: Step = fails(Verdict::TRANSIENT.stop());
    let policy =
        both!(timeout = none, breaker("dep", window = 20, min_calls = 3, failure_rate = 0.6, ignore_on = is_marked));
    policy.story(async |world| {
        feed(world, &[S, F, I].repeat(5)).await;
        world.is(Closed).window(10, 5);
    });
}

#[test]
fn cb_07_an_answer_is_a_success_whatever_it_says() {
    both!(timeout = none, breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2)).story(
        async |world| {
            assert_eq!(feed(world, &[S, S, P, S, S, S, F, S]).await, 8);
            world.is(Closed);
            feed(world, &[F]).await;
            world.is(Open);
        },
    );
}

#[test]
fn cb_124_cb_125_cb_126_what_counts_as_a_failure_is_its_class() {
    both!(timeout = none, breaker("dep", window = 2)).story(async |world| {
        feed(world, &[P, P, Q, Q, P]).await;
        world.is(Closed).window(2, 0);
        feed(world, &[O]).await;
        world.is(Open);
    });
}

#[test]
fn cb_129_cb_130_slow_means_longer_than_the_limit() {
    both!(timeout = none, breaker("dep", window = 5, failure_rate = 1.0, slow_ms = 4_000)).story(async |world| {
        let (slow_f, slow_s) = (F.takes(4_001), S.takes(4_001));
        feed(world, &[slow_f, slow_s, F.takes(4_000), S.takes(4_000)]).await;
        assert_eq!((world.breaker().slow, world.breaker().calls), (2, 4));
        feed(world, &[slow_s]).await;
        world.is(Open);
        assert_eq!(world.counts().slow, 3);
    });
}

#[test]
fn a_budget_that_is_used_up_does_not_change_what_the_breaker_counts() {
    both!(read, timeout = none, retries = 1, retry_budget(0.1, burst = 1), breaker("dep", window = 4)).story(
        async |world| {
            world.call([F]).await.ends(F).runs(2).because(Exhausted);
            world.call([F]).await.ends(F).runs(1).because(Budget);
            world.window(2, 2);
        },
    );
}
