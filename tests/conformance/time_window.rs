//! The breaker's window of time: which calls are in it, and when they leave.
//!
//! Its ten buckets lie on the clock of the process, not on the first call, so a story begins where a bucket does.

use crate::{
    breaker::feed,
    dep::{F, S, Step},
    world::{Both, World, both},
};
use resilient::{
    BreakerState::{Closed, Open},
    RejectedKind,
};

/// At so many milliseconds: a call, or only a look; then the calls in the window, and the failures among them.
type Line = (u64, Option<Step>, (u32, u32));

/// Waits for the beginning of a bucket, to the millisecond: there, what the window held from the last one leaves.
async fn a_bucket_begins(world: &World, window: u64) {
    world.call([S]).await.ends(S);
    world.pass(window - window / 10).await;
    while world.breaker().calls > 0 {
        world.pass(1).await;
    }
}

async fn go_through(world: &World, lines: &[Line]) {
    let begun = world.elapsed();
    for (n, (at, step, expected)) in lines.iter().enumerate() {
        world.pass(at - (world.elapsed() - begun).as_millis() as u64).await;
        if let Some(step) = step {
            world.call([*step]).await.runs(1);
        }
        let now = world.breaker();
        assert_eq!((now.calls, now.failures), *expected, "{:?}: line {n}, {at} ms", world.kind);
    }
}

fn history(policy: Both, window: u64, lines: &[Line]) {
    policy.story(async |world| {
        a_bucket_begins(world, window).await;
        go_through(world, lines).await;
    });
}

#[test]
fn cb_40_a_success_completes_the_rate_of_a_time_window() {
    both!(timeout = none, breaker("dep", window_ms = 20_000, min_calls = 5)).story(async |world| {
        assert_eq!(feed(world, &[F, F, F, S]).await, 4);
        world.is(Closed);
        feed(world, &[S]).await;
        world.is(Open);
        world.call([S]).await.ends(RejectedKind::Open).runs(0);
        assert_eq!(world.counts().open, 1);
    });
}

#[test]
fn cb_42_cb_43_cb_44_cb_45_buckets_leave_whole() {
    let lines = [
        (0, Some(F), (1, 1)),
        (100, Some(S), (2, 1)),
        (200, Some(S), (3, 1)),
        (1_200, Some(S), (4, 1)),
        (2_200, Some(S), (5, 1)),
        (3_200, Some(F), (6, 2)),
        (4_200, Some(S), (7, 2)),
        (5_200, Some(S), (5, 1)),
        (6_200, Some(S), (5, 1)),
        (11_200, Some(S), (1, 0)),
    ];
    history(both!(timeout = none, breaker("dep", window_ms = 5_000)), 5_000, &lines);
}

#[test]
fn cb_47_a_look_sees_that_the_window_has_emptied() {
    let lines = [(0, Some(F), (1, 1)), (100, Some(S), (2, 1)), (800, Some(S), (3, 1)), (5_800, None, (0, 0))];
    history(both!(timeout = none, breaker("dep", window_ms = 5_000)), 5_000, &lines);
}

#[test]
fn cb_48_one_of_ten_buckets_leaves_per_tenth_of_the_span() {
    let mut lines: Vec<Line> = (0..10).map(|n| (n * 1_000, Some(S), (n as u32 + 1, 0))).collect();
    lines.extend([(10_000, None, (9, 0)), (11_000, None, (8, 0))]);
    history(both!(timeout = none, breaker("dep", window_ms = 10_000)), 10_000, &lines);
}

#[test]
fn cb_49_failures_leave_with_their_buckets() {
    let pairs = [(F, (2, 1)), (F, (4, 2)), (S, (6, 2)), (S, (8, 2)), (S, (8, 1))];
    let mut lines = Vec::new();
    for (n, (first, after)) in pairs.into_iter().enumerate() {
        let at = n as u64 * 2_000;
        both_of(&mut lines, at, first);
        lines.push((at + 2_000, None, after));
    }
    lines.push((12_000, None, (6, 0)));
    history(both!(timeout = none, breaker("dep", window_ms = 10_000)), 10_000, &lines);

    /// A pair of calls, with what is in the window after each.
    fn both_of(lines: &mut Vec<Line>, at: u64, first: Step) {
        let (calls, failures) = lines.last().map_or((0, 0), |line| line.2);
        let failures = failures + u32::from(first == F);
        lines.extend([(at, Some(first), (calls + 1, failures)), (at, Some(S), (calls + 2, failures))]);
    }
}

#[test]
fn cb_50_a_call_is_in_the_window_for_less_than_its_span() {
    let lines = [
        (0, Some(S), (1, 0)),
        (0, Some(S), (2, 0)),
        (9_999, None, (2, 0)),
        (10_000, None, (0, 0)),
        (10_001, None, (0, 0)),
    ];
    history(both!(timeout = none, breaker("dep", window_ms = 10_000)), 10_000, &lines);
}

#[test]
fn cb_52_a_short_window_empties_as_exactly_as_a_long_one() {
    let lines = [(0, Some(S), (1, 0)), (0, Some(S), (2, 0)), (99, None, (2, 0)), (100, None, (0, 0))];
    history(both!(timeout = none, breaker("dep", window_ms = 100)), 100, &lines);
}

#[test]
fn cb_53_one_failure_of_five_is_a_fifth() {
    both!(timeout = none, breaker("dep", window_ms = 10_000, min_calls = 5, failure_rate = 0.2)).story(async |world| {
        feed(world, &[F, S, S, S]).await;
        world.is(Closed).window(4, 1);
        feed(world, &[S]).await;
        world.is(Open);
    });
    both!(timeout = none, breaker("dep", window_ms = 10_000, min_calls = 5, failure_rate = 0.21)).story(
        async |world| {
            feed(world, &[F, S, S, S, S]).await;
            world.is(Closed).window(5, 1);
        },
    );
}

#[test]
fn cb_54_two_failures_within_the_span_open_it_and_further_apart_do_not() {
    let policies = [
        both!(timeout = none, breaker("dep", window_ms = 200, min_calls = 2, failure_rate = 1.0)),
        both!(timeout = none, breaker("dep", window = 100, window_age_ms = 200, consecutive = 2)),
    ];
    for policy in policies {
        policy.story(async |world| {
            feed(world, &[F]).await;
            world.pass(201).await;
            feed(world, &[F]).await;
            world.is(Closed).window(1, 1);
            feed(world, &[F]).await;
            world.is(Open);
        });
    }
}

#[test]
fn cb_55_no_verdict_before_enough_calls() {
    both!(timeout = none, breaker("dep", window_ms = 200, min_calls = 3)).story(async |world| {
        feed(world, &[F, S]).await;
        world.is(Closed).window(2, 1);
        feed(world, &[F]).await;
        world.is(Open);
    });
}

#[test]
fn cb_57_cb_58_the_oldest_bucket_drops_and_the_rate_is_of_what_is_left() {
    both!(timeout = none, breaker("dep", window_ms = 30_000, min_calls = 10, failure_rate = 0.6)).story(
        async |world| {
            a_bucket_begins(world, 30_000).await;
            feed(world, &[S; 15]).await;
            for _ in 1..10 {
                world.pass(3_000).await;
                feed(world, &[S, F]).await;
            }
            world.window(33, 9);
            world.pass(3_000).await;
            feed(world, &[F]).await;
            world.window(19, 10);
            feed(world, &[F, F, F]).await;
            // 13 of 22 are 0.591, 14 of 23 are 0.609.
            world.is(Closed).window(22, 13);
            feed(world, &[F]).await;
            world.is(Open);
        },
    );
}
