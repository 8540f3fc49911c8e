//! What earns, what costs, and how much: the numbers in which the shapes differ.

use super::bucket::TOKEN;
use crate::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use resilient_policy::{Earn, RetryBudget};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Ratio,
    Throttle,
    Quota,
    Active,
}

/// One shape's numbers, in millionths of a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) shape: Shape,
    pub(super) capacity: u64,
    per_call: u64,
    /// Per success without a token.
    per_success: u64,
    /// What a failed attempt takes away.
    per_failure: u64,
    /// Whole tokens that come back whatever the traffic.
    per_second: u64,
    /// What a retry costs, and what it costs after a throttled attempt.
    price: u64,
    throttled: u64,
    /// A retry is granted only while there is more than this.
    keep: u64,
}

const NOTHING: Terms = Terms {
    shape: Shape::Active,
    capacity: 0,
    per_call: 0,
    per_success: 0,
    per_failure: 0,
    per_second: 0,
    price: 0,
    throttled: 0,
    keep: 0,
};

/// Failures drain it faster than successes fill it, and retries stop at half of it: above 9 % failures there are none.
/// The numbers are gRPC's own recommendation `[a6]`.
const THROTTLE: Terms = Terms {
    shape: Shape::Throttle,
    capacity: 10 * TOKEN,
    per_success: TOKEN / 10,
    per_failure: TOKEN,
    keep: 5 * TOKEN,
    ..NOTHING
};

/// The retry quota of the AWS SDKs as of 2026: 35 transient retries in a burst, a hundred throttled ones
/// `[stack, §2.7]`.
const QUOTA: Terms = Terms {
    shape: Shape::Quota,
    capacity: 500 * TOKEN,
    per_success: TOKEN,
    price: 14 * TOKEN,
    throttled: 5 * TOKEN,
    ..NOTHING
};

impl Terms {
    /// `None` where there is no bound.
    pub(super) fn of(settings: RetryBudget) -> Option<Self> {
        Some(match settings {
            RetryBudget::Off => return None,
            RetryBudget::Throttle => THROTTLE,
            RetryBudget::Quota => QUOTA,
            RetryBudget::Active => NOTHING,
            RetryBudget::Ratio { ratio, burst, floor_per_sec, earn, .. } => {
                let (per_call, per_success) = match earn {
                    Earn::Call => (share(ratio), 0),
                    Earn::Success => (0, share(ratio)),
                };
                Self {
                    shape: Shape::Ratio,
                    capacity: u64::from(burst) * TOKEN,
                    per_call,
                    per_success,
                    per_second: floor_per_sec.into(),
                    price: TOKEN,
                    throttled: TOKEN,
                    ..NOTHING
                }
            }
        })
    }
}

fn share(ratio: f64) -> u64 {
    ((ratio * TOKEN as f64).round() as u64).clamp(1, TOKEN)
}

/// Terms that can change while calls read them.
#[derive(Debug, Default)]
pub(super) struct Tariff {
    shape: AtomicU8,
    per_call: AtomicU64,
    per_success: AtomicU64,
    per_failure: AtomicU64,
    per_second: AtomicU64,
    price: AtomicU64,
    throttled: AtomicU64,
    keep: AtomicU64,
}

impl Tariff {
    pub(super) fn set(&self, terms: &Terms) {
        self.shape.store(terms.shape as u8, Ordering::Relaxed);
        for (number, value) in [
            (&self.per_call, terms.per_call),
            (&self.per_success, terms.per_success),
            (&self.per_failure, terms.per_failure),
            (&self.per_second, terms.per_second),
            (&self.price, terms.price),
            (&self.throttled, terms.throttled),
            (&self.keep, terms.keep),
        ] {
            number.store(value, Ordering::Relaxed);
        }
    }

    pub(super) fn shape(&self) -> Shape {
        let shape = self.shape.load(Ordering::Relaxed);
        [Shape::Ratio, Shape::Throttle, Shape::Quota, Shape::Active][usize::from(shape)]
    }

    /// Whether there is no bucket, but a share of the active calls.
    pub(super) fn is_share(&self) -> bool {
        self.shape() == Shape::Active
    }

    /// Whether a retry that succeeds gets back what it paid.
    pub(super) fn refunds(&self) -> bool {
        self.shape() == Shape::Quota
    }

    pub(super) fn per_call(&self) -> u64 {
        self.per_call.load(Ordering::Relaxed)
    }

    pub(super) fn per_success(&self) -> u64 {
        self.per_success.load(Ordering::Relaxed)
    }

    pub(super) fn per_failure(&self) -> u64 {
        self.per_failure.load(Ordering::Relaxed)
    }

    pub(super) fn per_second(&self) -> u64 {
        self.per_second.load(Ordering::Relaxed)
    }

    pub(super) fn price(&self) -> u64 {
        self.price.load(Ordering::Relaxed)
    }

    pub(super) fn throttled(&self) -> u64 {
        self.throttled.load(Ordering::Relaxed)
    }

    pub(super) fn keep(&self) -> u64 {
        self.keep.load(Ordering::Relaxed)
    }
}
