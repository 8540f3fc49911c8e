//! Plan B: when it answers, with what, and when it must not.

use crate::{
    clock::{ms, paused},
    dep::{BODY, Dep, F, Fault, HANG, Outcome, P, PANIC, S},
    ended::timed_out,
    world::{Both, both},
};
use resilient::{
    BreakerState::Open,
    RejectedKind::{self, Deadline},
    Stop::{Exhausted, NotRepeatable},
    report, testing, within,
};

#[test]
fn fb_01_fb_02_plan_b_answers_once_after_all_attempts() {
    both!(read, timeout = none, retries = 1, fallback = plan_b).story(async |world| {
        world.call([F]).await.ends("plan b").runs(2).plans(1).because(Exhausted);
        assert_eq!((world.counts().fallback, world.counts().failed, world.counts().succeeded), (1, 1, 0));
    });
    both!(read, timeout = none, retries = 2, fallback = plan_b).story(async |world| {
        world.call([F]).await.ends("plan b").runs(3).plans(1);
    });
}

#[test]
fn fb_03_plan_b_answers_after_the_last_timeout() {
    both!(read, timeout_ms = 100, retries = 1, fallback = plan_b).async_story(async |world| {
        world.call([HANG]).await.ends("plan b").runs(2).plans(1);
    });
}

#[test]
fn fb_04_plan_b_alone() {
    both!(timeout = none, fallback = plan_b).story(async |world| {
        world.call([F]).await.ends("plan b").runs(1).plans(1);
    });
}

/// In other suites the fallback's own error is the answer; ours returns the one that was not asked for.
#[test]
fn fb_06_ours_returns_the_original_error_of_a_plan_b_that_fails() {
    both!(timeout = none, fallback = plan_b).story(async |world| {
        world.call(Dep::from([F]).plan([P])).await.ends(F).runs(1).plans(1);
        assert_eq!((world.counts().fallback, world.counts().failed), (0, 1));
    });
}

#[test]
fn a_plan_b_that_is_late_is_given_up_for_the_original_error() {
    both!(timeout_ms = 60, fallback = plan_b).async_story(async |world| {
        world.call(Dep::from([F]).plan([HANG])).await.ends(F).plans(1).at(60);
        world.call(Dep::from([F.takes(50)]).plan([S.takes(59)])).await.ends("plan b").at(109);
        assert_eq!(world.counts().fallback, 1);
    });
    both!(timeout_ms = 60, fallback(plan_b, timeout_ms = 200)).async_story(async |world| {
        world.call(Dep::from([HANG]).plan([HANG])).await.ends(timed_out(60)).at(260);
        world.call(Dep::from([F]).plan([S.takes(199)])).await.ends("plan b");
    });
}

#[test]
fn fb_07_fb_08_fb_24_an_answer_of_the_dependency_is_the_answer() {
    both!(timeout = none, fallback = plan_b).story(async |world| {
        world.call([P]).await.ends(P).plans(0).because(NotRepeatable);
    });
    both!(timeout = none, fallback(plan_b, on = any)).story(async |world| {
        world.call([P]).await.ends("plan b").plans(1);
    });
}

#[test]
fn fb_11_a_success_has_no_use_for_it() {
    both!(timeout = none, fallback = plan_b).story(async |world| {
        world.call([S]).await.ends(S).plans(0);
        assert_eq!(world.counts().fallback, 0);
    });
}

#[test]
fn fb_13_plan_b_is_told_that_the_breaker_is_open() {
    both!(timeout = none, breaker("dep", window = 1), fallback(plan_b_told, error)).story(async |world| {
        let told = world.call([F]).await.ends("plan b").told;
        assert!(matches!(&told[..], [Some(Fault::Failed { run: 1, .. })]), "{told:?}");
        world.is(Open);
        let call = world.call([S]).await.ends("plan b").runs(0);
        let [Some(Fault::Rejected(told))] = &call.told[..] else { panic!("{call:?}") };
        assert_eq!(told.kind(), RejectedKind::Open);
    });
}

#[test]
fn fb_17_a_caller_that_left_gets_no_plan_b() {
    both!(read, timeout_ms = 100, retries = 1, fallback = plan_b).async_story(async |world| {
        let call = world.start([HANG]);
        let dep = call.dep.clone();
        call.drop();
        assert!(dep.told().is_empty());
    });
    // Nor does one that leaves while plan B is at it.
    both!(timeout_ms = 100, fallback = plan_b).async_story(async |world| {
        let call = world.start(Dep::from([F]).plan([HANG]));
        assert_eq!(call.dep.told().len(), 1);
        call.drop();
        // The call had failed before it was left.
        assert_eq!((world.counts().fallback, world.counts().failed), (0, 1));
    });
}

#[test]
fn a_panic_is_not_answered_for() {
    both!(timeout = none, fallback = plan_b).story(async |world| {
        world.call([PANIC]).await.ends(PANIC).plans(0);
    });
}

/// FB-18 is a mistake of order that ours does not have: a fallback outside of the retries.
#[test]
fn fb_18_ours_repeats_before_it_falls_back() {
    both!(read, timeout = none, retries = 2, fallback = plan_b).story(async |world| {
        world.call([F, F, S]).await.ends(S).runs(3).plans(0);
    });
}

#[test]
fn px_22_a_plan_b_that_is_guarded_itself_has_the_last_word() {
    #[resilient::resilient(timeout = none, name = "primary", fallback = secondary)]
    async fn primary(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient::resilient(timeout = none, name = "secondary")]
    async fn secondary(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    paused().block_on(testing::isolated(async {
        let dep = [F, P].into();
        assert_eq!(primary(&dep).await, Err(Fault::Failed { verdict: resilient::Verdict::PERMANENT, run: 2 }));
        assert_eq!(dep.visits().len(), 2);
        let dep = [F, S].into();
        assert_eq!(primary(&dep).await, Ok(BODY));
    }));
}

fn not_needed() -> &'static str {
    panic!("a success has no use for it")
}

#[test]
fn a_default_and_a_value_answer_too_and_a_value_only_when_it_is_needed() {
    both!(timeout = none, fallback = default).story(async |world| {
        world.call([F]).await.ends("").runs(1);
        world.call([P]).await.ends(P);
        world.call([S]).await.ends(S);
        assert_eq!(world.counts().fallback, 1);
    });
    both!(timeout = none, fallback = value("value")).story(async |world| {
        world.call([F]).await.ends("value").runs(1);
        world.call([P]).await.ends(P);
    });
    both!(timeout = none, fallback = value(not_needed())).story(async |world| {
        world.call([S]).await.ends(S);
    });
    both!(timeout = none, fallback(value("value"), on = any)).story(async |world| {
        world.call([P]).await.ends("value");
    });
}

#[test]
fn fb_21_every_form_answers_for_a_deadline() {
    let forms: [(Both, &'static str); 3] = [
        (both!(deadline_ms = 100, fallback = plan_b), "plan b"),
        (both!(deadline_ms = 100, fallback = default), ""),
        (both!(deadline_ms = 100, fallback = value("value")), "value"),
    ];
    for (policy, answer) in forms {
        policy.async_story(async |world| {
            world.call([HANG]).await.ends(answer).at(100);
            assert_eq!((world.counts().deadline, world.counts().fallback), (1, 1));
        });
    }
    both!(deadline_ms = 100).async_story(async |world| {
        world.call([HANG]).await.ends(Deadline).at(100);
    });
}

#[test]
fn every_use_is_in_the_callers_report() {
    both!(timeout = none, fallback = plan_b).async_story(async |world| {
        let (_, degraded) = report(async {
            world.call([S]).await.ends(S);
            world.call([F]).await.ends("plan b");
            // One that failed is no answer.
            world.call(Dep::from([F]).plan([F])).await.ends(F);
            world.call([F]).await.ends("plan b");
        })
        .await;
        assert_eq!(degraded.len(), 2);
        assert_eq!(degraded[0].operation, world.now().operation);
        assert_eq!(degraded[0].age, None);
    });
}

/// A plan B inside the caller's deadline sees what is left of it, not of the attempt that failed.
#[test]
fn plan_b_reads_its_own_time() {
    #[resilient::resilient(timeout_ms = 60, fallback = plan)]
    async fn guarded(_seen: &std::cell::Cell<Option<std::time::Duration>>) -> Result<u32, Fault> {
        Dep::from([HANG]).answer().await.map(|_| 0)
    }
    async fn plan(seen: &std::cell::Cell<Option<std::time::Duration>>) -> Result<u32, Fault> {
        seen.set(resilient::remaining());
        assert_eq!(resilient::attempt(), None);
        Ok(1)
    }
    paused().block_on(testing::isolated(async {
        let seen = std::cell::Cell::new(None);
        assert_eq!(guarded(&seen).await, Ok(1));
        assert_eq!(seen.get(), Some(ms(60)));
        assert_eq!(within(ms(100), guarded(&seen)).await, Ok(1));
        assert_eq!(seen.get(), Some(ms(40)));
    }));
}

/// Only an annotated plan B has the last word, not one that merely calls something annotated.
#[test]
fn a_plain_plan_b_that_calls_a_guarded_function_gives_way_to_the_original_error() {
    #[resilient::resilient(timeout = none, name = "primary", fallback = plan)]
    async fn primary(dep: &Dep, other: &Dep) -> Outcome {
        dep.answer().await
    }
    async fn plan(_dep: &Dep, other: &Dep) -> Outcome {
        secondary(other).await
    }
    #[resilient::resilient(timeout = none, name = "secondary")]
    async fn secondary(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    paused().block_on(testing::isolated(async {
        let (dep, other) = ([F].into(), [P].into());
        assert_eq!(primary(&dep, &other).await, Err(Fault::Failed { verdict: resilient::Verdict::TRANSIENT, run: 1 }));
    }));
}
