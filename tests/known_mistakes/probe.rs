//! The slot of a probe: the commonest mistake of all breakers is to lose it.

use crate::{
    dep::{F, HANG, S},
    world::{World, both, waiting},
};
use resilient::{
    BreakerState::*,
    RejectedKind::{Limited, Open as Refused},
};

/// Opens the breaker and lets its open time of a second go by.
async fn until_due(world: &World) {
    world.call([F]).await;
    world.is(Open).pass(1_000).await;
}

/// Successes that grow old in the window while the trial still counts its admissions: nobody is let in any more.
#[test]
fn t03_probes_far_apart_close_the_breaker() {
    both!(timeout = none, breaker("dep", window_ms = 40, min_calls = 1, open_ms = 1_000, open_jitter = 0.0)).story(
        async |world| {
            until_due(world).await;
            for _ in 0..3 {
                world.call([S]).await.ends(S);
                world.pass(60).await;
            }
            world.is(Closed);
        },
    );
}

/// A probe that is dropped never reports, and a slot that only a report returns is gone.
#[test]
fn t07_a_dropped_probe_does_not_wedge_the_breaker() {
    let policy = waiting!(
        timeout_ms = 100,
        breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 1),
        bulkhead(1, max_wait_ms = 50),
        rate_limit("10/s", burst = 1, max_wait_ms = 450)
    );
    policy.async_story(async |world| {
        until_due(world).await;
        for _ in 0..20 {
            // In the body, or waiting for its turn, and behind it one that waits for the permit.
            let (probe, waiting) = (world.start([HANG]), world.start([HANG]));
            assert_eq!(world.breaker().probes_in_flight, 1);
            waiting.drop();
            probe.drop();
            assert_eq!(world.breaker().probes_in_flight, 0);
        }
        world.call([S]).await.ends(S);
        world.is(Closed);
    });
}

/// A slot that is leased for as long as an attempt may take runs out while its probe waits for a rate permit. Then others
/// take it, and no probe's answer counts.
#[test]
fn t07_a_probe_that_waits_for_its_turn_keeps_its_slot() {
    let policy = waiting!(
        timeout_ms = 20,
        breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 2),
        rate_limit("10/s", burst = 1, max_wait_ms = 450)
    );
    policy.async_story(async |world| {
        until_due(world).await;
        world.call([S]).await.ends(S);
        let second = world.start([S.takes(10)]);
        world.pass(50).await;
        world.call([S]).await.ends(Refused).runs(0);
        second.end().await.ends(S).runs(1);
        world.is(Closed);
        assert_eq!(world.breaker().opened, 1);
    });
}

#[test]
fn t07_a_probe_that_the_rate_limit_refuses_gives_its_slot_back() {
    let policy = both!(
        timeout = none,
        breaker("dep", window = 1, open_ms = 100, open_jitter = 0.0, probes = 1),
        rate_limit("1/s", burst = 1)
    );
    policy.story(async |world| {
        world.call([F]).await;
        world.is(Open).pass(100).await;
        for _ in 0..20 {
            world.call([S]).await.ends(Limited);
        }
        world.pass(1_000).await;
        world.call([S]).await.ends(S);
        world.is(Closed);
    });
}

/// A success from before, booked as a probe's, takes one away that nobody had counted.
#[test]
fn t07b_a_late_success_of_the_closed_state_is_no_probes() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0)).async_story(async |world| {
        let old: Vec<_> = (0..5).map(|_| world.start([S.takes(1_500)])).collect();
        until_due(world).await;
        world.call([S]).await.ends(S);
        world.is(HalfOpen);
        for call in old {
            call.end().await.ends(S);
            let now = world.breaker();
            assert_eq!((now.state, now.probes_in_flight, now.probes_passed), (HalfOpen, 0, 1));
        }
        world.calls(2, &[S]).await;
        world.is(Closed);
    });
}
