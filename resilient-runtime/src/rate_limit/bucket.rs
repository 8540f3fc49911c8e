//! The arithmetic of a token bucket that is one number: when it is full again.
//!
//! The generic cell rate algorithm, as networks use it: each permit moves that moment back by one interval, and a permit
//! is free while it is less than a burst ahead. Time refills it without anybody's doing.

use resilient_policy::RateLimit;
use std::time::Duration;

/// 146 years, so that sums fit. What is slower or larger is cut to it, which gives fewer permits, never more.
const LONGEST: u64 = 1 << 62;

/// How often, and how many at once; in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// The time one permit takes to come back.
    pub(super) interval: u64,
    /// How far a bucket with one last permit is from full.
    pub(super) reach: u64,
}

impl Pace {
    pub(super) fn of(settings: &RateLimit) -> Self {
        let (per, permits) = (settings.per.as_nanos(), u128::from(settings.permits.max(1)));
        let (down, rest) = (per / permits, per % permits);
        // Down, so that 3/s has all 3 again after one second; up where that would give more than the rate in `per`.
        let interval = if rest < down { down } else { down + u128::from(rest > 0) }.clamp(1, LONGEST.into());
        let reach = (u128::from(settings.burst().saturating_sub(1)) * interval).min(LONGEST.into());
        // Both are at most LONGEST.
        Self { interval: interval as u64, reach: reach as u64 }
    }

    /// A permit at `from` or later, no later than `latest`: its moment, and the bucket after it; else the wait from `at`
    /// to the moment it would have had.
    pub(super) fn take(self, full_at: u64, from: u64, at: u64, latest: u64) -> Result<(u64, u64), Option<Duration>> {
        let ready = self.earliest(full_at).max(from);
        let after = full_at.max(ready).checked_add(self.interval).ok_or(None)?;
        if ready > latest {
            return Err(Some(Duration::from_nanos(ready - at)));
        }
        Ok((ready, after))
    }

    /// The bucket once a permit is given back at `at` that was granted for `ready` and left it full at `after`.
    ///
    /// Never lets more through than the rate:
    /// - Still in line and the last there: as if it had never asked.
    /// - Others in line behind it have moments of their own by now, so its place is lost.
    /// - Nobody in line: it is worth an interval, less what has passed since `ready`, in which a bucket without it might
    ///   have been full and have earned nothing.
    pub(super) fn give_back(self, full_at: u64, (ready, after): (u64, u64), at: u64) -> Option<u64> {
        if at < ready {
            return (full_at == after).then(|| after.saturating_sub(self.interval));
        }
        let last_in_line = self.earliest(full_at.saturating_sub(self.interval));
        let worth = if last_in_line > at { 0 } else { self.interval.saturating_sub(at - ready) };
        (worth > 0).then(|| full_at.saturating_sub(worth))
    }

    /// When an empty bucket is full, at `at`.
    pub(super) fn empty(self, at: u64) -> u64 {
        at.saturating_add(self.reach).saturating_add(self.interval)
    }

    /// When the next permit is free.
    pub(super) fn earliest(self, full_at: u64) -> u64 {
        full_at.saturating_sub(self.reach)
    }
}
