//! Backoff: how long to wait before a repeat.

use core::time::Duration;

/// `retry(…)`.
///
/// Before retry *n* (from 0) the wait is a jitter of `min(cap, base × factorⁿ)`. Base 25 ms and full jitter are C3 of
/// `[storm, part 4]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// `base_ms`: the largest wait before the first retry; 25 ms, and [1 s](Self::THROTTLED_BASE) after a throttled one.
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
    /// The least base of a wait after a throttled answer, 1 s: whoever says "slow down" is not broken, but will say it
    /// again in 25 ms. The AWS SDKs' as of 2026 `[stack, §2.7]`. [`cap`](Self::cap) bounds it, too.
    pub const THROTTLED_BASE: Duration = Duration::from_millis(1_000);

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

    /// The base of a wait: [`base`](Self::base), or after a throttled answer the longer of it and
    /// [`THROTTLED_BASE`](Self::THROTTLED_BASE), at most the cap.
    #[must_use]
    pub const fn base_for(&self, throttled: bool) -> Duration {
        if !throttled || self.base.as_nanos() >= Self::THROTTLED_BASE.as_nanos() {
            return self.base;
        }
        least(Self::THROTTLED_BASE, if self.cap.as_nanos() > self.base.as_nanos() { self.cap } else { self.base })
    }

    /// The longest wait that jitter may choose before retry `n` (from 0), saturating: `min(cap, base × factorⁿ)`, or
    /// `min(cap, base × 3ⁿ⁺¹)` for [`Jitter::Decorrelated`].
    #[must_use]
    pub const fn ceiling(&self, n: u32) -> Duration {
        self.ceiling_for(n, false)
    }

    /// [`ceiling`](Self::ceiling), after a throttled answer from its own [base](Self::base_for).
    #[must_use]
    pub const fn ceiling_for(&self, n: u32, throttled: bool) -> Duration {
        let (growth, n) = match self.jitter {
            Jitter::Decorrelated => (3.0, n.saturating_add(1)),
            Jitter::None | Jitter::Full | Jitter::Equal => (self.factor, n),
        };
        let cap = self.cap.as_nanos() as f64;
        let mut wait = self.base_for(throttled).as_nanos() as f64;
        let mut step = 0;
        // A factor above 1 reaches any cap within about 2 000 doublings; the bound keeps factor 1 from counting to `n`.
        while step < n && step < MOST_STEPS && wait < cap {
            wait *= growth;
            step += 1;
        }
        // `>=` also sends infinity to the cap; `!(…)` would send NaN there, and NaN cannot arise from R16's inputs.
        if wait >= cap { self.cap } else { Duration::from_nanos(wait as u64) }
    }

    /// The bounds between which chance chooses the wait before retry `n` (from 0). `before` is the wait that was chosen
    /// last, which only [`Jitter::Decorrelated`] grows from.
    #[must_use]
    pub const fn spread(&self, n: u32, before: Duration, throttled: bool) -> (Duration, Duration) {
        let ceiling = self.ceiling_for(n, throttled);
        match self.jitter {
            Jitter::None => (ceiling, ceiling),
            Jitter::Full => (Duration::ZERO, ceiling),
            Jitter::Equal => (half(ceiling), ceiling),
            Jitter::Decorrelated => {
                let base = self.base_for(throttled);
                let longer = if before.as_nanos() > base.as_nanos() { before } else { base };
                let most = least(longer.saturating_mul(3), self.cap);
                // A base that is the cap would leave chance nothing to choose.
                (if throttled { least(base, half(most)) } else { base }, most)
            }
        }
    }

    /// The longest total wait of `retries` retries, saturating. Waits after throttled answers are not in it: such an
    /// answer comes long before its timeout, and a wait that does not fit before the deadline is not begun.
    #[must_use]
    pub const fn longest(&self, retries: u32) -> Duration {
        let mut total = Duration::ZERO;
        let mut n = 0;
        while n < retries {
            let wait = self.ceiling(n);
            total = total.saturating_add(wait);
            n += 1;
            let grows = !matches!(self.jitter, Jitter::None | Jitter::Full | Jitter::Equal) || self.factor != 1.0;
            if wait.as_nanos() == self.cap.as_nanos() || wait.is_zero() || !grows || n > MOST_STEPS {
                // Every later wait is the same.
                return total.saturating_add(wait.saturating_mul(retries - n));
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

/// How often a wait may grow.
const MOST_STEPS: u32 = 4_096;

const fn least(a: Duration, b: Duration) -> Duration {
    if a.as_nanos() < b.as_nanos() { a } else { b }
}

const fn half(d: Duration) -> Duration {
    match d.checked_div(2) {
        Some(half) => half,
        None => d,
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
    fn after_a_throttled_answer_the_wait_grows_from_a_second() {
        let patient = Retry { cap: MS * 20_000, ..Retry::NEW };
        let waits = |retry: Retry| (0..5).map(|n| retry.ceiling_for(n, true).as_millis()).collect::<Vec<_>>();
        assert_eq!(waits(patient), [1_000, 2_000, 4_000, 8_000, 16_000]);
        assert_eq!(waits(Retry { base: MS * 3_000, ..patient })[0], 3_000, "a longer base stays");
        assert_eq!(waits(Retry::NEW), [1_000; 5], "the cap bounds it");
        assert_eq!(waits(Retry { cap: MS * 200, ..Retry::NEW }), [200; 5]);
        assert_eq!(patient.longest(2), MS * 75, "what the deadline must have room for is the other wait");
    }

    #[test]
    fn chance_always_has_something_to_choose_from_between_nothing_and_the_cap() {
        for jitter in [Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
            for cap in [30, 1_000, 60_000] {
                for throttled in [false, true] {
                    let retry = Retry { jitter, cap: MS * cap, ..Retry::NEW };
                    let mut before = Duration::ZERO;
                    for n in 0..20 {
                        let (low, high) = retry.spread(n, before, throttled);
                        assert!(low < high && high <= retry.cap, "{retry:?} {n} {throttled}: {low:?} … {high:?}");
                        before = high;
                    }
                }
            }
        }
        let decorrelated = Retry { jitter: Jitter::Decorrelated, cap: MS * 9_000, ..Retry::NEW };
        assert_eq!(decorrelated.spread(1, MS * 100, false), (MS * 25, MS * 300));
        assert_eq!(decorrelated.spread(1, MS * 100, true), (MS * 1_000, MS * 3_000));
        assert_eq!(Retry { jitter: Jitter::None, ..Retry::NEW }.spread(1, MS, false), (MS * 50, MS * 50));
        assert_eq!(Retry { jitter: Jitter::Equal, ..Retry::NEW }.spread(1, MS, false), (MS * 25, MS * 50));
    }

    #[test]
    fn px_33_bk_14_bk_29_no_number_of_retries_overflows() {
        let steep = Retry { factor: 10.0, cap: Duration::MAX, ..Retry::NEW };
        for n in [64, 1_000, u32::MAX] {
            assert_eq!(Retry::NEW.ceiling(n), MS * 1_000);
            assert!(steep.ceiling(n) >= steep.ceiling(20));
            assert!(steep.longest(n) >= steep.ceiling(20));
            assert_eq!(Retry::NEW.ceiling_for(n, true), MS * 1_000);
            assert!(steep.spread(n, Duration::MAX, true).1 >= steep.ceiling_for(20, true));
        }
        assert_eq!(Retry { factor: f64::INFINITY, ..Retry::NEW }.ceiling(3), MS * 1_000);
        assert_eq!(Retry { factor: 1.0, ..Retry::NEW }.ceiling(u32::MAX), MS * 25);
    }
}
