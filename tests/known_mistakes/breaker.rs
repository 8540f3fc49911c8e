//! Windows and states.

use crate::{
    dep::{F, HANG, S},
    world::both,
};
use resilient::{BreakerState::*, RejectedKind::Open as Refused};

/// A rate over everything since the last transition needs as many failures as there were successes.
#[test]
fn t01_a_long_history_does_not_keep_the_breaker_from_opening() {
    both!(timeout = none, breaker("dep", window = 10, failure_rate = 0.5)).story(async |world| {
        for history in [0, 10, 100, 1_000, 10_000] {
            world.calls(history, &[S]).await;
            let mut failures = 0;
            while world.breaker_state() == Closed {
                world.call([F]).await.ends(F);
                failures += 1;
            }
            assert_eq!(failures, if history == 0 { 10 } else { 5 }, "after {history} successes");
            // Back to closed, with an empty window.
            while world.breaker_state() != Closed {
                world.pass(10_000).await;
                world.call([S]).await;
            }
        }
    });
}

/// An open time counted from the *last* failure starts anew with every late result.
#[test]
fn t05_late_failures_do_not_postpone_the_probe() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 100, open_jitter = 0.0)).async_story(async |world| {
        let old: Vec<_> = (1..=20).map(|n| world.start([F.takes(50 * n)])).collect();
        world.call([F.takes(40)]).await.ends(F);
        world.is(Open);
        let opened = world.elapsed();
        for call in old.into_iter().take(2) {
            // At 50 and 100 ms; the others are dropped.
            call.end().await.ends(F);
        }
        world.call([S]).await.ends(Refused);
        world.pass(opened.as_millis() as u64 + 101 - world.elapsed().as_millis() as u64).await;
        world.call([S]).await.ends(S);
    });
}

/// Calls that their callers cut are in no window elsewhere, and in no counter either: a dependency that hangs looks idle.
#[test]
fn t06_calls_that_their_callers_cut_are_seen() {
    both!(timeout_ms = 20, breaker("dep", window = 20)).async_story(async |world| {
        for _ in 0..20 {
            resilient::within(crate::clock::ms(5), world.call([HANG])).await.ends(resilient::RejectedKind::Deadline);
        }
        // Impatience is not the dependency's fault; but it is there to be seen.
        world.window(0, 0).is(Closed);
        assert_eq!((world.counts().calls, world.counts().deadline), (20, 20));
        for _ in 0..20 {
            // Past half of its timeout, it is.
            resilient::within(crate::clock::ms(15), world.call([HANG])).await;
        }
        world.is(Open);
    });
}

/// Milliseconds cut down to whole seconds make a window of nothing, in which one failure is all there is.
#[test]
fn t09_a_window_below_a_second_is_a_window() {
    both!(timeout = none, breaker("dep", window_ms = 900, min_calls = 10)).story(async |world| {
        world.calls(1_000, &[S]).await;
        world.call([F]).await;
        world.is(Closed).window(1_001, 1);
        world.pass(1_000).await;
        world.window(0, 0);
    });
}

/// A breaker that waits for its first window to pass is blind just after a start.
#[test]
fn t10_a_time_window_sees_from_its_first_call_on() {
    both!(timeout = none, breaker("dep", window_ms = 30_000, min_calls = 20)).story(async |world| {
        world.calls(19, &[F]).await;
        world.is(Closed);
        world.call([F]).await;
        world.is(Open);
    });
}

/// An average weighted by the time between two events gives those of one millisecond no weight.
#[test]
fn t11_a_thousand_failures_of_one_moment_are_a_thousand() {
    both!(timeout = none, breaker("dep", window_ms = 1_000, min_calls = 1_001)).story(async |world| {
        world.calls(1_000, &[F]).await;
        world.is(Closed).window(1_000, 1_000);
        world.call([F]).await;
        world.is(Open);
    });
}

/// A window of calls without an age opens on failures of yesterday.
#[test]
fn t17_yesterdays_failures_open_nothing() {
    both!(timeout = none, breaker("dep", window = 10, window_age_ms = 60_000)).story(async |world| {
        world.calls(9, &[F]).await;
        world.pass(86_400_000).await;
        world.call([F]).await;
        world.is(Closed).window(1, 1);
    });
}
