//! How long an attempt may take, and how long the call.

use crate::{
    clock::{at_once, ms, paused},
    dep::{Dep, F, Fault, HANG, Outcome, S},
    ended::timed_out,
    world::both,
};
use resilient::{
    BreakerState::{Closed, Open},
    RejectedKind::{self, Deadline, Expired},
    Stop::{Exhausted, NoTime, NotRepeatable},
    snapshot, testing, within, within_blocking,
};

#[test]
fn to_01_to_02_an_attempt_that_takes_longer_is_cut() {
    both!(timeout_ms = 1_000).async_story(async |world| {
        world.call([S.takes(20_000)]).await.ends(timed_out(1_000)).at(1_000);
        world.call([S.takes(10)]).await.ends(S).at(10);
    });
    both!(timeout_ms = 2_000).async_story(async |world| {
        world.call([S.takes(2_500)]).await.ends(timed_out(2_000)).at(2_000);
        world.call([S.takes(1_500)]).await.ends(S).at(1_500);
    });
}

/// A blocked thread cannot be stopped: what a cooperative body brings late is returned and counted slow.
#[test]
fn to_07_ours_returns_a_late_answer_of_a_blocking_body() {
    both!(read, timeout_ms = 500, retries = 1, breaker("dep", window = 4)).sync_story(async |world| {
        world.call([S.takes(1_000)]).await.ends(S).at(1_000).because(None);
        assert_eq!((world.counts().slow, world.counts().timed_out, world.breaker().slow), (1, 0, 1));
        world.call([S.takes(500)]).await.ends(S);
        assert_eq!(world.counts().slow, 1);
    });
}

#[test]
fn to_09_to_10_every_attempt_has_the_whole_timeout() {
    both!(read, timeout_ms = 500, retries = 2, retry(base_ms = 1, jitter = none), allow(R15)).async_story(
        async |world| {
            world.call([HANG]).await.ends(timed_out(500)).runs(3).because(Exhausted).starts([0, 501, 1_003]).at(1_503);
            world.call([HANG, S.takes(499)]).await.ends(S).runs(2);
            assert_eq!((world.counts().timed_out, world.counts().timeout), (4, 1));
        },
    );
}

#[test]
fn to_11_a_write_that_timed_out_may_have_happened() {
    both!(write, timeout_ms = 100, retries = 1, retry(only_unsent)).async_story(async |world| {
        world.call([HANG]).await.ends(timed_out(100)).runs(1).because(NotRepeatable);
    });
}

#[test]
fn to_14_fb_14_plan_b_answers_for_an_attempt_that_was_cut() {
    both!(timeout_ms = 500, fallback(plan_b_told, error)).async_story(async |world| {
        let call = world.call([HANG]).await.ends("plan b").at(500);
        assert!(matches!(&call.told[..], [Some(Fault::Rejected(told))] if told.kind() == timed_out(500)));
    });
}

#[test]
fn to_15_to_21_a_result_of_the_same_poll_wins_and_one_that_comes_later_does_not() {
    both!(timeout_ms = 100).async_story(async |world| {
        world.call([S.takes(100)]).await.ends(S);
        world.call([S.takes(101)]).await.ends(timed_out(100));
        // Both are due when it is polled next.
        let mut late = world.start([S.takes(50)]);
        world.pass(1_000).await;
        assert!(late.poll());
        late.end().await.ends(S);
    });
}

#[test]
fn to_16_a_call_that_is_dropped_did_not_time_out() {
    both!(timeout_ms = 100).async_story(async |world| {
        world.start([HANG]).drop();
        assert_eq!((world.counts().timed_out, world.counts().dropped), (0, 1));
    });
}

#[test]
fn to_17_to_19_the_shorter_of_two_timeouts_cuts() {
    #[resilient::resilient(timeout_ms = 100, name = "inner")]
    async fn inner(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient::resilient(
        read,
        timeout_ms = 500,
        retries = 10,
        retry_budget(0.1, burst = 10),
        allow(R34),
        name = "outer"
    )]
    async fn outer(dep: &Dep) -> Outcome {
        inner(dep).await
    }
    paused().block_on(testing::isolated(async {
        let timed_out = |name| snapshot().iter().find(|now| now.operation == name).unwrap().counts.timed_out;
        assert!(outer(&[S.takes(150), S].into()).await.is_ok());
        assert_eq!((timed_out("inner"), timed_out("outer")), (1, 0));
        // A deadline of the caller over ten such attempts.
        let dep = [S.takes(150)].into();
        assert!(within(ms(500), outer(&dep)).await.is_err());
        assert!(dep.visits().len() >= 3);
        assert_eq!(timed_out("outer"), 0);
    }));
}

#[test]
fn px_07_the_last_attempt_gets_what_the_deadline_leaves() {
    both!(
        read,
        timeout_ms = 60,
        deadline_ms = 100,
        retries = 3,
        retry(base_ms = 0, jitter = none),
        allow(R07, R15, R16)
    )
    .async_story(async |world| {
        let call = world.call([HANG]).await.ends(Deadline).runs(2).starts([0, 60]).at(100).because(NoTime);
        assert_eq!(call.visits.iter().map(|v| v.remaining.unwrap()).collect::<Vec<_>>(), [ms(60), ms(40)]);
        assert_eq!((world.counts().timed_out, world.counts().deadline), (1, 1));
    });
}

#[test]
fn px_38_a_timeout_of_the_last_attempt_is_the_error_and_one_failure() {
    both!(read, timeout_ms = 60, retries = 1, breaker("dep", window = 4)).async_story(async |world| {
        world.call([F, HANG]).await.ends(timed_out(60)).runs(2).because(Exhausted);
        world.is(Closed).window(1, 1);
        assert_eq!((world.counts().failed, world.counts().timeout), (1, 1));
    });
}

/// Only when the task is not polled in time: the wait itself fitted.
#[test]
fn px_39_a_deadline_that_passes_during_the_wait_ends_it_with_the_last_error() {
    both!(
        read,
        timeout_ms = 60,
        deadline_ms = 200,
        retries = 1,
        retry(base_ms = 50, jitter = none),
        allow(R15),
        breaker("dep", window = 4)
    )
    .async_story(async |world| {
        let call = world.start([F]);
        world.tokens(9.0);
        world.pass(300).await;
        call.end().await.ends(F).runs(1).because(NoTime);
        world.tokens(10.0).is(Closed).window(1, 1);
        assert_eq!(world.counts().failed, 1);
    });
}

#[test]
fn rt_64_the_callers_deadline_bounds_the_waits_too() {
    both!(read, timeout = none, retries = 1, retry(base_ms = 100, jitter = none), allow(R15)).async_story(
        async |world| {
            within(ms(50), async { world.call([F]).await.ends(F).runs(1).because(NoTime).at(0) }).await;
            within(ms(150), async { world.call([F, S]).await.ends(S).runs(2).at(100) }).await;
        },
    );
}

#[test]
fn rt_51_no_gap_is_longer_than_its_backoff() {
    both!(
        read,
        timeout = none,
        deadline_ms = 3_200,
        retries = 10,
        retry_budget(0.1, burst = 10),
        retry(base_ms = 400, cap_ms = 800)
    )
    .story(async |world| {
        let call = world.call([F]).await.ends(F);
        let starts = call.offsets();
        assert!(starts.len() > 4 && starts.windows(2).all(|pair| pair[1] - pair[0] <= 801), "{starts:?}");
    });
}

#[test]
fn co_20_co_22_timeouts_open_a_breaker() {
    both!(timeout_ms = 50, breaker("dep", window = 2, failure_rate = 0.75)).async_story(async |world| {
        world.call([S.takes(100)]).await.ends(timed_out(50));
        world.call([S.takes(100)]).await.ends(timed_out(50));
        world.is(Open);
        world.call([S]).await.ends(RejectedKind::Open).runs(0);
    });
    both!(timeout_ms = 50, breaker("dep", window = 1)).async_story(async |world| {
        world.call([S.takes(100)]).await.ends(timed_out(50)).at(50);
        world.is(Open);
    });
}

#[test]
fn nothing_starts_without_time_left() {
    both!(read, timeout_ms = 60, retries = 1, breaker("dep", window = 1), bulkhead = 1).async_story(async |world| {
        world.call([S]).await.ends(S);
        let call = within(ms(0), async { world.call([S]).await }).await.ends(Expired).runs(0).because(None).at(0);
        assert_eq!(call.rejection().status(), 503);
        world.is(Closed).in_use(0).tokens(10.0);
        assert_eq!(world.counts().expired, 1);
    });
    both!(timeout_ms = 60).sync_story(async |world| {
        within_blocking(ms(0), || at_once(world.call([S]))).ends(Expired).runs(0);
    });
}

/// `timeout` is armed late and once: a body that wakes itself in every poll is cut all the same.
#[test]
fn a_body_that_never_sleeps_is_cut_in_time() {
    #[resilient::resilient(timeout_ms = 50)]
    async fn busy() -> Outcome {
        // Uses up tokio's cooperative budget in every poll, and moves the clock that nobody else moves.
        let mut polls = 0_u32;
        loop {
            tokio::task::yield_now().await;
            testing::advance(ms(1));
            polls += 1;
            assert!(polls <= 51, "polled past its timeout");
        }
    }
    paused().block_on(testing::isolated(async {
        let Err(Fault::Rejected(cut)) = busy().await else { panic!("it was cut") };
        assert_eq!(cut.kind(), timed_out(50));
    }));
}

/// What it holds, a connection for one, is free for the retry.
#[test]
fn a_body_that_was_cut_is_gone_before_the_wait_begins() {
    #[resilient::resilient(read, timeout_ms = 50, retries = 1, retry(base_ms = 100, jitter = none), allow(R15))]
    async fn guarded(holders: &std::sync::Arc<()>, hangs: bool) -> Outcome {
        let _holder = holders.clone();
        Dep::from([if hangs { HANG } else { F }]).answer().await
    }
    paused().block_on(testing::isolated(async {
        for (hangs, holders) in [(true, 2), (false, 1)] {
            let held = std::sync::Arc::new(());
            let mut call = Box::pin(guarded(&held, hangs));
            let cx = &mut std::task::Context::from_waker(std::task::Waker::noop());
            assert!(call.as_mut().poll(cx).is_pending());
            assert_eq!(std::sync::Arc::strong_count(&held), holders);
            testing::advance(ms(50));
            assert!(call.as_mut().poll(cx).is_pending(), "it waits for its retry");
            assert_eq!(std::sync::Arc::strong_count(&held), 1);
        }
    }));
}
