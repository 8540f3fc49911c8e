//! The only place that draws random numbers, so that a test can seed them.

use crate::testing;
use std::time::Duration;

/// A number in `[0, 1)`.
pub(crate) fn unit() -> f64 {
    testing::drawn().unwrap_or_else(rand::random)
}

/// A duration in `[low, high]`; `low` where the range is empty.
pub(crate) fn between(low: Duration, high: Duration) -> Duration {
    low.saturating_add(scaled(high.saturating_sub(low), unit()))
}

/// `d × share`, saturating.
pub(crate) fn scaled(d: Duration, share: f64) -> Duration {
    Duration::try_from_secs_f64(d.as_secs_f64() * share).unwrap_or(if share > 0.0 {
        Duration::MAX
    } else {
        Duration::ZERO
    })
}
