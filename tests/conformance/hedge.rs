//! A second copy of a slow read, and which answer wins. Only async functions have one (R23).

use crate::{
    clock::{ms, paused},
    dep::{Dep, F, Fault, HANG, O, Outcome, P, Q, S, answers},
    ended::{Ended, timed_out},
    world::{World, waiting},
};
use resilient::{
    BreakerState::{Closed, Open},
    IdempotencyKey,
    Stop::Exhausted,
    remaining, testing, with,
};
use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

/// It failed with the error of this run of the body, not necessarily the last.
#[track_caller]
fn fails_as_run(ended: &Ended, expected: u32) {
    assert!(matches!(ended.error(), Fault::Failed { run, .. } if *run == expected), "{ended:?}");
}

#[track_caller]
fn hedges(world: &World, sent: u64, won: u64) {
    assert_eq!((world.counts().hedges, world.counts().hedges_won), (sent, won), "hedges sent, won");
}

#[test]
fn hg_01_a_fast_answer_needs_no_second_copy() {
    waiting!(timeout_ms = 2_000, hedge = 1s).async_story(async |world| {
        world.call([S.takes(5)]).await.ends(S).runs(1).at(5);
        hedges(world, 0, 0);
    });
}

/// Others send a third copy at 20 ms; ours sends one second copy at most.
#[test]
fn hg_02_the_second_copy_of_a_slow_call_wins() {
    waiting!(timeout_ms = 200, hedge = 10ms).async_story(async |world| {
        world.call([answers("first").takes(100), answers("second")]).await.ends("second").runs(2).starts([0, 10]);
        hedges(world, 1, 1);
    });
}

#[test]
fn hg_03_the_first_of_two_equally_slow_copies_wins() {
    waiting!(timeout_ms = 200, hedge = 20ms).async_story(async |world| {
        let step = |answer| answers(answer).takes(100);
        world.call([step("first"), step("second")]).await.ends("first").runs(2).at(100);
        hedges(world, 1, 0);
    });
}

#[test]
fn hg_06_the_delay_is_found_in_what_the_operation_itself_took() {
    waiting!(timeout_ms = 2_000, hedge(p95, min_samples = 20)).async_story(async |world| {
        for _ in 0..19 {
            world.call([S.takes(5)]).await.ends(S);
        }
        world.call([S.takes(500)]).await.ends(S).runs(1);
        hedges(world, 0, 0);
        for _ in 0..30 {
            world.call([S.takes(5)]).await.ends(S).runs(1);
        }
        world.call([HANG, answers("second")]).await.ends("second").runs(2).between(5..=10);
        hedges(world, 1, 1);
    });
}

#[test]
fn hg_09_each_attempt_has_a_second_copy() {
    waiting!(timeout_ms = 200, deadline_ms = 1_000, retries = 2, hedge = 10ms).async_story(async |world| {
        let ended = world.call([F.takes(20)]).await.runs(6).because(Exhausted);
        fails_as_run(&ended, 5);
        assert_eq!((world.counts().retries, world.counts().hedges), (2, 3));
        world.tokens(10.0 + 0.1 - 0.1 - 5.0);
    });
}

#[test]
fn hg_11_one_attempt_and_its_copy_are_cut_together() {
    waiting!(timeout_ms = 100, hedge = 10ms).async_story(async |world| {
        world.call([HANG]).await.ends(timed_out(100)).runs(2).at(100);
        assert_eq!(world.counts().timed_out, 1);
        hedges(world, 1, 0);
    });
}

#[test]
fn hg_12_plan_b_answers_when_both_copies_failed() {
    waiting!(timeout_ms = 200, hedge = 10ms, fallback = plan_b).async_story(async |world| {
        world.call([F.takes(50)]).await.ends("plan b").runs(2).plans(1).between(60..=62);
    });
}

#[test]
fn hg_16_hg_17_the_first_copy_is_the_one_that_is_heard_when_both_fail() {
    waiting!(timeout_ms = 200, hedge = 10ms).async_story(async |world| {
        // The first is the slower of the two, then the faster.
        fails_as_run(&world.call([F.takes(100), F.takes(20)]).await.runs(2).at(100), 1);
        fails_as_run(&world.call([F.takes(20), F.takes(100)]).await.runs(2).at(110), 1);
    });
}

#[test]
fn hg_18_an_answer_of_the_dependency_is_final() {
    waiting!(timeout_ms = 200, hedge = 10ms).async_story(async |world| {
        world.call([P]).await.ends(P).runs(1).at(0);
        hedges(world, 0, 0);
        // From the second copy, too.
        let ended = world.call([HANG, P.takes(5)]).await.runs(2).at(15);
        fails_as_run(&ended, 2);
        hedges(world, 1, 1);
    });
}

/// Others take whatever comes first, also a failure; ours waits for the copy that may still answer (DESIGN §4: "the
/// first acceptable answer … if all fail, the primary's error").
#[test]
fn hg_24_a_failure_of_one_copy_leaves_the_other_its_chance() {
    waiting!(timeout_ms = 500, hedge = 50ms).async_story(async |world| {
        let (first, second) = (answers("first").takes(200), answers("second").takes(10));
        world.call([first, second]).await.ends("second").at(60);
        world.call([first, F.takes(10)]).await.ends("first").at(200);
        world.call([F.takes(200), second]).await.ends("second").at(60);
        fails_as_run(&world.call([F.takes(200), F.takes(10)]).await.at(200), 1);
        // Failed before the second copy was due: nothing to wait for.
        world.call([F.takes(20)]).await.ends(F).runs(1).at(20);
    });
}

/// What the first copy did say is a better answer than that time ran out.
#[test]
fn a_failure_of_the_first_copy_outlives_the_timeout_of_the_second() {
    waiting!(timeout_ms = 100, hedge = 10ms).async_story(async |world| {
        let ended = world.call([F.takes(20), HANG]).await.runs(2).at(100);
        fails_as_run(&ended, 1);
        assert_eq!(world.counts().timed_out, 0);
    });
}

#[test]
fn a_guard_that_says_no_only_keeps_the_second_copy_from_starting() {
    // The budget: one token, so one copy.
    waiting!(timeout_ms = 200, hedge = 10ms, retry_budget(0.1, burst = 1)).async_story(async |world| {
        world.call([HANG, S]).await.ends(S).runs(2);
        world.call([S.takes(100)]).await.ends(S).runs(1).at(100);
        world.tokens(0.1);
        hedges(world, 1, 1);
    });
    // The bulkhead: a copy is one more call inside.
    waiting!(timeout_ms = 200, hedge = 10ms, bulkhead = 1).async_story(async |world| {
        world.call([S.takes(100)]).await.ends(S).runs(1).at(100);
        world.tokens(10.0);
        assert_eq!(world.counts().full, 0);
    });
    // The rate limit: a copy is one more attempt.
    waiting!(timeout_ms = 200, hedge = 10ms, rate_limit("1/s")).async_story(async |world| {
        world.call([S.takes(100)]).await.ends(S).runs(1).at(100);
        world.tokens(10.0);
        assert_eq!(world.counts().limited, 0);
    });
    // The breaker, which opened since the first copy started.
    waiting!(timeout_ms = 200, hedge = 10ms, breaker("dep", window = 2, min_calls = 2)).async_story(async |world| {
        let slow = world.start([S.takes(100)]);
        world.call([F]).await.ends(F);
        world.call([F]).await.ends(F);
        world.is(Open);
        slow.end().await.ends(S).runs(1).at(100);
        world.tokens(10.0);
    });
}

#[test]
fn a_probe_is_one_attempt_without_a_second_copy() {
    let policy = waiting!(timeout_ms = 200, hedge = 10ms, breaker("dep", window = 2, open_ms = 100, probes = 1));
    policy.async_story(async |world| {
        world.call([F]).await.ends(F);
        world.call([F]).await.ends(F);
        world.pass(200).await;
        world.call([S.takes(100)]).await.ends(S).runs(1);
        world.is(Closed);
        hedges(world, 0, 0);
    });
}

/// One sample per call, whatever its copies did.
#[test]
fn the_breaker_counts_a_hedged_call_once() {
    waiting!(timeout_ms = 200, hedge = 10ms, breaker = "dep").async_story(async |world| {
        world.call([HANG, S]).await.ends(S);
        world.window(1, 0);
        world.call([F.takes(20)]).await;
        world.window(2, 1);
        world.call([HANG, F]).await.ends(timed_out(200));
        world.window(3, 2);
    });
}

#[test]
fn both_copies_give_back_what_they_hold_wherever_the_caller_leaves() {
    waiting!(timeout_ms = 200, hedge = 10ms, bulkhead = 2, retry_budget(active)).async_story(async |world| {
        for millis in [0, 5, 10, 15, 50] {
            let call = world.start([HANG]);
            tokio::time::timeout(ms(millis), call.end()).await.unwrap_err();
            world.in_use(0);
        }
        assert_eq!(world.counts().dropped, 5);
    });
}

#[test]
fn the_loser_is_gone_before_the_answer_is_there() {
    waiting!(timeout_ms = 200, hedge = 10ms, bulkhead = 2).async_story(async |world| {
        world.call([HANG, answers("second").takes(5)]).await.ends("second").at(15);
        world.in_use(0);
        world.call([answers("first").takes(20), HANG]).await.ends("first").at(20);
        world.in_use(0);
    });
}

/// A copy that loses says only that it would have taken longer: a slow dependency must not look fast for it.
#[test]
fn losers_keep_the_percentile_from_shrinking() {
    waiting!(timeout_ms = 5_000, hedge(p95, min_samples = 20), retry_budget(1.0, burst = 1_000)).async_story(
        async |world| {
            for _ in 0..20 {
                world.call([S.takes(100)]).await;
            }
            let mut delays = Vec::new();
            for _ in 0..50 {
                let ended = world.call([S.takes(400), S.takes(100)]).await.runs(2);
                delays.push(ended.offsets()[1]);
            }
            assert!(delays.windows(2).all(|pair| pair[0] <= pair[1]), "{delays:?}");
            // A percentile is known to 3.2 %.
            assert!(delays[0] >= 96, "{delays:?}");
        },
    );
}

#[test]
fn a_second_copy_pays_its_token_and_never_gets_it_back() {
    waiting!(timeout_ms = 100, hedge = 10ms).async_story(async |world| {
        for _ in 0..10 {
            world.call([HANG, S]).await.ends(S).runs(2);
        }
        // Full at the start: the first call's tenth had no room.
        world.tokens(0.9);
    });
}

/// Where its dependency comes from is the caller's business: a copy starts from the same arguments.
#[test]
fn a_second_copy_sees_the_same_attempt() {
    waiting!(timeout_ms = 100, hedge = 10ms).async_story(async |world| {
        let ended = world.call(Dep::from([HANG, S]).asked_for(7)).await.ends(S);
        let seen: Vec<_> = ended.visits.iter().map(|visit| (visit.attempt, visit.remaining)).collect();
        assert_eq!(seen, [(Some(1), Some(ms(100))), (Some(1), Some(ms(90)))]);
    });
}

#[test]
fn to_22_every_attempt_and_its_copy_share_one_timeout() {
    waiting!(timeout_ms = 100, deadline_ms = 1_000, retries = 2, hedge = 10ms).async_story(async |world| {
        world.call([HANG]).await.ends(timed_out(100)).runs(6).because(Exhausted);
        assert_eq!((world.counts().timed_out, world.counts().retries), (3, 2));
        hedges(world, 3, 0);
    });
}

#[test]
fn hg_19_the_loser_is_dropped_before_the_answer_is_there_and_each_copy_had_its_own_time() {
    #[derive(Default)]
    struct Log {
        left: Mutex<Vec<Duration>>,
        gone: AtomicU32,
    }
    struct Inside<'a>(&'a Log);
    impl Drop for Inside<'_> {
        fn drop(&mut self) {
            self.0.gone.fetch_add(1, SeqCst);
        }
    }
    #[resilient::resilient(timeout_ms = 100, hedge = 10ms)]
    async fn copies(log: &Log) -> Outcome {
        let _inside = Inside(log);
        log.left.lock().unwrap().push(remaining().unwrap());
        let runs = log.left.lock().unwrap().len();
        if runs == 1 { pending().await } else { Ok("second") }
    }
    paused().block_on(testing::isolated(async {
        let log = Log::default();
        assert_eq!(copies(&log).await, Ok("second"));
        assert_eq!(log.gone.load(SeqCst), 2);
        assert_eq!(*log.left.lock().unwrap(), [ms(100), ms(90)]);
    }));
}

#[test]
fn hg_23_what_the_winner_started_goes_on_after_the_answer() {
    #[resilient::resilient(timeout_ms = 100, hedge = 10ms)]
    async fn starts_work(done: &Arc<AtomicU32>, runs: &AtomicU32) -> Outcome {
        if runs.fetch_add(1, SeqCst) == 0 {
            pending::<()>().await;
        }
        let done = done.clone();
        resilient::detach(async move {
            tokio::time::sleep(ms(500)).await;
            done.fetch_add(1, SeqCst);
        });
        Ok("second")
    }
    paused().block_on(testing::isolated(async {
        let (done, runs) = (Arc::default(), AtomicU32::new(0));
        assert_eq!(starts_work(&done, &runs).await, Ok("second"));
        assert_eq!((done.load(SeqCst), runs.load(SeqCst)), (0, 2));
        tokio::time::sleep(ms(501)).await;
        assert_eq!(done.load(SeqCst), 1);
    }));
}

/// A write has no second copy (R10); the key of whoever acts above travels into both copies of a read.
#[test]
fn px_20_both_copies_carry_the_callers_key_and_the_loser_counts_nowhere() {
    waiting!(timeout_ms = 100, hedge = 10ms, breaker = "dep").async_story(async |world| {
        let key = IdempotencyKey::from_parts(["the", "user's", "action"]);
        let ended = with(key.clone(), async { world.call([HANG, S]).await }).await.ends(S).runs(2);
        let keys: Vec<_> = ended.visits.into_iter().map(|visit| visit.key).collect();
        assert_eq!(keys, [Some(key.clone()), Some(key)]);
        world.is(Closed).window(1, 0);
        hedges(world, 1, 1);
    });
}

/// DESIGN §4, the last column of the counting table: the delay is a percentile of answers, and only of answers.
#[test]
fn only_what_answered_says_how_long_an_answer_takes() {
    let policy = waiting!(timeout_ms = 500, hedge(p95, min_samples = 20));
    for (last, counts) in [(S, true), (P, true), (F, false), (Q, false), (O, false)] {
        policy.async_story(async |world| {
            for _ in 0..19 {
                world.call([S.takes(5)]).await.ends(S);
            }
            world.call([last.takes(5)]).await.ends(last);
            world.call([S.takes(400)]).await.ends(S).runs(if counts { 2 } else { 1 });
        });
    }
    // Nor does one whose caller left.
    policy.async_story(async |world| {
        for _ in 0..19 {
            world.call([S.takes(5)]).await.ends(S);
        }
        let left = world.start([HANG]);
        world.pass(5).await;
        left.drop();
        world.call([S.takes(400)]).await.ends(S).runs(1);
    });
}
