//! Gradient2: a call that takes much longer than calls took in the long run is a sign of a queue.
//!
//! The numbers of this file are those of `[limits]`.

use std::time::Duration;

/// A call may take this much longer than the long run before the limit shrinks.
const TOLERANCE: f64 = 1.5;
/// Room for a short queue, which the limit grows by while nothing is slower than tolerated.
const QUEUE: f64 = 4.0;
/// How much of each step is taken.
const SMOOTHING: f64 = 0.2;
/// Samples that the long run looks back, once it knows enough.
const LONG_RUN: u32 = 600;
/// Samples before that.
const WARM_UP: u32 = 10;
/// A long run this many times slower than the call at hand is out of date, and is shortened with every sample.
const OUT_OF_DATE: f64 = 2.0;
const SHORTENED: f64 = 0.95;

#[derive(Debug)]
pub(super) struct Gradient2 {
    /// In seconds.
    pub(super) long_run: Average,
}

impl Gradient2 {
    pub(super) fn new() -> Self {
        Self { long_run: Average::new(LONG_RUN) }
    }

    /// The limit after an answer that took `took`.
    pub(super) fn answered(&mut self, limit: f64, took: Duration, busy: bool) -> f64 {
        let short = took.as_secs_f64();
        let long = self.long_run.add(short);
        if long > OUT_OF_DATE * short {
            self.long_run.scale(SHORTENED);
        }
        if !busy {
            return limit;
        }
        let gradient = (TOLERANCE * long / short).clamp(0.5, 1.0);
        let next = limit * gradient + QUEUE;
        limit + (next - limit) * SMOOTHING
    }
}

/// A mean of the first samples, an exponential one after that.
#[derive(Debug)]
pub(super) struct Average {
    window: u32,
    seen: u32,
    sum: f64,
    pub(super) value: f64,
}

impl Average {
    pub(super) fn new(window: u32) -> Self {
        Self { window, seen: 0, sum: 0.0, value: 0.0 }
    }

    pub(super) fn add(&mut self, sample: f64) -> f64 {
        if self.seen < WARM_UP {
            self.seen += 1;
            self.sum += sample;
            self.value = self.sum / f64::from(self.seen);
        } else {
            let share = 2.0 / (f64::from(self.window) + 1.0);
            self.value += (sample - self.value) * share;
        }
        self.value
    }

    pub(super) fn scale(&mut self, by: f64) {
        self.value *= by;
    }
}
