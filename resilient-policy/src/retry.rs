//! Backoff: how long to wait before a repeat.

use core::time::Duration;

/// `retry(…)`.
///
/// Before retry *n* (from 0) the wait is a jitter of `min(cap, base × factorⁿ)`. Base 25 ms and full jitter are C3 of
/// `[storm, part 4]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// `base_ms`: the largest wait before the first retry; 25 ms.
    pub base: Duration,
    /// `cap_ms`: no wait is ever longer; 1 s.
    pub cap: Duration,
    /// `factor`: how much the wait grows from one retry to the next; 2.
    pub factor: f64,
    /// `jitter`: how the wait is spread; full.
    pub jitter: Jitter,
    /// `retry_after_cap_ms`: a server's hint longer than this ends the retries; `None`: the cap.
    pub retry_after_cap: Option<Duration>,
    /// `only_unsent`: repeat only what provably never reached the dependency.
    pub only_unsent: bool,
    /// `overloaded`: repeat a call that was shed, after its hint.
    pub overloaded: bool,
}

impl Retry {
    /// The defaults.
    pub const NEW: Self = Self {
        base: Duration::from_millis(25),
        cap: Duration::from_millis(1_000),
        factor: 2.0,
        jitter: Jitter::Full,
        retry_after_cap: None,
        only_unsent: false,
        overloaded: false,
    };

    /// The longest wait that jitter may choose before retry `n` (from 0), saturating: `min(cap, base × factorⁿ)`, or
    /// `min(cap, base × 3ⁿ⁺¹)` for [`Jitter::Decorrelated`].
    #[must_use]
    pub const fn ceiling(&self, n: u32) -> Duration {
        let (growth, n) = match self.jitter {
            Jitter::Decorrelated => (3.0, n.saturating_add(1)),
            Jitter::None | Jitter::Full | Jitter::Equal => (self.factor, n),
        };
        let cap = self.cap.as_nanos() as f64;
        let mut wait = self.base.as_nanos() as f64;
        let mut step = 0;
        // A factor above 1 reaches any cap within about 2 000 doublings; the bound keeps factor 1 from counting to `n`.
        while step < n && step < 4_096 && wait < cap {
            wait *= growth;
            step += 1;
        }
        // `>=` also sends infinity to the cap; `!(…)` would send NaN there, and NaN cannot arise from R16's inputs.
        if wait >= cap { self.cap } else { Duration::from_nanos(wait as u64) }
    }

    /// The longest total wait of `retries` retries, saturating.
    #[must_use]
    pub const fn longest(&self, retries: u32) -> Duration {
        let mut total = Duration::ZERO;
        let mut n = 0;
        while n < retries {
            let wait = self.ceiling(n);
            total = total.saturating_add(wait);
            n += 1;
            if wait.as_nanos() == self.cap.as_nanos() {
                // Every later wait is the cap too.
                return total.saturating_add(self.cap.saturating_mul(retries - n));
            }
        }
        total
    }

    /// The longest hint that is followed.
    #[must_use]
    pub const fn longest_hint(&self) -> Duration {
        match self.retry_after_cap {
            Some(cap) => cap,
            None => self.cap,
        }
    }
}

/// How a wait of at most `d` is spread, so that callers which failed together do not return together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Always `d`; refused by R15 unless allowed.
    None,
    /// Between 0 and `d`.
    Full,
    /// Between `d/2` and `d`.
    Equal,
    /// Between the base and three times the wait before, at most the cap.
    Decorrelated,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn waits(retry: Retry, most: u32) -> Vec<u128> {
        (0..most).map(|n| retry.ceiling(n).as_millis()).collect()
    }

    #[test]
    fn bk_26_the_wait_grows_up_to_its_cap() {
        assert_eq!(waits(Retry { base: MS, cap: MS * 10, ..Retry::NEW }, 6), [1, 2, 4, 8, 10, 10]);
    }

    #[test]
    fn decorrelated_jitter_may_wait_three_times_the_base_before_the_first_retry() {
        assert_eq!(waits(Retry { jitter: Jitter::Decorrelated, ..Retry::NEW }, 4), [75, 225, 675, 1_000]);
    }

    #[test]
    fn px_33_bk_14_bk_29_no_number_of_retries_overflows() {
        let steep = Retry { factor: 10.0, cap: Duration::MAX, ..Retry::NEW };
        for n in [64, 1_000, u32::MAX] {
            assert_eq!(Retry::NEW.ceiling(n), MS * 1_000);
            assert!(steep.ceiling(n) >= steep.ceiling(20));
            assert!(steep.longest(n) >= steep.ceiling(20));
        }
        assert_eq!(Retry { factor: f64::INFINITY, ..Retry::NEW }.ceiling(3), MS * 1_000);
        assert_eq!(Retry { factor: 1.0, ..Retry::NEW }.ceiling(u32::MAX), MS * 25);
    }
}
