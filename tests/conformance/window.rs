//! The breaker's window: which calls are in it, and the rates that open it.

use crate::{
    breaker::feed,
    dep::{F, S},
    world::{World, both},
};
use resilient::{
    BreakerState::{Closed, Open},
    Forced, operation,
};

#[test]
fn px_24_the_rate_is_reached_at_its_boundary() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        assert_eq!(feed(world, &[S, F, S]).await, 3);
        world.is(Closed);
        feed(world, &[F]).await;
        world.is(Open);
    });
}

#[test]
fn px_25_a_success_that_completes_the_window_opens_it() {
    both!(timeout = none, breaker = "dep").story(async |world| {
        feed(world, &[[F; 10].as_slice(), &[S; 9]].concat()).await;
        world.is(Closed).window(19, 10);
        feed(world, &[S]).await;
        world.is(Open);
    });
}

#[test]
fn cb_01_opens_by_the_success_that_fills_the_window() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        assert_eq!(feed(world, &[S, F, F, S, S]).await, 4);
        world.is(Open);
    });
}

#[test]
fn cb_02_the_window_slides() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        assert_eq!(feed(world, &[S, F, S, S, F, S]).await, 5);
        world.is(Open);
    });
}

#[test]
fn cb_04_seven_calls_run_four_times() {
    both!(timeout = none, breaker("dep", window = 4, failure_rate = 0.75, open_ms = 50_000)).story(async |world| {
        assert_eq!(feed(world, &[F; 7]).await, 4);
        assert_eq!(world.counts().open, 3);
    });
}

#[test]
fn cb_05_eight_of_ten() {
    both!(timeout = none, breaker("dep", window = 10, failure_rate = 0.8)).story(async |world| {
        feed(world, &[F, F, S, F, F, F, S, F, F]).await;
        world.is(Closed).window(9, 7);
        feed(world, &[F]).await;
        world.is(Open);
    });
}

#[test]
fn cb_06_two_of_two() {
    both!(timeout = none, breaker("dep", window = 2, failure_rate = 1.0)).story(async |world| {
        assert_eq!(feed(world, &[F, F, F]).await, 2);
    });
}

#[test]
fn cb_09_cb_20_as_many_failures_as_the_rate_of_the_window_rounded_up() {
    let policies = [
        (both!(timeout = none, breaker("dep", window = 3)), 3, 2),
        (both!(timeout = none, breaker("dep", window = 4)), 4, 2),
        (both!(timeout = none, breaker("dep", window = 5)), 5, 3),
        (both!(timeout = none, breaker("dep", window = 20)), 20, 10),
        (both!(timeout = none, breaker("dep", window = 10, failure_rate = 0.75)), 10, 8),
    ];
    for (policy, window, needed) in policies {
        policy.story(async |world| {
            let calls = [vec![S; window - needed + 1], vec![F; needed - 1]].concat();
            assert_eq!(feed(world, &calls).await as usize, window);
            world.is(Closed);
        });
        policy.story(async |world| {
            let calls = [vec![S; window - needed], vec![F; needed]].concat();
            assert_eq!(feed(world, &calls).await as usize, window);
            world.is(Open);
        });
    }
}

#[test]
fn cb_11_cb_14_below_the_minimum_there_is_no_rate_and_rejections_are_in_no_window() {
    both!(timeout = none, breaker("dep", window = 10, failure_rate = 0.6)).story(async |world| {
        feed(world, &[S, S, F, F]).await;
        world.is(Closed).window(4, 2);
        feed(world, &[F, F, F, F, S, S]).await;
        // 6 of 10.
        world.is(Open);
        feed(world, &[S, S]).await;
        world.window(0, 0);
        assert_eq!((world.counts().open, world.counts().calls), (2, 12));
    });
}

#[test]
fn cb_19_ours_opens_on_a_success_too() {
    both!(timeout = none, breaker("dep", window = 10)).story(async |world| {
        feed(world, &[[F; 5].as_slice(), &[S; 4]].concat()).await;
        world.is(Closed);
        feed(world, &[S]).await;
        world.is(Open);
    });
}

#[test]
fn cb_24_half_of_the_calls_never_reach_three_of_four() {
    both!(timeout = none, breaker("dep", window = 4, failure_rate = 0.75)).story(async |world| {
        assert_eq!(feed(world, &[S, F].repeat(20)).await, 40);
        world.is(Closed).window(4, 2);
    });
}

#[test]
fn cb_30_ours_opens_at_exactly_half() {
    both!(timeout = none, breaker("dep", window = 2)).story(async |world| {
        feed(world, &[S, F]).await;
        world.is(Open);
    });
}

#[test]
fn cb_31_no_verdict_before_the_minimum() {
    both!(timeout = none, breaker("dep", min_calls = 3)).story(async |world| {
        feed(world, &[F, F]).await;
        world.is(Closed);
        feed(world, &[F]).await;
        world.is(Open);
    });
}

#[test]
fn cb_15_the_oldest_call_leaves_a_full_window() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        let mut seen = Vec::new();
        for step in [F, S, S, S, S] {
            feed(world, &[step]).await;
            seen.push((world.breaker().failures, world.breaker().calls));
        }
        assert_eq!(seen, [(1, 1), (1, 2), (1, 3), (1, 4), (0, 4)]);
    });
}

/// Observed, so that a window over its rates stays one.
#[test]
fn cb_12_cb_16_calls_failures_and_slow_ones_leave_a_full_window_apart() {
    both!(timeout = none, breaker("dep", window = 10)).story(async |world| {
        observed(world).await;
        feed(world, &[[S; 2].as_slice(), &[F; 6], &[S; 4]].concat()).await;
        world.window(10, 6);
        assert_eq!((world.runs(), world.breaker().would_open), (13, 1));
    });
    both!(timeout = none, breaker("dep", window = 2, slow_ms = 100)).story(async |world| {
        observed(world).await;
        let mut seen = Vec::new();
        for step in [F.takes(200), S.takes(200), S, S] {
            feed(world, &[step]).await;
            seen.push((world.breaker().slow, world.breaker().failures));
        }
        assert_eq!(seen, [(1, 1), (2, 1), (1, 0), (0, 0)]);
    });
}

async fn observed(world: &World) {
    world.call([S]).await.ends(S);
    assert!(operation("dep").unwrap().force(Forced::Observe));
    world.window(0, 0);
}
