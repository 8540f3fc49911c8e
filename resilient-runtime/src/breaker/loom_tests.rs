//! Every order in which two or three threads can meet in one breaker.

use super::*;
use loom::thread;
use resilient_policy::Window as WindowSettings;

const OK: Sample = Sample::Success { slow: false };
const BAD: Sample = Sample::Failure { slow: false };
const BUCKETS: u32 = successes::BUCKETS as u32;
const BUCKET: Duration = Duration::from_secs(1);

/// The start of a bucket, counted from the next midnight of the process's clock.
fn at(bucket: u32) -> Moment {
    const DAY: u64 = 86_400_000_000_000;
    let now = crate::time::now();
    now.after(Duration::from_nanos(DAY - now.nanos() % DAY)).after(BUCKET * bucket)
}

/// Every order with up to three preemptions: no known fault of this kind has needed more.
fn model(body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(body);
}

fn timed(min_calls: u32) -> Settings {
    Settings {
        window: WindowSettings::Time { span: BUCKET * BUCKETS },
        min_calls: Some(min_calls),
        open: BUCKET,
        open_jitter: 0.0,
        probes: 1,
        ..Settings::NEW
    }
}

fn breaker(settings: Settings) -> &'static Breaker {
    Box::leak(Box::new(Breaker::new(settings)))
}

fn call(breaker: &'static Breaker, at: Moment, sample: Sample) {
    if let Ok(ticket) = breaker.admit(at, None) {
        ticket.record(sample, at);
    }
}

#[test]
fn loom_at_the_deadline_one_probe_goes_and_one_transition_is_made() {
    model(|| {
        let breaker = breaker(timed(1));
        call(breaker, at(0), BAD);
        let opened = breaker.lock().generation;
        let ask = move || breaker.admit(at(1), None).ok();
        let other = thread::spawn(ask);
        let probes = [ask(), other.join().unwrap()];
        assert_eq!(probes.iter().flatten().filter(|ticket| ticket.is_probe()).count(), 1);
        assert_eq!(probes.iter().flatten().count(), 1);
        assert_eq!(breaker.lock().generation, opened + 1);
    });
}

#[test]
fn loom_a_dropped_probe_and_a_newcomer_share_one_slot() {
    model(|| {
        let breaker = breaker(timed(1));
        call(breaker, at(0), BAD);
        let probe = breaker.admit(at(1), None).unwrap();
        let other = thread::spawn(move || drop(probe));
        let newcomer = breaker.admit(at(1), None).ok();
        other.join().unwrap();
        assert_eq!(breaker.snapshot(at(1)).probes_in_flight, u32::from(newcomer.is_some()));
    });
}

#[test]
fn loom_a_bucket_that_two_threads_start_again_loses_nothing() {
    model(|| {
        let breaker = breaker(timed(100));
        call(breaker, at(0), OK);
        // The same place in the ring, one round later.
        let later = at(BUCKETS);
        let other = thread::spawn(move || call(breaker, later, OK));
        call(breaker, later, OK);
        other.join().unwrap();
        assert_eq!(breaker.snapshot(later).calls, 2);
    });
}

#[test]
fn loom_threads_either_side_of_a_bucket_edge_are_counted_once_each() {
    model(|| {
        let breaker = breaker(timed(100));
        let other = thread::spawn(move || call(breaker, at(0), OK));
        call(breaker, at(1), OK);
        other.join().unwrap();
        assert_eq!(breaker.snapshot(at(1)).calls, 2);
        assert_eq!(breaker.snapshot(at(BUCKETS)).calls, 1);
    });
}

#[test]
fn loom_a_success_and_a_failure_that_complete_the_condition_together_open_it() {
    model(|| {
        let breaker = breaker(timed(2));
        let other = thread::spawn(move || call(breaker, at(0), OK));
        call(breaker, at(0), BAD);
        other.join().unwrap();
        assert_eq!(breaker.snapshot(at(0)).state, BreakerState::Open);
    });
}

#[test]
fn loom_two_successes_that_complete_the_condition_together_open_it_once() {
    model(|| {
        let breaker = breaker(Settings { failure_rate: 0.3, ..timed(3) });
        call(breaker, at(0), BAD);
        let other = thread::spawn(move || call(breaker, at(0), OK));
        call(breaker, at(0), OK);
        other.join().unwrap();
        let now = breaker.snapshot(at(0));
        assert_eq!((now.state, now.opened), (BreakerState::Open, 1));
    });
}

/// An old call's result against what an operator does: nothing of it is in the new window.
fn races(sample: Sample, verb: fn(&Breaker)) {
    model(move || {
        let breaker = breaker(timed(100));
        // With one call in the bucket already, to tell it from the emptied one.
        call(breaker, at(0), OK);
        let ticket = breaker.admit(at(0), None).unwrap();
        let other = thread::spawn(move || ticket.record(sample, at(0)));
        verb(breaker);
        call(breaker, at(0), OK);
        other.join().unwrap();
        let now = breaker.snapshot(at(0));
        assert_eq!((now.calls, now.failures), (1, 0));
    });
}

#[test]
fn loom_an_old_success_is_not_counted_after_a_reset() {
    races(OK, Breaker::reset);
}

#[test]
fn loom_an_old_failure_is_not_counted_after_a_reset() {
    races(BAD, Breaker::reset);
}

#[test]
fn loom_an_old_success_is_not_counted_after_a_force() {
    races(OK, |breaker| breaker.force(Some(Forced::Closed)));
}

#[test]
fn loom_an_old_success_is_not_counted_after_a_recycling() {
    races(OK, |breaker| breaker.recycle(timed(50)));
}

#[test]
fn loom_a_success_during_a_change_of_the_window_is_counted_in_it_or_not_at_all() {
    model(|| {
        let breaker = breaker(timed(100));
        call(breaker, at(3), OK);
        let other = thread::spawn(move || call(breaker, at(3), OK));
        breaker.adopt(Settings { window: WindowSettings::Time { span: BUCKET * BUCKETS * 3 }, ..timed(100) });
        other.join().unwrap();
        assert!(breaker.snapshot(at(3)).calls <= 1);
        assert_eq!(breaker.snapshot(at(3 + 3 * BUCKETS)).calls, 0);
        // Nor does it turn up when the new buckets reach the number of its old one.
        let ghost = at(3).after(Duration::from_nanos(2 * at(3).nanos()));
        assert_eq!(breaker.snapshot(ghost).calls, 0);
    });
}

#[test]
fn loom_an_old_success_is_not_counted_after_it_opened_and_closed_again() {
    model(|| {
        let breaker = breaker(Settings { open: Duration::ZERO, ..timed(1) });
        let ticket = breaker.admit(at(0), None).unwrap();
        let other = thread::spawn(move || ticket.record(OK, at(0)));
        call(breaker, at(0), BAD);
        // The probe, if it opened; else one more call.
        call(breaker, at(0), OK);
        let now = breaker.snapshot(at(0));
        other.join().unwrap();
        if now.opened == 1 && now.state == BreakerState::Closed {
            assert_eq!(breaker.snapshot(at(0)).calls, 0);
        }
    });
}
