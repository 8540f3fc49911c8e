//! The limit on attempts per time, as calls meet it. The limiter's own rows (RL) are tests of its room.

use crate::{
    clock::ms,
    dep::{F, HANG, S},
    ended::timed_out,
    world::{both, waiting},
};
use resilient::{
    BreakerState::{Closed, Open},
    RejectedKind::{Deadline, Limited, Open as IsOpen},
    Stop::{Exhausted, RateLimit},
};

/// Others count the limiter's refusals as attempts, seven of them; ours stops at the first, with the body's error
/// (DESIGN §4: "a permit per attempt, so that retries pay too; a retry refused by it gets its token back").
#[test]
fn co_37_a_retry_that_the_limit_refuses_ends_the_call_and_returns_its_token() {
    both!(read, timeout = none, retries = 6, allow(R34), rate_limit("3/s", burst = 3)).story(async |world| {
        world.call([F]).await.ends(F).runs(3).because(RateLimit);
        world.tokens(8.0);
        assert_eq!((world.counts().retries, world.counts().limited), (2, 0));
    });
}

#[test]
fn rl_35_a_refused_call_hears_when_to_come_back_and_counts_nowhere_else() {
    both!(timeout = none, breaker = "dep", bulkhead = 2, rate_limit("2/s", burst = 1)).story(async |world| {
        world.call([S]).await.ends(S);
        let refused = world.call([S]).await.ends(Limited).runs(0).because(None).rejection();
        assert_eq!(refused.retry_after(), Some(ms(500)));
        assert_eq!((refused.status(), refused.retry_after_secs()), (429, Some(1)));
        world.is(Closed).window(1, 0);
        world.pass(500).await;
        world.call([S]).await.ends(S);
        assert_eq!(world.counts().limited, 1);
    });
}

#[test]
fn rl_34_a_wait_that_is_too_long_is_refused_at_once_and_reserves_nothing() {
    waiting!(timeout = none, rate_limit("10/s", burst = 1, max_wait_ms = 150)).async_story(async |world| {
        world.call([S]).await.ends(S).at(0);
        let (second, third) = (world.start([S]), world.start([S]));
        assert_eq!(third.end().await.ends(Limited).at(0).rejection().retry_after(), Some(ms(200)));
        second.end().await.ends(S).at(100);
    });
}

#[test]
fn whoever_leaves_while_waiting_gives_the_turn_back() {
    waiting!(timeout = none, rate_limit("10/s", burst = 1, max_wait_ms = 150)).async_story(async |world| {
        world.call([S]).await.ends(S);
        world.start([S]).drop();
        world.call([S]).await.ends(S).at(100);
        assert_eq!(world.counts().dropped, 1);
    });
}

#[test]
fn a_turn_after_the_deadline_is_none() {
    waiting!(timeout = none, deadline_ms = 90, rate_limit("10/s", burst = 1, max_wait_ms = 80)).async_story(
        async |world| {
            world.call([S]).await.ends(S);
            world.call([S]).await.ends(Limited).at(0);
            world.pass(60).await;
            // 40 ms for the turn, 50 ms left for the body.
            world.call([HANG]).await.ends(Deadline).runs(1).at(90);
        },
    );
}

#[test]
fn a_breaker_that_opens_during_the_wait_is_asked_again() {
    let policy = waiting!(
        timeout_ms = 50,
        breaker("dep", window = 1, min_calls = 1, open_ms = 10_000),
        rate_limit("10/s", burst = 2, max_wait_ms = 150)
    );
    policy.async_story(async |world| {
        let failing = world.start([HANG]);
        world.call([S]).await.ends(S);
        let waits = world.start([S]);
        failing.end().await.ends(timed_out(50));
        world.is(Open);
        waits.end().await.ends(IsOpen).runs(0).at(100);
    });
}

#[test]
fn a_retry_waits_for_its_turn() {
    let policy = waiting!(
        read,
        timeout_ms = 50,
        deadline_ms = 1_000,
        retries = 1,
        retry(base_ms = 1, cap_ms = 1),
        rate_limit("10/s", burst = 1, max_wait_ms = 150)
    );
    policy.async_story(async |world| {
        world.call([F, S]).await.ends(S).runs(2).starts([0, 100]);
        // Sync functions do not wait (R23), and neither does a retry whose turn comes too late.
        let ended = world.call([F]).await;
        ended.ends(F).because(Exhausted);
    });
}
