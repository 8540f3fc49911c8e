//! The settings of one attribute.

use crate::{Allowed, Breaker, Bulkhead, Fallback, FallbackKind, Hedge, RateLimit, Retry, RetryBudget};
use core::time::Duration;

/// The settings of one `#[resilient(…)]`, with every default filled in.
///
/// Written with struct update syntax, so that a policy reads like the attribute it came from:
///
/// ```
/// use resilient_policy::{Breaker, Policy, Safety, Timeout};
/// use std::time::Duration;
///
/// const STOCK: Policy = Policy {
///     safety: Safety::Read,
///     timeout: Timeout::After(Duration::from_millis(60)),
///     retries: 1,
///     breaker: Some(Breaker { name: "stock.view", ..Breaker::NEW }),
///     ..Policy::NEW
/// };
/// assert_eq!(STOCK.attempts(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Whether the function is async or sync.
    pub shape: Shape,
    /// `name = "…"`; `None`: the breaker's literal, else `module::function`.
    pub name: Option<&'static str>,
    /// `dependency = "…"`; `None`: the part of a written name before its first dot, else the operation.
    pub dependency: Option<&'static str>,
    /// `read` or `write`.
    pub safety: Safety,
    /// Whether `idempotency_key = …` names an argument.
    pub keyed: bool,
    /// The time one attempt may take.
    pub timeout: Timeout,
    /// The time the whole call may take, waits included.
    pub deadline: Option<Duration>,
    /// Repeats after the first attempt: `retries = 2` means at most 3 attempts.
    pub retries: u32,
    /// Backoff and what a repeat is for.
    pub retry: Retry,
    /// `None`: not written, see [`Policy::budget`].
    pub retry_budget: Option<RetryBudget>,
    /// The circuit breaker.
    pub breaker: Option<Breaker>,
    /// The limit on concurrent calls.
    pub bulkhead: Option<Bulkhead>,
    /// The limit on attempts per time.
    pub rate_limit: Option<RateLimit>,
    /// The second copy of a slow read.
    pub hedge: Option<Hedge>,
    /// Plan B.
    pub fallback: Option<Fallback>,
    /// How a sync function keeps its timeout.
    pub blocking: Option<Blocking>,
    /// Whether identical concurrent reads share one call.
    pub coalesce: bool,
    /// The rules that the author overrode with `allow(…)`.
    pub allow: Allowed,
}

impl Policy {
    /// A policy in which nothing is written.
    pub const NEW: Self = Self {
        shape: Shape::Async,
        name: None,
        dependency: None,
        safety: Safety::Undeclared,
        keyed: false,
        timeout: Timeout::Unset,
        deadline: None,
        retries: 0,
        retry: Retry::NEW,
        retry_budget: None,
        breaker: None,
        bulkhead: None,
        rate_limit: None,
        hedge: None,
        fallback: None,
        blocking: None,
        coalesce: false,
        allow: Allowed::NONE,
    };

    /// The most attempts one call may make: `retries + 1`.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.retries.saturating_add(1)
    }

    /// The budget in force: the written one, else the default one where something is repeated (retries or a hedge),
    /// else none.
    #[must_use]
    pub const fn budget(&self) -> Option<RetryBudget> {
        match self.retry_budget {
            Some(written) => Some(written),
            None if self.retries > 0 || self.hedge.is_some() => Some(RetryBudget::DEFAULT),
            None => None,
        }
    }

    /// Whether repeating the function is declared harmless: `read`, or implied by `fallback = cached` and by `hedge`
    /// where nothing else is written.
    #[must_use]
    pub const fn reads(&self) -> bool {
        match self.safety {
            Safety::Read => true,
            Safety::Write => false,
            Safety::Undeclared => {
                self.hedge.is_some()
                    || matches!(self.fallback, Some(plan) if matches!(plan.kind, FallbackKind::Cached { .. }))
            }
        }
    }

    /// The timeout of one attempt where there is one.
    #[must_use]
    pub const fn attempt_timeout(&self) -> Option<Duration> {
        match self.timeout {
            Timeout::After(limit) => Some(limit),
            Timeout::Unset | Timeout::None => None,
        }
    }
}

/// Whether a function is async or sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `async fn`, or a function that returns a future.
    Async,
    /// A function that blocks its thread.
    Sync,
}

/// What repeating the call would do. Repeating is declared, never assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Nothing was written.
    Undeclared,
    /// `read`: a second run changes nothing.
    Read,
    /// `write`: a second run may do it twice.
    Write,
}

/// The time one attempt may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// Nothing was written; rule R04 wants a word.
    Unset,
    /// `timeout = none`: no limit, on purpose.
    None,
    /// The attempt is cut after this long.
    After(Duration),
}

/// How a sync function keeps its timeout, since a blocked thread cannot be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// The body reads `resilient::remaining()` and bounds its own waits; a late answer is returned, never retried.
    Cooperative,
    /// The body runs on a pool of its own and the caller walks away in time.
    Thread,
}
