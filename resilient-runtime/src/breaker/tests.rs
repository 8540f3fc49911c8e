//! The breaker by a clock that the tests feed by hand.

use super::*;
use crate::time::now;
use resilient_policy::Window as WindowSettings;

mod closed;
mod constant;
mod half_open;
mod histories;
mod model;
mod operator;
mod windows;

const OK: Sample = Sample::Success { slow: false };
const BAD: Sample = Sample::Failure { slow: false };
const SLOW: Sample = Sample::Success { slow: true };
const SLOW_BAD: Sample = Sample::Failure { slow: true };
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

fn over(span: Duration, min_calls: u32) -> Settings {
    Settings { window: WindowSettings::Time { span }, ..settings(0, min_calls) }
}

fn aged(window: u32, max_age: Duration, min_calls: u32) -> Settings {
    Settings { window: WindowSettings::Count { size: window, max_age: Some(max_age) }, ..settings(window, min_calls) }
}

fn breaker(settings: Settings) -> &'static Breaker {
    Box::leak(Box::new(Breaker::new(settings)))
}

/// The next midnight of the process's clock, where buckets of every usual width begin.
fn start() -> Moment {
    const DAY: u64 = 86_400_000_000_000;
    let now = now();
    now.after(Duration::from_nanos(DAY - now.nanos() % DAY))
}

/// One call at `at`; whether it was admitted.
fn call(breaker: &'static Breaker, at: Moment, sample: Sample) -> bool {
    breaker.admit(at, None).map(|ticket| ticket.record(sample, at)).is_ok()
}

/// Runs calls one after the other at one moment; returns how many were admitted.
fn feed(breaker: &'static Breaker, samples: &[Sample]) -> usize {
    let at = start();
    samples.iter().filter(|sample| call(breaker, at, **sample)).count()
}

fn state(breaker: &Breaker) -> BreakerState {
    breaker.snapshot(start()).state
}

/// A breaker that just opened, and the moment its open time is over.
fn opened(settings: Settings) -> (&'static Breaker, Moment) {
    let breaker = breaker(settings);
    feed(breaker, &vec![BAD; settings.min_calls() as usize]);
    assert_eq!(state(breaker), BreakerState::Open);
    (breaker, due(breaker).unwrap())
}

/// When the open time is over.
fn due(breaker: &Breaker) -> Option<Moment> {
    match breaker.lock().state {
        State::Open { until } => Some(until),
        _ => None,
    }
}
