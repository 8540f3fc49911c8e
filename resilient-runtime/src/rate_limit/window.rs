//! The log of a strict limiter: the moments of its last grants.

use super::nanos;
use resilient_policy::RateLimit;
use std::collections::VecDeque;

/// The most grants that count at once, some 100 kB. A larger limit is kept in shorter windows of fewer permits, which is
/// stricter: whoever never exceeds 10,000 in 10 ms never exceeds 1,000,000 in a second.
const MOST: u32 = 10_000;

/// Grants that still count and those in line, in order.
#[derive(Debug)]
pub(super) struct Window {
    permits: usize,
    per: u64,
    grants: VecDeque<u64>,
}

impl Window {
    pub(super) fn new(settings: &RateLimit) -> Self {
        let mut window = Self { permits: 0, per: 0, grants: VecDeque::new() };
        window.adopt(settings);
        window
    }

    pub(super) fn adopt(&mut self, settings: &RateLimit) {
        let parts = settings.permits.div_ceil(MOST).max(1);
        self.permits = (settings.permits / parts).max(1) as usize;
        self.per = nanos(settings.per).div_ceil(parts.into());
    }

    /// From when on one more is within the limit.
    pub(super) fn earliest(&self) -> u64 {
        let oldest = self.grants.len().checked_sub(self.permits).and_then(|first| self.grants.get(first));
        oldest.map_or(0, |moment| moment.saturating_add(self.per))
    }

    /// Notes a grant of `at`; what it is known by is not before any other, since a slow thread's clock may be.
    pub(super) fn push(&mut self, ready: u64, at: u64) -> u64 {
        while self.grants.front().is_some_and(|first| first.saturating_add(self.per) <= at) {
            self.grants.pop_front();
        }
        let stamp = self.grants.back().map_or(ready, |last| ready.max(*last));
        self.grants.push_back(stamp);
        stamp
    }

    /// Forgets a grant that was never used.
    pub(super) fn remove(&mut self, stamp: u64) {
        if let Ok(place) = self.grants.binary_search(&stamp) {
            self.grants.remove(place);
        }
    }

    /// A log that lies further ahead than any promise reaches is the clock's fault: it counts as granted now.
    pub(super) fn believe(&mut self, at: u64, promised_until: u64) {
        if self.grants.back().is_some_and(|last| *last > promised_until) {
            self.grants.iter_mut().for_each(|moment| *moment = at.min(*moment));
        }
    }

    pub(super) fn is_idle(&self, at: u64) -> bool {
        self.grants.back().is_none_or(|last| last.saturating_add(self.per) <= at)
    }
}
