//! The breaker from its opening on: how long it refuses, whom it tries out, and what decides.

use crate::{
    clock::ms,
    dep::{F, HANG, O, Outcome, P, PANIC, Q, S, Step},
    world::{World, both},
};
use resilient::{
    BreakerState::{self, Closed, HalfOpen, Open},
    Class, RejectedKind,
    Stop::CircuitOpen,
};

const X: RejectedKind = RejectedKind::Open;

/// Opens it, and waits until it admits probes.
pub async fn until_due(world: &World) {
    for _ in 0..20 {
        if world.breaker_state() == Closed {
            world.call([F]).await;
        }
    }
    world.is(Open).pass(1_000).await;
}

/// What the trial says after probes that find this, one after the other.
async fn trial(world: &World, probes: &[Step]) -> BreakerState {
    for step in probes {
        world.call([*step]).await.runs(1);
    }
    world.breaker().state
}

#[test]
fn px_13_dropped_probes_give_their_slots_back() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0)).async_story(async |world| {
        until_due(world).await;
        let (one, two, mut three) = (world.start([HANG]), world.start([HANG]), world.start([S.takes(10)]));
        world.call([S]).await.ends(X).runs(0);
        one.drop();
        two.drop();
        world.pass(10).await;
        assert!(three.poll());
        world.is(HalfOpen);
        assert_eq!((world.breaker().probes_passed, world.breaker().probes_in_flight), (1, 0));
        let (four, five) = (world.start([S.takes(10)]), world.start([S.takes(10)]));
        world.call([S]).await.ends(X).runs(0);
        four.end().await.ends(S);
        five.end().await.ends(S);
        world.is(Closed);
    });
}

#[test]
fn px_14_a_probe_that_never_ends_loses_its_slot_and_its_late_result() {
    both!(timeout_ms = 60, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 1)).async_story(
        async |world| {
            until_due(world).await;
            // Nobody polls it any more: its own timer cannot end it.
            let mut lost = world.start([F.takes(10)]);
            let refused = world.call([S]).await.ends(X).runs(0).rejection();
            // A timer may be 1 ms late, so the slot is kept for 61 ms.
            assert_eq!(refused.retry_after(), Some(ms(61)));
            world.pass(60).await;
            world.call([S]).await.ends(X).runs(0);
            world.pass(1).await;
            let next = world.start([S.takes(20)]);
            assert!(lost.poll());
            world.is(HalfOpen);
            next.end().await.ends(S);
            world.is(Closed);
        },
    );
}

#[test]
fn px_14_a_probe_that_hangs_is_cut_at_the_probe_timeout() {
    both!(
        timeout_ms = 60,
        breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 1, probe_timeout_ms = 200)
    )
    .async_story(async |world| {
        until_due(world).await;
        world.call([HANG]).await.ends(RejectedKind::TimedOut { limit_ms: 200 }).at(200);
    });
}

/// "Half its timeout" is half the probe's own.
#[test]
fn a_probe_that_is_dropped_before_half_its_own_timeout_decides_nothing() {
    both!(
        timeout_ms = 60,
        breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 1, probe_timeout_ms = 200)
    )
    .async_story(async |world| {
        until_due(world).await;
        let probe = world.start([HANG]);
        world.pass(99).await;
        probe.drop();
        world.is(HalfOpen);
        let probe = world.start([HANG]);
        world.pass(101).await;
        probe.drop();
        world.is(Open);
    });
}

fn is_shed(outcome: &Outcome) -> bool {
    matches!(outcome, Err(error) if error.class() == Class::Overloaded)
}

#[test]
fn px_15_answers_of_success_on_close_it() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, success_on = is_shed)).story(
        async |world| {
            until_due(world).await;
            assert_eq!(trial(world, &[O, O]).await, HalfOpen);
            assert_eq!(trial(world, &[O]).await, Closed);
        },
    );
}

#[test]
fn px_16_cb_90_cb_91_cb_104_answers_of_ignore_on_decide_nothing_and_give_their_slots_back() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, ignore_on = is_shed)).story(
        async |world| {
            until_due(world).await;
            assert_eq!(trial(world, &[O; 10]).await, HalfOpen);
            assert_eq!((world.breaker().probes_passed, world.breaker().probes_in_flight), (0, 0));
            // The one on the last slot, too.
            assert_eq!(trial(world, &[S, S, O, O]).await, HalfOpen);
            assert_eq!(trial(world, &[S]).await, Closed);
        },
    );
}

#[test]
fn cb_60_cb_61_cb_65_cb_73_refuses_for_its_open_time_and_admits_at_its_end() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 5_000, open_jitter = 0.0)).story(async |world| {
        world.call([F]).await.ends(F);
        let after = async || world.call([S]).await.ends(X).runs(0).rejection().retry_after();
        assert_eq!(after().await, Some(ms(5_000)));
        world.pass(3_000).await;
        assert_eq!(after().await, Some(ms(2_000)));
        world.pass(1_999).await;
        assert_eq!(after().await, Some(ms(1)));
        world.pass(1).await;
        world.call([S]).await.ends(S);
        world.is(HalfOpen);
    });
}

#[test]
fn cb_63_is_open_for_as_long_as_it_was_told() {
    both!(timeout = none, breaker("dep", window = 1, open = 30min, open_cap = 30min, open_jitter = 0.0)).story(
        async |world| {
            world.call([F]).await.ends(F);
            world.pass(15 * 60_000).await;
            world.call([S]).await.ends(X);
            world.pass(15 * 60_000).await;
            world.call([S]).await.ends(S);
        },
    );
}

#[test]
fn cb_64_the_open_time_grows_with_each_reopening() {
    both!(
        timeout = none,
        breaker("dep", window = 1, open_ms = 5_000, open_jitter = 0.0, open_factor = 1.5, probes = 1)
    )
    .story(async |world| {
        world.call([F]).await.ends(F);
        world.pass(3_000).await;
        world.call([F]).await.ends(X);
        world.pass(3_000).await;
        world.call([F]).await.ends(F);
        world.pass(6_000).await;
        assert_eq!(world.call([F]).await.ends(X).rejection().retry_after(), Some(ms(1_500)));
        world.pass(5_000).await;
        world.call([S]).await.ends(S);
        // After a close it starts again.
        world.call([F]).await.ends(F);
        assert_eq!(world.call([F]).await.ends(X).rejection().retry_after(), Some(ms(5_000)));
    });
}

#[test]
fn cb_68_cb_69_cb_70_ours_becomes_half_open_by_a_call_and_not_by_a_timer() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0)).story(async |world| {
        world.call([F]).await.ends(F);
        world.pass(60_000).await;
        world.is(Open);
        world.call([S]).await.ends(S);
        world.is(HalfOpen);
    });
}

/// Eleven calls, a wait longer than the open time after each that was refused; which were refused, and how many ran.
async fn refused(world: &World, calls: u32, succeeds: &[u32]) -> (Vec<u32>, u32) {
    let mut refused = Vec::new();
    for call in 1..=calls {
        let next = world.runs() + 1;
        let step = if succeeds.contains(&next) { S } else { F };
        if world.call([step]).await.visits.is_empty() {
            refused.push(call);
            world.pass(2_000).await;
        }
    }
    (refused, world.runs())
}

#[test]
fn cb_80_one_probe_that_passes_closes_it() {
    both!(
        timeout = none,
        breaker("dep", window = 4, failure_rate = 0.75, open_ms = 1_000, open_jitter = 0.0, probes = 1)
    )
    .story(async |world| assert_eq!(refused(world, 11, &[5]).await, (vec![5, 11], 9)));
}

#[test]
fn cb_81_a_third_probe_that_fails_opens_it() {
    both!(
        timeout = none,
        breaker("dep", window = 4, failure_rate = 0.75, open_ms = 1_000, open_jitter = 0.0, probes = 3)
    )
    .story(async |world| assert_eq!(refused(world, 9, &[5, 6]).await, (vec![5, 9], 7)));
}

#[test]
fn cb_83_a_success_that_fills_the_window_opens_it() {
    both!(
        timeout = none,
        breaker("dep", window = 4, failure_rate = 0.75, open_ms = 1_000, open_jitter = 0.0, probes = 1)
    )
    .story(async |world| assert_eq!(refused(world, 11, &[4, 5, 9]).await, (vec![5, 11], 9)));
}

#[test]
fn cb_74_successes_close_it_without_a_rejection() {
    both!(timeout = none, breaker("dep", window = 4, failure_rate = 0.75, open_ms = 1, open_jitter = 0.0, probes = 2))
        .story(async |world| {
            world.calls(4, &[F]).await;
            world.pass(500).await;
            world.calls(3, &[S]).await;
            assert_eq!((world.runs(), world.counts().open), (7, 0));
        });
}

#[test]
fn cb_84_cb_95_cb_96_every_transition_of_a_trial() {
    both!(timeout = none, breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2)).story(
        async |world| {
            until_due(world).await;
            assert_eq!(trial(world, &[S]).await, HalfOpen);
            assert_eq!(trial(world, &[F]).await, Open);
            world.pass(1_000).await;
            assert_eq!(trial(world, &[S, S]).await, Closed);
            assert_eq!(world.breaker().opened, 2);
            world.window(0, 0);
        },
    );
}

#[test]
fn cb_86_cb_103_cb_105_a_slot_is_in_use_until_its_probe_ends() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0)).async_story(async |world| {
        until_due(world).await;
        assert_eq!(trial(world, &[S, S]).await, HalfOpen);
        let third = world.start([S.takes(100)]);
        world.call([S]).await.ends(X).runs(0);
        third.drop();
        let third = world.start([S.takes(100)]);
        world.call([S]).await.ends(X).runs(0);
        third.end().await.ends(S);
        world.is(Closed);
    });
}

#[test]
fn cb_88_cb_98_cb_99_cb_100_cb_101_a_trial_is_decided_as_soon_as_it_can_be() {
    macro_rules! trials {
        ($probes:literal, $passes:literal: $($calls:expr => $state:ident),+) => {
            let policy = both!(
                timeout = none,
                breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = $probes, passes = $passes)
            );
            policy.story(async |world| {
                $(
                    until_due(world).await;
                    assert_eq!(trial(world, &$calls).await, $state, "{} of {}", $passes, $probes);
                    // Undecided ones are decided, and open ones tried again, before the next.
                    for _ in 0..2 * $probes {
                        if world.breaker_state() == Open {
                            world.pass(1_000).await;
                        }
                        if world.breaker_state() != Closed {
                            world.call([S]).await;
                        }
                    }
                    world.is(Closed);
                )+
            });
        };
    }
    trials!(3, 3: [S, S] => HalfOpen, [S, S, F] => Open, [F] => Open, [S, F] => Open, [S, S, S] => Closed);
    trials!(4, 3: [F] => HalfOpen, [S, F, S, F] => Open, [S, F, S, S] => Closed, [F, S, S, S] => Closed);
    trials!(3, 2: [F, S] => HalfOpen, [F, S, F] => Open, [F, S, S] => Closed);
    trials!(4, 2: [S, F, F] => HalfOpen, [S, F, F, F] => Open);
}

#[test]
fn cb_89_a_slow_probe_fails() {
    both!(timeout = none, breaker("dep", window = 2, open_ms = 1_000, open_jitter = 0.0, slow_ms = 4_000, probes = 1))
        .story(async |world| {
            until_due(world).await;
            assert_eq!(trial(world, &[S.takes(4_001)]).await, Open);
            world.pass(1_000).await;
            assert_eq!(trial(world, &[S.takes(4_000)]).await, Closed);
        });
    // Half of four would be too many: the second decides, however the others end.
    both!(
        timeout = none,
        breaker(
            "dep",
            window = 2,
            open_ms = 1_000,
            open_jitter = 0.0,
            slow_ms = 4_000,
            slow_rate = 0.5,
            probes = 4,
            passes = 3
        )
    )
    .story(async |world| {
        until_due(world).await;
        assert_eq!(trial(world, &[S.takes(4_001), S]).await, HalfOpen);
        assert_eq!(trial(world, &[S.takes(4_001)]).await, Open);
        assert_eq!(world.breaker().opened, 2);
    });
}

/// Polly admits nobody however long a probe takes; ours takes the slot back, see `px_14`.
#[test]
fn cb_93_ours_refuses_during_a_probe_but_not_for_ever() {
    both!(timeout_ms = 60, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 1)).async_story(
        async |world| {
            until_due(world).await;
            let lost = world.start([HANG]);
            world.call([S]).await.ends(X);
            world.pass(100).await;
            world.call([S]).await.ends(S);
            lost.drop();
        },
    );
}

#[test]
fn cb_94_cb_106_an_answer_closes_it_whatever_it_says() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 2)).story(
        async |world| {
            until_due(world).await;
            assert_eq!(trial(world, &[P, Q]).await, Closed);
        },
    );
}

#[test]
fn a_probe_is_one_attempt() {
    both!(read, timeout = none, retries = 2, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0)).story(
        async |world| {
            world.call([F]).await.ends(F).runs(3);
            world.is(Open).pass(1_000).await;
            world.call([F, S]).await.ends(F).runs(1).because(CircuitOpen);
            world.is(Open);
        },
    );
}

#[test]
fn cb_121_a_panic_is_a_failure() {
    both!(timeout = none, breaker("dep", window = 2)).story(async |world| {
        world.call([PANIC]).await.ends(PANIC);
        world.window(1, 1);
        world.call([PANIC]).await.ends(PANIC);
        world.is(Open);
    });
}
