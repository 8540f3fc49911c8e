//! What an operator does to a breaker, and what the registry does.

use super::*;

#[test]
fn cb_110_cb_116_forced_open_refuses_everybody_and_knows_no_end() {
    let breaker = breaker(settings(4, 4));
    breaker.force(Some(Forced::Open));
    for at in [start(), start().after(MS * 6_000)] {
        assert_eq!(breaker.admit(at, None).unwrap_err().retry_after, None);
        assert_eq!(breaker.peek(at).unwrap_err().retry_after, None);
    }
    let now = breaker.snapshot(start());
    assert_eq!((now.state, now.opened), (BreakerState::ForcedOpen, 0));
    breaker.force(None);
    assert_eq!(state(breaker), BreakerState::Closed);
    assert!(call(breaker, start(), OK));
}

/// Others keep no counts in a breaker that is switched off; ours go on, so that one sees whether to switch it on again.
#[test]
fn cb_111_forced_closed_never_opens_and_counts() {
    let breaker = breaker(Settings { consecutive: Some(3), ..settings(4, 4) });
    breaker.force(Some(Forced::Closed));
    assert_eq!(feed(breaker, &[BAD; 100]), 100);
    let now = breaker.snapshot(start());
    assert_eq!((now.state, now.calls, now.failures, now.would_open), (BreakerState::ForcedClosed, 4, 4, 0));
}

#[test]
fn cb_112_observed_it_counts_and_says_once_that_it_would_open() {
    for settings in [settings(5, 5), over(MS * 1_000, 5), aged(5, MS * 1_000, 5)] {
        let breaker = breaker(settings);
        breaker.force(Some(Forced::Observe));
        assert_eq!(feed(breaker, &[BAD, BAD, BAD, OK, OK, BAD, BAD]), 7);
        let now = breaker.snapshot(start());
        assert_eq!((now.state, now.would_open, now.opened), (BreakerState::Observing, 1, 0));
    }
}

#[test]
fn a_second_episode_is_said_again() {
    for settings in [settings(4, 4), over(MS * 1_000, 4)] {
        let breaker = breaker(settings);
        breaker.force(Some(Forced::Observe));
        for (n, episodes) in [(0, 1), (1, 1), (2, 2)] {
            let at = start().after(MS * 2_000 * n);
            let sample = if n == 1 { OK } else { BAD };
            (0..4).for_each(|_| assert!(call(breaker, at, sample)));
            assert_eq!(breaker.snapshot(at).would_open, episodes);
        }
    }
}

#[test]
fn an_episode_ends_with_the_first_call_after_what_failed_has_grown_old() {
    let breaker = breaker(over(MS * 1_000, 1));
    breaker.force(Some(Forced::Observe));
    assert!(call(breaker, start(), BAD));
    let later = start().after(MS * 2_000);
    assert!(call(breaker, later, OK));
    assert_eq!(breaker.snapshot(later).would_open, 1);
    assert!(call(breaker, later, BAD));
    assert_eq!(breaker.snapshot(later).would_open, 2);
}

#[test]
fn cb_114_saying_the_same_twice_changes_nothing() {
    let breaker = breaker(settings(4, 4));
    feed(breaker, &[BAD; 3]);
    breaker.force(None);
    assert_eq!(breaker.snapshot(start()).calls, 3);
    breaker.force(Some(Forced::Observe));
    feed(breaker, &[BAD; 3]);
    breaker.force(Some(Forced::Observe));
    assert_eq!(breaker.snapshot(start()).calls, 3);
}

#[test]
fn cb_115_reset_makes_it_as_good_as_new() {
    let grown = Settings { probes: 1, open_factor: 2.0, ..settings(4, 4) };
    let (breaker, until) = opened(grown);
    assert!(call(breaker, until, BAD));
    assert_eq!(due(breaker).unwrap().since(until), MS * 2_000);
    breaker.reset();
    let now = breaker.snapshot(start());
    assert_eq!((now.state, now.calls, now.failures, now.opened), (BreakerState::Closed, 0, 0, 2));
    feed(breaker, &[BAD; 4]);
    assert_eq!(due(breaker).unwrap().since(start()), MS * 1_000);
    breaker.force(Some(Forced::Open));
    breaker.reset();
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn what_was_admitted_before_the_operator_spoke_is_ignored() {
    let verbs: [fn(&Breaker); 4] = [
        |breaker| breaker.reset(),
        |breaker| breaker.force(Some(Forced::Closed)),
        |breaker| breaker.force(Some(Forced::Observe)),
        |breaker| breaker.recycle(over(MS * 1_000, 1)),
    ];
    for verb in verbs {
        for settings in [settings(1, 1), over(MS * 1_000, 1), aged(1, MS * 1_000, 1)] {
            let breaker = breaker(settings);
            let [bad, good] = [(); 2].map(|()| breaker.admit(start(), None).unwrap());
            verb(breaker);
            good.record(OK, start());
            bad.record(BAD, start());
            let now = breaker.snapshot(start());
            assert_eq!((now.calls, now.opened, now.would_open), (0, 0, 0));
        }
    }
}

#[test]
fn a_probe_that_comes_back_after_the_operator_spoke_decides_nothing() {
    let (breaker, until) = opened(Settings { probes: 1, ..settings(4, 4) });
    let probe = breaker.admit(until, None).unwrap();
    breaker.force(Some(Forced::Open));
    probe.record(OK, until);
    assert_eq!(state(breaker), BreakerState::ForcedOpen);
}

#[test]
fn a_retry_waits_for_nobody_once_it_is_forced_open() {
    let breaker = breaker(settings(4, 4));
    let ticket = breaker.admit(start(), None).unwrap();
    breaker.force(Some(Forced::Observe));
    assert!(ticket.allows_retry());
    breaker.force(Some(Forced::Open));
    assert!(!ticket.allows_retry());
}

#[test]
fn other_numbers_keep_the_state_and_another_window_starts_empty() {
    let open_longer = Settings { open: MS * 9_000, failure_rate: 0.75, ..settings(4, 4) };
    let breaker = breaker(settings(4, 4));
    feed(breaker, &[BAD, BAD, OK]);
    breaker.adopt(open_longer);
    assert_eq!(breaker.snapshot(start()).calls, 3);
    feed(breaker, &[OK, BAD, BAD, BAD]);
    assert_eq!(due(breaker).unwrap().since(start()), MS * 9_000);
    let until = due(breaker).unwrap();
    breaker.adopt(settings(4, 4));
    assert_eq!(due(breaker), Some(until));
    breaker.reset();
    feed(breaker, &[BAD, BAD, OK]);
    let ticket = breaker.admit(start(), None).unwrap();
    breaker.adopt(over(MS * 1_000, 2));
    assert_eq!(breaker.snapshot(start()).calls, 0);
    // It was admitted under other numbers, not by another breaker.
    ticket.record(BAD, start());
    assert_eq!(feed(breaker, &[OK]), 1);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn a_lower_rate_is_in_force_from_the_next_fast_success_on() {
    let breaker = breaker(over(MS * 1_000, 4));
    feed(breaker, &[BAD, OK, OK, OK, OK, OK]);
    breaker.adopt(Settings { failure_rate: 0.1, ..over(MS * 1_000, 4) });
    feed(breaker, &[OK]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn a_trial_under_other_terms_starts_again_and_cannot_get_stuck() {
    let (breaker, until) = opened(Settings { probes: 5, ..settings(4, 4) });
    (0..2).for_each(|_| assert!(call(breaker, until, OK)));
    let old = breaker.admit(until, None).unwrap();
    breaker.adopt(Settings { probes: 2, ..settings(4, 4) });
    old.record(BAD, until);
    assert_eq!(state(breaker), BreakerState::HalfOpen);
    (0..2).for_each(|_| assert!(call(breaker, until, OK)));
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn a_recycled_breaker_knows_nothing_of_the_key_before() {
    let (breaker, until) = opened(settings(4, 4));
    let probe = breaker.admit(until, None).unwrap();
    breaker.force(Some(Forced::Observe));
    feed(breaker, &[BAD; 4]);
    breaker.recycle(over(MS * 1_000, 3));
    drop(probe);
    assert_eq!(breaker.snapshot(start()), super::breaker(over(MS * 1_000, 3)).snapshot(start()));
    assert_eq!(feed(breaker, &[BAD; 4]), 3);
}

#[test]
fn a_breaker_on_which_calls_depend_is_refusing() {
    let (breaker, until) = opened(settings(4, 4));
    assert!(breaker.is_refusing(start()) && breaker.is_refusing(until));
    assert!(!breaker.is_refusing(until.after(MS * 60_000)));
    let probe = breaker.admit(until, None).unwrap();
    assert!(breaker.is_refusing(until.after(MS * 60_000)));
    drop(probe);
    breaker.reset();
    assert!(!breaker.is_refusing(start()));
    breaker.force(Some(Forced::Closed));
    assert!(breaker.is_refusing(start()));
}
