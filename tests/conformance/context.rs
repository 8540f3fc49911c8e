//! What travels with a call, as its body sees it.

use crate::{
    clock::{at_once, ms, paused},
    dep::{Dep, F, Fault, HANG, Outcome, PANIC, S},
    world::both,
};
use resilient::{
    Criticality::{self, Critical, Sheddable},
    IdempotencyKey,
    RejectedKind::Deadline,
    attempt, criticality, detach, idempotency_key, remaining, resilient, send_within, spawn, testing, with, within,
    within_blocking,
};
use std::{sync::Mutex, time::Duration};

#[test]
fn an_attempt_sees_the_smaller_of_its_timeout_and_the_time_left() {
    both!(read, timeout_ms = 60, deadline_ms = 150, retries = 2, retry(base_ms = 10, jitter = none), allow(R07, R15))
        .story(async |world| {
            let call = world.call([F.takes(40), F.takes(40), S]).await.ends(S).runs(3).starts([0, 50, 110]);
            let left: Vec<_> = call.visits.iter().map(|visit| visit.remaining.unwrap()).collect();
            assert_eq!(left, [ms(60), ms(60), ms(40)]);
        });
    both!(timeout = none).story(async |world| {
        assert_eq!(world.call([S]).await.visits[0].remaining, None);
    });
    both!(deadline_ms = 150).story(async |world| {
        assert_eq!(world.call([S]).await.visits[0].remaining, Some(ms(150)));
    });
}

#[test]
fn the_shorter_of_two_deadlines_wins() {
    both!(timeout_ms = 60, deadline_ms = 150).story(async |world| {
        let left = |limit| async move { within(ms(limit), world.call([S])).await.visits[0].remaining };
        assert_eq!(left(40).await, Some(ms(40)));
        assert_eq!(left(500).await, Some(ms(60)));
    });
    both!(timeout = none).story(async |world| {
        let left = |outer, inner| {
            within(ms(outer), async move { within(ms(inner), world.call([S])).await.visits[0].remaining })
        };
        assert_eq!(left(100, 500).await, Some(ms(100)));
        assert_eq!(left(500, 100).await, Some(ms(100)));
        let blocking = within_blocking(ms(100), || within_blocking(ms(500), remaining));
        assert_eq!(blocking, Some(ms(100)));
    });
    both!(deadline_ms = 150).async_story(async |world| {
        within(ms(40), world.call([HANG])).await.ends(Deadline).at(40);
        within(ms(400), world.call([HANG])).await.ends(Deadline).at(150);
    });
}

#[test]
fn attempts_carry_the_callers_key_and_criticality_and_their_own_number() {
    both!(read, timeout = none, retries = 2).story(async |world| {
        let key = IdempotencyKey::from_parts(["the", "callers"]);
        let call = with(key.clone(), async { with(Sheddable, world.call([F])).await }).await.runs(3);
        for (visit, number) in call.visits.iter().zip(1..) {
            assert_eq!((visit.attempt, visit.criticality), (Some(number), Sheddable));
            assert_eq!(visit.key.as_ref(), Some(&key));
        }
        let call = world.call([S]).await;
        assert_eq!((call.visits[0].criticality, &call.visits[0].key), (Critical, &None));
    });
}

#[test]
fn an_argument_is_a_nearer_key_than_the_callers() {
    both!(write, idempotency_key = key, timeout = none, retries = 1).story(async |world| {
        let call = with(IdempotencyKey::random(), world.call([F])).await.runs(2);
        assert!(call.visits.iter().all(|visit| visit.key == Some(IdempotencyKey::from_parts(["an", "action"]))));
    });
}

/// Nothing of an attempt is left on the thread: not between the polls of the call, nor after it, nor after a panic.
#[test]
fn the_callers_context_is_back_whenever_the_body_is_not_running() {
    both!(read, timeout_ms = 60, retries = 1).async_story(async |world| {
        let own = || (attempt(), remaining(), criticality(), idempotency_key());
        let nothing = (None, None, Critical, None);
        assert_eq!(own(), nothing);
        let call = world.start([F.takes(10), S.takes(10)]);
        assert_eq!(own(), nothing);
        call.end().await.ends(S);
        assert_eq!(own(), nothing);
        world.start([HANG]).drop();
        world.call([PANIC]).await;
        assert_eq!(own(), nothing);
        within(ms(500), async {
            world.call([F, S]).await.ends(S);
            assert_eq!((attempt(), remaining() <= Some(ms(500))), (None, true));
        })
        .await;
    });
    both!(timeout_ms = 60).sync_story(async |world| {
        within_blocking(ms(500), || {
            at_once(world.call([S.takes(20)])).ends(S);
            at_once(world.call([PANIC]));
            assert_eq!((attempt(), remaining()), (None, Some(ms(480))));
        });
        assert_eq!(remaining(), None);
    });
}

#[test]
fn two_calls_polled_in_turns_do_not_see_each_other() {
    #[resilient(read, timeout_ms = 60, retries = 2)]
    async fn guarded(mine: Criticality, fails: u32) -> Result<(), Fault> {
        for _ in 0..5 {
            assert_eq!(criticality(), mine);
            let number = attempt().unwrap();
            tokio::time::sleep(ms(1)).await;
            assert_eq!((criticality(), attempt()), (mine, Some(number)));
        }
        if attempt().unwrap() <= fails {
            return Err(Fault::Failed { verdict: resilient::Verdict::TRANSIENT, run: 1 });
        }
        Ok(())
    }
    paused().block_on(testing::isolated(async {
        let calls = [(Sheddable, 2), (Critical, 0), (Criticality::CriticalPlus, 1)].map(|(mine, fails)| {
            // Dropping a join handle does not end its task; awaiting all of them does.
            let call = with(mine, guarded(mine, fails));
            spawn(call)
        });
        for call in calls {
            call.await.unwrap().unwrap();
        }
    }));
}

#[test]
fn what_goes_on_the_wire_is_less_than_the_attempt_has_left() {
    #[resilient(timeout_ms = 60, deadline_ms = 200)]
    async fn guarded() -> Result<Option<Duration>, Fault> {
        Ok(send_within())
    }
    paused().block_on(testing::isolated(async {
        assert_eq!(guarded().await.unwrap(), Some(ms(57)));
        assert_eq!(within(ms(10), guarded()).await.unwrap(), Some(ms(9)));
        assert_eq!(within(ms(1), guarded()).await.unwrap(), Some(ms(0)));
    }));
}

#[test]
fn a_task_of_spawn_keeps_what_the_attempt_has_and_one_of_detach_does_not() {
    #[resilient(timeout_ms = 60)]
    async fn guarded() -> Result<(), Fault> {
        let kept = spawn(async { (remaining(), criticality(), idempotency_key().is_some()) }).await.unwrap();
        assert_eq!(kept, (Some(ms(60)), Sheddable, true));
        let left = detach(async { (remaining(), criticality(), idempotency_key().is_some()) }).await.unwrap();
        assert_eq!(left, (None, Critical, false));
        Ok(())
    }
    paused().block_on(testing::isolated(async {
        with(Sheddable, async { with(IdempotencyKey::random(), guarded()).await.unwrap() }).await;
    }));
}

/// A guarded call inside an attempt inherits what is left of it.
#[test]
fn time_gets_shorter_on_the_way_down() {
    #[resilient(timeout_ms = 100, name = "outer")]
    async fn outer(dep: &Dep) -> Outcome {
        tokio::time::sleep(ms(30)).await;
        inner(dep).await
    }
    #[resilient(timeout_ms = 90, name = "inner")]
    async fn inner(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    paused().block_on(testing::isolated(async {
        let dep = [S].into();
        outer(&dep).await.unwrap();
        assert_eq!(dep.visits()[0].remaining, Some(ms(70)));
    }));
}

/// Stale and degraded answers of everything inside, also of tasks that keep the context.
#[test]
fn a_report_lists_what_was_degraded_inside_and_nothing_else() {
    #[resilient(timeout = none, name = "badge", fallback = value("none"))]
    async fn badge(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(timeout = none, name = "page")]
    async fn page() -> Outcome {
        badge(&[F].into()).await
    }
    paused().block_on(testing::isolated(async {
        let (outcome, degraded) = resilient::report(async {
            spawn(async { badge(&[F].into()).await }).await.unwrap().unwrap();
            detach(async { badge(&[F].into()).await }).await.unwrap().unwrap();
            page().await
        })
        .await;
        assert_eq!(outcome, Ok("none"));
        assert_eq!(degraded.iter().map(|one| (one.operation, one.age)).collect::<Vec<_>>(), [("badge", None); 2]);
        assert!(resilient::report(badge(&[S].into())).await.1.is_empty());
    }));
}

/// The inner one is made before the outer one is entered; what counts is where it runs.
#[test]
fn writers_nest_in_one_expression() {
    paused().block_on(async {
        let left = async { remaining() };
        assert_eq!(within(ms(100), within(ms(500), left)).await, Some(ms(100)), "the shorter deadline wins");
        let left = async { (remaining(), criticality()) };
        assert_eq!(within(ms(100), with(Sheddable, left)).await, (Some(ms(100)), Sheddable));
        let both = async { (criticality(), idempotency_key().is_some()) };
        assert_eq!(with(IdempotencyKey::random(), with(Sheddable, both)).await, (Sheddable, true));
    });
    both!(timeout = none, fallback = plan_b).async_story(async |world| {
        let (_, degraded) = resilient::report(within(ms(100), world.call([F]))).await;
        assert_eq!(degraded.len(), 1, "a report sees through a scope");
    });
}

/// The key of one call is not the next one's.
#[test]
fn two_actions_have_two_keys() {
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    #[resilient(write, idempotency_key = key, timeout = none, retries = 1)]
    async fn charge(key: IdempotencyKey) -> Outcome {
        SEEN.lock().unwrap().push(idempotency_key().unwrap().to_string());
        assert_eq!(Some(key), idempotency_key());
        Dep::from([F]).answer().await
    }
    paused().block_on(testing::isolated(async {
        assert!(charge(IdempotencyKey::random()).await.is_err());
        assert!(charge(IdempotencyKey::random()).await.is_err());
    }));
    let seen = SEEN.lock().unwrap();
    assert_eq!(seen.len(), 4);
    assert!(seen[0] == seen[1] && seen[2] == seen[3] && seen[0] != seen[2], "{seen:?}");
}
