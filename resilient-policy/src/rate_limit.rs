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
    /// `strict`: never more than `permits` in any window of `per`, wherever it begins, bursts included.
    pub strict: bool,
}

impl RateLimit {
    /// How many at once: `burst`, or one second of the rate, at least 1.
    #[must_use]
    pub const fn burst(&self) -> u32 {
        if let Some(burst) = self.burst {
            return burst;
        }
        match (self.permits as u128 * 1_000_000_000).checked_div(self.per.as_nanos()) {
            Some(0) => 1,
            Some(second @ 1..=0xFFFF_FFFF) => second as u32,
            _ => u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_one_second_of_the_rate_and_at_least_one() {
        let burst = |permits, per| {
            RateLimit { permits, per, burst: None, max_wait: Duration::ZERO, name: None, strict: false }.burst()
        };
        assert_eq!(burst(100, Duration::from_secs(60)), 1);
        assert_eq!(burst(600, Duration::from_secs(60)), 10);
        assert_eq!(burst(50, Duration::from_secs(1)), 50);
        assert_eq!(burst(5, Duration::from_millis(100)), 50);
        assert_eq!(burst(u32::MAX, Duration::from_nanos(1)), u32::MAX);
        assert_eq!(burst(1, Duration::MAX), 1);
    }
}
