//! A policy in the words of its attribute: what the expansion writes, since a call is cheaper to compile than a struct.

use crate::{
    Allowed, Blocking, Breaker, Bulkhead, Fallback, Hedge, Policy, RateLimit, Retry, RetryBudget, Safety, Shape,
    Timeout,
};
use core::time::Duration;

/// One setter per key.
///
/// ```
/// use resilient_policy::{Breaker, Policy, Safety, Timeout};
/// use std::time::Duration;
///
/// let policy = Policy::NEW.read().timeout_ms(60).retries(1).breaker(Breaker::named("stock.view"));
/// assert_eq!(policy, Policy {
///     safety: Safety::Read,
///     timeout: Timeout::After(Duration::from_millis(60)),
///     retries: 1,
///     breaker: Some(Breaker { name: "stock.view", ..Breaker::NEW }),
///     ..Policy::NEW
/// });
/// ```
impl Policy {
    /// The same, for a function of this shape.
    #[must_use]
    pub const fn shape(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// `name = "…"`
    #[must_use]
    pub const fn name(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// `dependency = "…"`
    #[must_use]
    pub const fn dependency(self, dependency: &'static str) -> Self {
        Self { dependency: Some(dependency), ..self }
    }

    /// `read`
    #[must_use]
    pub const fn read(self) -> Self {
        Self { safety: Safety::Read, ..self }
    }

    /// `write`
    #[must_use]
    pub const fn write(self) -> Self {
        Self { safety: Safety::Write, ..self }
    }

    /// `idempotency_key = …`
    #[must_use]
    pub const fn keyed(self) -> Self {
        Self { keyed: true, ..self }
    }

    /// `timeout = …`
    #[must_use]
    pub const fn timeout(self, limit: Duration) -> Self {
        Self { timeout: Timeout::After(limit), ..self }
    }

    /// `timeout_ms = …`
    #[must_use]
    pub const fn timeout_ms(self, millis: u64) -> Self {
        self.timeout(Duration::from_millis(millis))
    }

    /// `timeout = none`
    #[must_use]
    pub const fn no_timeout(self) -> Self {
        Self { timeout: Timeout::None, ..self }
    }

    /// `deadline = …`
    #[must_use]
    pub const fn deadline(self, limit: Duration) -> Self {
        Self { deadline: Some(limit), ..self }
    }

    /// `deadline_ms = …`
    #[must_use]
    pub const fn deadline_ms(self, millis: u64) -> Self {
        self.deadline(Duration::from_millis(millis))
    }

    /// `retries = …`
    #[must_use]
    pub const fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// `retry(…)`
    #[must_use]
    pub const fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// `retry_budget = …`
    #[must_use]
    pub const fn retry_budget(self, budget: RetryBudget) -> Self {
        Self { retry_budget: Some(budget), ..self }
    }

    /// `breaker = …`
    #[must_use]
    pub const fn breaker(self, breaker: Breaker) -> Self {
        Self { breaker: Some(breaker), ..self }
    }

    /// `bulkhead = …`
    #[must_use]
    pub const fn bulkhead(self, bulkhead: Bulkhead) -> Self {
        Self { bulkhead: Some(bulkhead), ..self }
    }

    /// `rate_limit = …`
    #[must_use]
    pub const fn rate_limit(self, rate_limit: RateLimit) -> Self {
        Self { rate_limit: Some(rate_limit), ..self }
    }

    /// `hedge = …`
    #[must_use]
    pub const fn hedge(self, hedge: Hedge) -> Self {
        Self { hedge: Some(hedge), ..self }
    }

    /// `fallback = …`
    #[must_use]
    pub const fn fallback(self, fallback: Fallback) -> Self {
        Self { fallback: Some(fallback), ..self }
    }

    /// `blocking = …`
    #[must_use]
    pub const fn blocking(self, blocking: Blocking) -> Self {
        Self { blocking: Some(blocking), ..self }
    }

    /// `coalesce`
    #[must_use]
    pub const fn coalesce(self) -> Self {
        Self { coalesce: true, ..self }
    }

    /// `allow(…)`
    #[must_use]
    pub const fn allow(self, allow: Allowed) -> Self {
        Self { allow, ..self }
    }
}

impl Breaker {
    /// A breaker of this name, with the defaults.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self { name, ..Self::NEW }
    }
}
