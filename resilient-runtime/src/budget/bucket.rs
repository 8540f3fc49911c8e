//! Tokens that are earned and paid.

use crate::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Tokens are counted in millionths, so that any ratio is kept to better than 1 % without a float in shared state.
pub(super) const TOKEN: u64 = 1_000_000;

/// A bucket that never holds more than its capacity, and never less than nothing.
#[derive(Debug, Default)]
pub(super) struct Bucket {
    tokens: AtomicU64,
    capacity: AtomicU64,
    /// Microseconds since the budget's epoch for which the floor has been paid out.
    paid_until: AtomicU64,
}

impl Bucket {
    /// Another capacity, and full.
    pub(super) fn fill(&self, capacity: u64) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.tokens.store(capacity, Ordering::Relaxed);
    }

    /// Another capacity, with what is in it.
    pub(super) fn resize(&self, capacity: u64) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.tokens.fetch_min(capacity, Ordering::Relaxed);
    }

    pub(super) fn tokens(&self) -> f64 {
        self.tokens.load(Ordering::Relaxed) as f64 / TOKEN as f64
    }

    pub(super) fn capacity(&self) -> u32 {
        u32::try_from(self.capacity.load(Ordering::Relaxed) / TOKEN).unwrap_or(u32::MAX)
    }

    pub(super) fn add(&self, amount: u64) {
        let capacity = self.capacity.load(Ordering::Relaxed);
        // A full bucket, the healthy case, is only read.
        let earned =
            |tokens: u64| (amount > 0 && tokens < capacity).then(|| tokens.saturating_add(amount).min(capacity));
        let _ = self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, earned);
    }

    pub(super) fn lose(&self, amount: u64) {
        let lost = |tokens: u64| (amount > 0 && tokens > 0).then(|| tokens.saturating_sub(amount));
        let _ = self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lost);
    }

    /// Takes `price`, if there is more than `keep` in the bucket.
    pub(super) fn take(&self, price: u64, keep: u64) -> bool {
        let taken = |tokens: u64| tokens.checked_sub(price).filter(|_| tokens > keep);
        self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    /// Adds what `per_second` tokens have earned since it was last paid, however long that is, in one step.
    pub(super) fn pay(&self, since_epoch: Duration, per_second: u64) {
        let elapsed = u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX);
        // The maximum, so that no thread's older `elapsed` lets the same time be paid twice.
        let paid = self.paid_until.fetch_max(elapsed, Ordering::Relaxed);
        // Per second and per microsecond differ by the same million as a token and its millionths.
        self.add(elapsed.saturating_sub(paid).saturating_mul(per_second));
    }
}
