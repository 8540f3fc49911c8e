//! The bound on repeats over all calls to a dependency: a bucket of tokens.

use crate::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Moment, now},
};
use resilient_policy::{Earn, RetryBudget};

/// Tokens are counted in millionths, so that any ratio is kept to better than 1 % without a float in shared state.
const TOKEN: u64 = 1_000_000;

/// A bucket that starts full, earns a share of a token per call and pays a whole one per retry.
#[derive(Debug)]
pub(crate) struct Budget {
    tokens: AtomicU64,
    capacity: AtomicU64,
    per_call: AtomicU64,
    per_success: AtomicU64,
    /// Tokens that come back whatever the traffic.
    per_second: AtomicU64,
    /// Microseconds since the epoch up to which those have been paid out.
    paid_until: AtomicU64,
    epoch: Moment,
}

impl Budget {
    /// `None` for the shapes that are not built yet.
    pub(crate) fn new(settings: RetryBudget) -> Option<Self> {
        let RetryBudget::Ratio { burst, .. } = settings else { return None };
        let budget = Self {
            tokens: AtomicU64::new(u64::from(burst) * TOKEN),
            capacity: AtomicU64::default(),
            per_call: AtomicU64::default(),
            per_success: AtomicU64::default(),
            per_second: AtomicU64::default(),
            paid_until: AtomicU64::default(),
            epoch: now(),
        };
        budget.adopt(settings);
        Some(budget)
    }

    /// Written settings replace default ones; tokens stay, up to the new capacity.
    pub(crate) fn adopt(&self, settings: RetryBudget) {
        let RetryBudget::Ratio { ratio, burst, floor_per_sec, earn, .. } = settings else { return };
        let (per_call, per_success) = match earn {
            Earn::Call => (share(ratio), 0),
            Earn::Success => (0, share(ratio)),
        };
        let capacity = u64::from(burst) * TOKEN;
        self.capacity.store(capacity, Ordering::Relaxed);
        self.tokens.fetch_min(capacity, Ordering::Relaxed);
        self.per_call.store(per_call, Ordering::Relaxed);
        self.per_success.store(per_success, Ordering::Relaxed);
        self.per_second.store(floor_per_sec.into(), Ordering::Relaxed);
    }

    /// Tokens left.
    pub(crate) fn tokens(&self) -> f64 {
        self.tokens.load(Ordering::Relaxed) as f64 / TOKEN as f64
    }

    pub(crate) fn capacity(&self) -> u32 {
        u32::try_from(self.capacity.load(Ordering::Relaxed) / TOKEN).unwrap_or(u32::MAX)
    }

    /// A call made its first attempt.
    pub(crate) fn called(&self) {
        self.add(self.per_call.load(Ordering::Relaxed));
    }

    /// A call succeeded.
    pub(crate) fn succeeded(&self) {
        self.add(self.per_success.load(Ordering::Relaxed));
    }

    /// A token for one retry, if there is one.
    pub(crate) fn withdraw(&'static self) -> Option<Token> {
        self.pay_floor();
        let paid = |tokens: u64| tokens.checked_sub(TOKEN);
        self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, paid).ok().map(|_| Token(self))
    }

    fn add(&self, amount: u64) {
        let capacity = self.capacity.load(Ordering::Relaxed);
        // A full bucket, the healthy case, is only read.
        let earned =
            |tokens: u64| (amount > 0 && tokens < capacity).then(|| tokens.saturating_add(amount).min(capacity));
        let _ = self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, earned);
    }

    /// Adds what the floor has earned since it was last paid, however long that is, in one step.
    fn pay_floor(&self) {
        let per_second = self.per_second.load(Ordering::Relaxed);
        if per_second == 0 {
            return;
        }
        let elapsed = u64::try_from(now().since(self.epoch).as_micros()).unwrap_or(u64::MAX);
        // The maximum, so that no thread's older `elapsed` lets the same time be paid twice.
        let paid = self.paid_until.fetch_max(elapsed, Ordering::Relaxed);
        // Per second and per microsecond differ by the same million as a token and its millionths.
        self.add(elapsed.saturating_sub(paid).saturating_mul(per_second));
    }
}

fn share(ratio: f64) -> u64 {
    ((ratio * TOKEN as f64).round() as u64).clamp(1, TOKEN)
}

/// One retry's token: given back when dropped, kept by the bucket once the retry is [sent](Token::spend).
#[derive(Debug)]
pub(crate) struct Token(&'static Budget);

impl Token {
    /// The retry starts: the token is gone.
    pub(crate) fn spend(self) {
        std::mem::forget(self);
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.add(TOKEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(ratio: f64, burst: u32) -> &'static Budget {
        let settings = RetryBudget::Ratio { ratio, burst, floor_per_sec: 0, earn: Earn::Call, name: None };
        Box::leak(Box::new(Budget::new(settings).unwrap()))
    }

    /// Retries granted to `calls` calls that all want one.
    fn granted(budget: &'static Budget, calls: u32) -> u32 {
        (0..calls)
            .filter(|_| {
                budget.called();
                budget.withdraw().map(Token::spend).is_some()
            })
            .count() as u32
    }

    #[test]
    fn a_tenth_of_calls_and_a_burst_may_repeat() {
        assert_eq!(granted(bucket(0.1, 10), 100), 19);
        assert_eq!(granted(bucket(0.1, 1), 100), 10);
    }

    #[test]
    fn any_ratio_is_kept_to_a_hundredth() {
        for ratio in [0.0154, 0.1, 0.3, 1.0 / 3.0, 0.4, 0.6, 0.7, 0.9, 1.0] {
            let got = f64::from(granted(bucket(ratio, 10), 100_000) - 10) / 100_000.0;
            assert!((got - ratio).abs() <= 0.01 * ratio, "{ratio} gave {got}");
        }
    }

    #[test]
    fn a_token_that_was_not_spent_comes_back() {
        let budget = bucket(0.1, 1);
        drop(budget.withdraw().unwrap());
        budget.withdraw().unwrap().spend();
        assert!(budget.withdraw().is_none());
    }

    #[test]
    fn one_token_is_granted_once_however_many_threads_ask() {
        for _ in 0..1_000 {
            let budget = bucket(0.1, 1);
            let grants = std::thread::scope(|scope| {
                let asks: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| budget.withdraw().map(Token::spend).is_some())).collect();
                asks.into_iter().map(|ask| ask.join().unwrap()).filter(|granted| *granted).count()
            });
            assert_eq!(grants, 1);
        }
    }
}
