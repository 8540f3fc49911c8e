//! What the two copies of one attempt pay and earn.

use crate::{
    clock::ms,
    dep::{F, HANG, P, S, answers},
    world::waiting,
};
use resilient::{RejectedKind, within};

#[test]
fn a_success_of_the_second_copy_is_earned_once() {
    waiting!(timeout_ms = 60, retries = 0, hedge = 10ms, retry_budget(0.1, earn = success)).async_story(
        async |world| {
            world.call([HANG, S]).await.ends(S).runs(2);
            world.tokens(10.0 - 1.0 + 0.1);
        },
    );
    waiting!(timeout_ms = 60, retries = 0, hedge = 10ms, retry_budget(quota)).async_story(async |world| {
        // Two copies that did not pay off, then one that did: its price comes back, and no more.
        for left in [486.0, 472.0] {
            world.call([HANG, HANG]).await.runs(2);
            world.tokens(left);
        }
        world.call([HANG, S]).await.ends(S).runs(2);
        world.tokens(472.0);
    });
}

#[test]
fn a_no_of_the_second_copy_earns_nothing() {
    waiting!(timeout_ms = 60, retries = 0, hedge = 10ms, retry_budget(quota)).async_story(async |world| {
        assert!(world.call([HANG, P]).await.runs(2).outcome.is_some_and(|outcome| outcome.is_err()));
        world.tokens(486.0);
    });
}

#[test]
fn a_retry_that_its_second_copy_saves_is_earned_once() {
    let policy = waiting!(timeout_ms = 60, deadline_ms = 500, retries = 1, hedge = 10ms, retry_budget(quota));
    policy.async_story(async |world| {
        world.call([F, HANG, answers("saved")]).await.ends("saved").runs(3);
        // The retry's 14 are gone with its first copy, the second copy's are back.
        world.tokens(486.0);
    });
}

#[test]
fn two_copies_are_two_of_the_active_ones_until_they_end() {
    waiting!(timeout_ms = 60, retries = 0, hedge = 10ms, retry_budget(active)).async_story(async |world| {
        let calls: Vec<_> = (0..4).map(|_| world.start([HANG])).collect();
        world.pass(10).await;
        let mut calls: Vec<_> = calls;
        calls.iter_mut().for_each(|call| assert!(!call.poll()));
        // Three at the least, whatever the traffic; the fourth call has no second copy.
        assert_eq!(world.counts().hedges, 3);
        world.tokens(0.0);
        drop(calls);
        world.tokens(3.0);
    });
}

/// Found by the histories: a retry is asked for when its attempt is over, both copies of it.
#[test]
fn a_second_copy_that_failed_last_has_given_everything_back_before_a_retry_is_asked_for() {
    waiting!(timeout_ms = 60, deadline_ms = 500, retries = 1, hedge = 10ms, retry_budget(active)).async_story(
        async |world| {
            let mut others = [world.start([HANG]), world.start([HANG])];
            let mut failing = world.start([F.takes(20), F.takes(20), S]);
            world.pass(10).await;
            assert!(!failing.poll());
            world.pass(10).await;
            assert!(!failing.poll());
            others.iter_mut().for_each(|call| assert!(!call.poll()));
            // All three places are taken: the failing call's second copy has one of them until it ends.
            world.tokens(0.0);
            world.pass(10).await;
            assert!(!failing.poll());
            failing.end().await.ends(S).runs(3);
            drop(others);
        },
    );
}

/// How long the caller's time is says nothing about the dependency.
#[test]
fn what_a_callers_own_deadline_cut_is_no_sample_of_the_percentile() {
    waiting!(timeout_ms = 60, hedge(p95, min_samples = 20)).async_story(async |world| {
        for _ in 0..20 {
            within(ms(5), world.call([HANG])).await.ends(RejectedKind::Deadline).runs(1);
        }
        world.call([S.takes(50)]).await.ends(S).runs(1);
        assert_eq!(world.counts().hedges, 0);
    });
}
