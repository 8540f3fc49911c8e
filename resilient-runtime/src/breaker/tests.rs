use super::*;
use resilient_policy::Window as WindowSettings;

const OK: Sample = Sample::Success { slow: false };
const BAD: Sample = Sample::Failure { slow: false };
const MS: Duration = Duration::from_millis(1);

fn settings(window: u32, min_calls: u32) -> Settings {
    Settings {
        window: WindowSettings::Count { size: window, max_age: None },
        min_calls: Some(min_calls),
        open: MS * 1_000,
        open_jitter: 0.0,
        ..Settings::NEW
    }
}

fn breaker(settings: Settings) -> &'static Breaker {
    Box::leak(Box::new(Breaker::new(settings)))
}

/// Runs calls one after the other; returns how many were admitted.
fn feed(breaker: &'static Breaker, samples: &[Sample]) -> usize {
    samples.iter().filter(|sample| breaker.admit(now(), None).map(|ticket| ticket.record(**sample)).is_ok()).count()
}

fn state(breaker: &Breaker) -> BreakerState {
    breaker.snapshot().state
}

/// A breaker that just opened, and the moment its open time is over.
fn opened(settings: Settings) -> (&'static Breaker, Moment) {
    let breaker = breaker(settings);
    feed(breaker, &vec![BAD; settings.min_calls() as usize]);
    assert_eq!(state(breaker), BreakerState::Open);
    let State::Open { until } = breaker.lock().state else { unreachable!() };
    (breaker, until)
}

#[test]
fn cb_01_a_success_that_completes_the_rate_opens_it() {
    let breaker = breaker(settings(4, 4));
    assert_eq!(feed(breaker, &[OK, BAD, BAD]), 3);
    assert_eq!(state(breaker), BreakerState::Closed);
    feed(breaker, &[OK]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn cb_02_the_window_slides() {
    let breaker = breaker(settings(4, 4));
    assert_eq!(feed(breaker, &[OK, BAD, OK, OK, BAD, OK]), 5);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn px_25_the_rate_is_that_of_a_full_window() {
    let breaker = breaker(settings(20, 20));
    feed(breaker, &[[BAD; 10].as_slice(), &[OK; 9]].concat());
    assert_eq!(state(breaker), BreakerState::Closed);
    feed(breaker, &[OK]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn t1_any_history_of_successes_is_forgotten_within_one_window() {
    for history in [0, 10, 100, 10_000] {
        let breaker = breaker(settings(10, 10));
        feed(breaker, &vec![OK; history]);
        let needed = (1..=10).find(|_| feed(breaker, &[BAD]) == 1 && state(breaker) == BreakerState::Open);
        assert!(needed.is_some_and(|n| n <= 10), "after {history} successes");
        assert_eq!(needed.unwrap(), if history == 0 { 10 } else { 5 });
    }
}

#[test]
fn consecutive_means_consecutive() {
    let breaker = breaker(Settings { consecutive: Some(3), ..settings(100, 100) });
    feed(breaker, &[BAD, BAD, OK, BAD, BAD]);
    assert_eq!(state(breaker), BreakerState::Closed);
    feed(breaker, &[BAD]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn cb_130_slow_calls_open_it_too() {
    let slow = |failed: bool| if failed { Sample::Failure { slow: true } } else { Sample::Success { slow: true } };
    let breaker = breaker(Settings { failure_rate: 1.0, ..settings(5, 5) });
    feed(breaker, &[slow(true), slow(false), BAD, OK, slow(false)]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn an_open_breaker_says_when_to_come_back_and_admits_at_that_moment() {
    let (breaker, until) = opened(settings(4, 4));
    let before = now();
    let refused = breaker.admit(before, None).unwrap_err();
    assert_eq!(refused.retry_after, Some(until.since(before)));
    assert!(breaker.peek(before).is_err());
    assert!(breaker.peek(until).is_ok());
    assert!(breaker.admit(until, None).is_ok());
    assert_eq!(state(breaker), BreakerState::HalfOpen);
}

#[test]
fn px_36_as_many_probes_as_it_has_and_not_one_more() {
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
    probes.pop().unwrap().record(OK);
    drop(probes);
    assert_eq!(state(breaker), BreakerState::HalfOpen);
    let probes: Vec<_> = (0..3).filter_map(|_| breaker.admit(until, None).ok()).collect();
    assert_eq!(probes.len(), 2);
    probes.into_iter().for_each(|probe| probe.record(OK));
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn px_14_a_lost_probe_loses_its_slot_and_its_late_result_is_ignored() {
    let (breaker, until) = opened(Settings { probes: 1, ..settings(4, 4) });
    let lost = breaker.admit(until, Some(MS * 60)).unwrap();
    let refused = breaker.admit(until.after(MS * 59), Some(MS * 60)).unwrap_err();
    assert_eq!(refused.retry_after, Some(MS));
    let next = breaker.admit(until.after(MS * 60), Some(MS * 60)).unwrap();
    lost.record(BAD);
    assert_eq!(state(breaker), BreakerState::HalfOpen);
    next.record(OK);
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn a_trial_ends_as_soon_as_it_is_decided() {
    let trial = |passes, samples: &[Sample]| {
        let (breaker, until) = opened(Settings { probes: 4, passes: Some(passes), ..settings(4, 4) });
        samples.iter().for_each(|sample| breaker.admit(until, None).unwrap().record(*sample));
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
    breaker.admit(until, None).unwrap().record(Sample::Success { slow: true });
    assert_eq!(state(breaker), BreakerState::Open);
    let State::Open { until } = breaker.lock().state else { unreachable!() };
    breaker.admit(until, None).unwrap().record(Sample::Throttled);
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn cb_120_results_of_an_older_generation_change_nothing() {
    let breaker = breaker(settings(4, 4));
    let old: Vec<_> = (0..8).map(|_| breaker.admit(now(), None).unwrap()).collect();
    feed(breaker, &[BAD; 4]);
    let State::Open { until } = breaker.lock().state else { unreachable!() };
    let probes: Vec<_> = (0..3).map(|_| breaker.admit(until, None).unwrap()).collect();
    let mut old = old.into_iter();
    old.by_ref().take(4).for_each(|ticket| ticket.record(BAD));
    assert_eq!(breaker.snapshot().probes_in_flight, 3);
    probes.into_iter().for_each(|probe| probe.record(OK));
    assert_eq!(state(breaker), BreakerState::Closed);
    old.for_each(|ticket| ticket.record(BAD));
    assert_eq!(breaker.snapshot().calls, 0);
}

#[test]
fn px_26_the_open_time_is_stretched_by_at_most_its_jitter() {
    let mut times = Vec::new();
    for _ in 0..200 {
        let before = now();
        let (_, until) = opened(Settings { open_jitter: 0.5, ..settings(4, 4) });
        let after = now();
        // It opened between the two looks at the clock, however long this thread was kept waiting.
        assert!(until.since(before) >= MS * 1_000);
        assert!(until.since(after) <= MS * 1_500);
        times.push(until.since(before));
    }
    assert!(times.iter().max().unwrap().saturating_sub(*times.iter().min().unwrap()) > MS * 200);
}

#[test]
fn the_open_time_grows_per_reopening_up_to_its_cap_and_starts_again_after_a_close() {
    let grown = Settings { probes: 1, open_factor: 2.0, open_cap: MS * 3_000, ..settings(4, 4) };
    let (breaker, mut until) = opened(grown);
    let mut waits = Vec::new();
    for sample in [BAD, BAD, BAD, OK] {
        let at = now();
        breaker.admit(until, None).unwrap().record(sample);
        if let State::Open { until: next } = breaker.lock().state {
            waits.push(next.since(at).as_secs());
            until = next;
        }
    }
    assert_eq!(waits, [2, 3, 3]);
    feed(breaker, &[BAD; 4]);
    let State::Open { until } = breaker.lock().state else { unreachable!() };
    assert!(until.since(now()) <= MS * 1_000);
}

#[test]
fn a_healthy_window_is_not_written_to() {
    let breaker = breaker(settings(4, 4));
    feed(breaker, &[OK; 4]);
    let held = breaker.lock();
    // With the lock held, a call that wanted it would hang.
    let word = breaker.word.load(Ordering::Acquire);
    assert_eq!(word & (CLOSED | SPOTLESS), CLOSED | SPOTLESS);
    breaker.admit(now(), None).unwrap().record(OK);
    drop(held);
}
