//! Trials.

use super::*;

#[test]
fn px_36_cb_85_cb_103_as_many_probes_as_it_has_and_not_one_more() {
    let (breaker, until) = opened(settings(4, 4));
    let admitted: Vec<_> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (0..2_500).filter_map(|_| breaker.admit(until, None).ok()).collect::<Vec<_>>()))
            .collect();
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    });
    assert_eq!(admitted.len(), 3);
}

#[test]
fn px_13_a_dropped_probe_gives_its_slot_back() {
    let (breaker, until) = opened(settings(4, 4));
    let mut probes: Vec<_> = (0..3).map(|_| breaker.admit(until, None).unwrap()).collect();
    probes.pop().unwrap().record(OK, until);
    drop(probes);
    assert_eq!(state(breaker), BreakerState::HalfOpen);
    let probes: Vec<_> = (0..3).filter_map(|_| breaker.admit(until, None).ok()).collect();
    assert_eq!(probes.len(), 2);
    probes.into_iter().for_each(|probe| probe.record(OK, until));
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn px_14_a_lost_probe_loses_its_slot_and_its_late_result_is_ignored() {
    let (breaker, until) = opened(Settings { probes: 1, ..settings(4, 4) });
    let lost = breaker.admit(until, Some(MS * 60)).unwrap();
    let refused = breaker.admit(until.after(MS * 59), Some(MS * 60)).unwrap_err();
    assert_eq!(refused.retry_after, Some(MS));
    let next = breaker.admit(until.after(MS * 60), Some(MS * 60)).unwrap();
    lost.record(BAD, until);
    assert_eq!(state(breaker), BreakerState::HalfOpen);
    next.record(OK, until);
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn a_trial_ends_as_soon_as_it_is_decided() {
    let trial = |passes, samples: &[Sample]| {
        let (breaker, until) = opened(Settings { probes: 4, passes: Some(passes), ..settings(4, 4) });
        samples.iter().for_each(|sample| breaker.admit(until, None).unwrap().record(*sample, until));
        state(breaker)
    };
    use BreakerState::{Closed, HalfOpen, Open};
    // CB-99, CB-101: two failures of four still leave two passes, three do not.
    assert_eq!(trial(3, &[OK, BAD, OK]), HalfOpen);
    assert_eq!(trial(3, &[OK, BAD, OK, BAD]), Open);
    assert_eq!(trial(2, &[OK, BAD, BAD]), HalfOpen);
    assert_eq!(trial(2, &[OK, BAD, BAD, BAD]), Open);
    assert_eq!(trial(3, &[BAD, OK, OK, OK]), Closed);
}

#[test]
fn a_slow_probe_fails_and_a_throttled_one_passes() {
    let (breaker, until) = opened(Settings { probes: 1, ..settings(4, 4) });
    breaker.admit(until, None).unwrap().record(SLOW, until);
    assert_eq!(state(breaker), BreakerState::Open);
    let until = due(breaker).unwrap();
    breaker.admit(until, None).unwrap().record(Sample::Throttled, until);
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn cb_120_results_of_an_older_generation_change_nothing() {
    let breaker = breaker(settings(4, 4));
    let old: Vec<_> = (0..8).map(|_| breaker.admit(start(), None).unwrap()).collect();
    feed(breaker, &[BAD; 4]);
    let until = due(breaker).unwrap();
    let probes: Vec<_> = (0..3).map(|_| breaker.admit(until, None).unwrap()).collect();
    let mut old = old.into_iter();
    old.by_ref().take(4).for_each(|ticket| ticket.record(BAD, until));
    assert_eq!(breaker.snapshot(until).probes_in_flight, 3);
    probes.into_iter().for_each(|probe| probe.record(OK, until));
    assert_eq!(state(breaker), BreakerState::Closed);
    old.for_each(|ticket| ticket.record(BAD, until));
    assert_eq!(breaker.snapshot(until).calls, 0);
}

#[test]
fn cb_86_cb_90_cb_91_cb_104_what_is_not_counted_gives_its_slot_back() {
    let (breaker, until) = opened(settings(4, 4));
    for _ in 0..4 {
        assert!(call(breaker, until, Sample::Neutral));
    }
    assert!(call(breaker, until, OK) && call(breaker, until, OK) && call(breaker, until, Sample::Neutral));
    let now = breaker.snapshot(until);
    assert_eq!((now.state, now.probes_in_flight, now.probes_passed), (BreakerState::HalfOpen, 0, 2));
    assert!(call(breaker, until, BAD));
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn t3_a_trial_is_decided_by_its_probes_however_far_apart_they_are() {
    let (breaker, until) = opened(over(MS * 40, 4));
    (0..3).for_each(|n| assert!(call(breaker, until.after(MS * 60 * n), OK)));
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn after_a_trial_the_window_is_empty_and_few_calls_are_no_verdict() {
    for settings in [settings(4, 4), over(MS * 1_000, 4), aged(4, MS * 1_000, 4)] {
        let (breaker, until) = opened(settings);
        (0..3).for_each(|_| assert!(call(breaker, until, OK)));
        assert_eq!(breaker.snapshot(until).calls, 0);
        (0..3).for_each(|_| assert!(call(breaker, until, BAD)));
        assert_eq!(state(breaker), BreakerState::Closed);
        assert!(call(breaker, until, BAD));
        assert_eq!(state(breaker), BreakerState::Open);
    }
}

#[test]
fn attempts_of_a_probe_are_not_sampled_but_the_probe_is() {
    let (breaker, until) = opened(Settings { probes: 1, ..settings(4, 4) });
    let probe = breaker.admit(until, None).unwrap();
    probe.sample(BAD, until);
    assert_eq!(breaker.snapshot(until).probes_in_flight, 1);
    assert!(!probe.allows_retry());
    probe.record(OK, until);
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn px_35_a_clock_that_goes_back_opens_no_trial_early() {
    let (breaker, until) = opened(settings(4, 4));
    let now = now();
    let refused = breaker.admit(now, None).unwrap_err();
    assert_eq!(refused.retry_after, Some(until.since(now)));
    assert!(breaker.admit(until, None).is_ok());
}
