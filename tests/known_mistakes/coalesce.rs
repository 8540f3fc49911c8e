//! One run for many: what a leader that has less time than the others does to them.

use crate::{
    clock::ms,
    dep::{Dep, F, Fault, HANG, Outcome, S, Step},
    world::both,
};
use resilient::{
    RejectedKind::Deadline,
    Stop::{Exhausted, NoTime},
    within,
};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

fn asks<const N: usize>(script: [Step; N]) -> Dep {
    Dep::from(script).asked_for(1)
}

/// Polls a future once, and leaves it.
macro_rules! begin {
    ($future:ident) => {
        poll_fn(|cx| {
            assert!($future.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await
    };
}

/// A caller that cannot wait for a retry ends with the first failure; that is its own affair.
#[test]
fn p07_a_leader_without_time_to_repeat_does_not_answer_for_those_who_have_it() {
    let policy =
        both!(|dep| read, timeout_ms = 40, retries = 1, retry(base_ms = 100, jitter = equal), coalesce(key = (dep.id)));
    policy.async_story(async |world| {
        let mut hurried = pin!(within(ms(60), world.call(asks([F.takes(20), S]))));
        begin!(hurried);
        let mut patient = pin!(world.call(asks([F, S])));
        begin!(patient);
        hurried.await.ends(F).because(NoTime);
        patient.await.ends(S).runs(2);
        // A failure that nothing but the dependency is to blame for is an answer to all.
        let mut first = pin!(world.call(asks([F.takes(20), F])));
        begin!(first);
        let mut second = pin!(world.call(asks([S])));
        begin!(second);
        first.await.ends(F).because(Exhausted);
        assert!(second.await.outcome.is_some_and(|outcome| outcome.is_err()));
    });
}

/// Who takes over has what is left of its own deadline, and those who came after it have more.
#[test]
fn p07_a_follower_that_takes_over_at_its_end_takes_nobody_along() {
    both!(|dep| read, timeout = none, deadline_ms = 500, coalesce(key = (dep.id))).async_story(async |world| {
        let (lost, old) = (world.start(asks([HANG])), world.start(asks([HANG])));
        world.pass(400).await;
        let young = world.start(asks([S.takes(10)]));
        world.pass(80).await;
        lost.drop();
        let (old, young) = tokio::join!(old.end(), young.end());
        old.ends(Deadline).runs(1);
        young.ends(S).runs(1);
    });
}

/// A waiter that wakes itself spins until the answer is there.
#[test]
fn t62_a_follower_is_not_polled_in_a_loop() {
    both!(|dep| read, timeout = none, coalesce(key = (dep.id))).async_story(async |world| {
        let leader = world.start(asks([S.takes(95)]));
        let mut follower = pin!(world.call(asks([S])));
        let mut polls = 0;
        let waits = poll_fn(|cx| {
            polls += 1;
            // Here, since a task that spins keeps the paused clock from moving.
            assert!(polls <= 3, "{polls} polls");
            follower.as_mut().poll(cx)
        });
        let (leader, follower) = tokio::join!(leader.end(), tokio::task::unconstrained(waits));
        leader.ends(S);
        follower.ends(S).runs(0);
    });
}

/// A body that asks its own question waits for itself.
#[test]
fn t65_a_body_that_asks_its_own_question_is_cut_in_time() {
    #[resilient::resilient(read, timeout_ms = 50, coalesce)]
    async fn asks_itself(id: u32) -> Outcome {
        Box::pin(asks_itself(id)).await
    }
    crate::clock::paused().block_on(resilient::testing::isolated(async {
        let ended = asks_itself(1).await.unwrap_err();
        assert!(matches!(ended, Fault::Rejected(_)), "{ended:?}");
        assert_eq!(resilient::snapshot()[0].counts.in_flight, 0);
    }));
}

/// Whoever shares an answer shares its age.
#[test]
fn t65_a_follower_hears_that_the_answer_is_stale() {
    #[resilient::resilient(timeout_ms = 50, fallback = value("old"))]
    async fn degraded() -> Outcome {
        tokio::time::sleep(ms(20)).await;
        Err(Fault::Failed { verdict: resilient::Verdict::TRANSIENT, run: 1 })
    }
    #[resilient::resilient(read, timeout_ms = 100, coalesce)]
    async fn page(id: u32) -> Outcome {
        assert_eq!(id, 1);
        degraded().await
    }
    crate::clock::paused().block_on(resilient::testing::isolated(async {
        let (leader, follower) = tokio::join!(resilient::report(page(1)), resilient::report(page(1)));
        assert_eq!(leader.1.len(), 1);
        assert_eq!(follower.1.len(), 1);
    }));
}
