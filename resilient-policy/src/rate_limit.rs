//! The limit on attempts per time.

use core::time::Duration;

/// `rate_limit = "100/min"` or `rate_limit(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Attempts per `per`.
    pub permits: u32,
    /// The time they are for.
    pub per: Duration,
    /// `burst`: how many at once; `None`: one second of the rate, at least 1.
    pub burst: Option<u32>,
    /// `max_wait_ms`: how long an attempt may wait; 0.
    pub max_wait: Duration,
    /// `name`: a limit of this name instead of the dependency's.
    pub name: Option<&'static str>,
    /// `strict`: never more than the rate in any window, bursts included.
    pub strict: bool,
}
