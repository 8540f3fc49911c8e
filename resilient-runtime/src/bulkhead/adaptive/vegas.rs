//! Vegas: the time that a call takes longer than the fastest one did is time in a queue; keep that queue short.

use crate::random;
use std::time::Duration;

/// How a Vegas limit moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// How much of each step is taken, up to 1.
    pub(super) smoothing: f64,
    /// Where the limit goes when the queue is long, or a call failed.
    pub(super) decrease: fn(f64) -> f64,
}

/// As in `[limits]`.
pub(super) const TUNING: Tuning = Tuning { smoothing: 1.0, decrease: |limit| limit - log10(limit) };

/// The baseline is taken anew after about this many samples per permit `[limits]`.
const PROBE_AFTER: f64 = 30.0;

#[derive(Debug)]
pub(super) struct Vegas {
    tuning: Tuning,
    /// What the fastest call took, or the one that was taken as a new baseline.
    pub(super) baseline: Option<Duration>,
    since_probe: f64,
    /// In [0.5, 1), so that a fleet does not probe in step.
    probe_jitter: f64,
}

impl Vegas {
    pub(super) fn new(tuning: Tuning) -> Self {
        Self { tuning, baseline: None, since_probe: 0.0, probe_jitter: jitter() }
    }

    /// The limit after an answer that took `took`.
    pub(super) fn answered(&mut self, limit: f64, took: Duration, busy: bool) -> f64 {
        self.since_probe += 1.0;
        // A dependency that became slower for good would look like one with a queue for ever.
        if self.since_probe >= self.probe_jitter * PROBE_AFTER * limit {
            (self.since_probe, self.probe_jitter, self.baseline) = (0.0, jitter(), Some(took));
            return limit;
        }
        let Some(baseline) = self.baseline.filter(|baseline| *baseline <= took) else {
            self.baseline = Some(took);
            return limit;
        };
        if !busy {
            return limit;
        }
        let step = log10(limit);
        // Little's law: how many of the calls inside are not being served.
        let queue = (limit * (1.0 - baseline.as_secs_f64() / took.as_secs_f64())).ceil();
        let (few, many) = (3.0 * step, 6.0 * step);
        let next = if queue <= step {
            limit + many
        } else if queue < few {
            limit + step
        } else if queue > many {
            (self.tuning.decrease)(limit)
        } else {
            return limit;
        };
        self.smooth(limit, next)
    }

    /// The limit after a failure.
    pub(super) fn failed(&self, limit: f64) -> f64 {
        self.smooth(limit, (self.tuning.decrease)(limit))
    }

    fn smooth(&self, limit: f64, next: f64) -> f64 {
        limit + (next - limit) * self.tuning.smoothing
    }
}

/// The steps of a limit grow with its size: one per digit after the first, at least 1.
pub(super) fn log10(limit: f64) -> f64 {
    limit.max(1.0).log10().floor().max(1.0)
}

fn jitter() -> f64 {
    0.5 + random::unit() / 2.0
}
