//! One annotated function: its name, its settings, and the guards that its calls pass.

use crate::{
    breaker::Breaker, budget::Budget, bulkhead::Gate, cache::Cache, coalesce::Flights, counters::Counters,
    histogram::Histogram, keyed::ByKey, pool::Pool, rate_limit::RateLimiter, registry, testing,
};
use once_cell::race::OnceRef;
use resilient_policy::{Blocking, Policy, Shape};
use std::fmt;

/// Where an annotated function, or a policy as a value, stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its module, as `module_path!()` says it; empty for a policy as a value.
    pub module: &'static str,
    /// Its name.
    pub function: &'static str,
    /// Its file.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

impl Location {
    /// What the function is called where nothing else is written.
    pub(crate) fn name(&self) -> String {
        if self.module.is_empty() { self.function.into() } else { format!("{}::{}", self.module, self.function) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.name(), self.file, self.line)
    }
}

/// The handle of a call site: one static per annotated function, shared by all its instantiations.
pub struct Site {
    policy: Policy,
    at: Location,
    operation: OnceRef<'static, Operation>,
}

impl Site {
    /// A handle for the function of this name, at the place that asks for it; it finds its guards at its first call.
    #[must_use]
    #[track_caller]
    pub const fn new(policy: Policy, module: &'static str, function: &'static str) -> Self {
        let caller = std::panic::Location::caller();
        let at = Location { module, function, file: caller.file(), line: caller.line(), column: caller.column() };
        Self { policy, at, operation: OnceRef::new() }
    }

    /// A handle for [`call`](crate::call) and [`call_blocking`](crate::call_blocking), for a `static`.
    ///
    /// # Panics
    /// With a policy that a rule refuses, and with `fallback`, `coalesce` or `blocking = thread`, which need a function:
    /// in a `static`, that is a compile error with the rule's own text.
    #[must_use]
    #[track_caller]
    pub const fn named(name: &'static str, policy: &'static Policy) -> Self {
        if let Some(fault) = resilient_policy::first_fault(policy) {
            panic!("{}", fault.message().as_str());
        }
        assert!(
            policy.fallback.is_none(),
            "a policy as a value has no `fallback`; match on the error of the call instead"
        );
        assert!(
            !matches!(policy.blocking, Some(Blocking::Thread)),
            "a policy as a value runs its body on the caller's thread; for `blocking = thread` annotate a function"
        );
        assert!(
            !policy.coalesce,
            "a policy as a value has no arguments to tell one call from another; for `coalesce` annotate a function"
        );
        Self::new(*policy, "", name)
    }

    /// The guards of this function: one atomic load after the first call.
    pub(crate) fn operation(&'static self, shape: Shape) -> &'static Operation {
        if let Some(registry) = testing::registry() {
            return registry.operation(self);
        }
        match self.operation.get() {
            Some(operation) => operation,
            None => self.first_call(shape),
        }
    }

    #[cold]
    fn first_call(&'static self, shape: Shape) -> &'static Operation {
        let operation = registry::global().operation(self);
        assert!(
            shape == Shape::Sync || !self.waits() || tokio::runtime::Handle::try_current().is_ok(),
            "`{}` needs a tokio runtime for its timers; call it inside one, for example from `#[tokio::main]`",
            operation.name
        );
        let _ = self.operation.set(operation);
        operation
    }

    /// Whether a call may need a timer.
    fn waits(&self) -> bool {
        let Policy { deadline, retries, bulkhead, rate_limit, hedge, breaker, .. } = &self.policy;
        self.policy.attempt_timeout().is_some()
            || deadline.is_some()
            || *retries > 0
            || hedge.is_some()
            || breaker.is_some_and(|breaker| breaker.probe_timeout.is_some())
            || bulkhead.is_some_and(|bulkhead| !bulkhead.max_wait.is_zero())
            || rate_limit.is_some_and(|rate_limit| !rate_limit.max_wait.is_zero())
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn at(&self) -> Location {
        self.at
    }
}

/// An annotated function that has been called.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) dependency: &'static str,
    pub(crate) policy: Policy,
    pub(crate) at: Location,
    pub(crate) counters: Counters,
    /// The states that all its calls share.
    pub(crate) guards: Guards,
    /// Those that a call's key selects.
    pub(crate) by_key: ByKey,
    pub(crate) cache: Cache,
    pub(crate) flights: Flights,
    /// For the bodies of a `blocking = thread` function.
    pub(crate) pool: Option<&'static Pool>,
    /// What its attempts took, where a hedge waits for a percentile of it.
    pub(crate) latencies: Option<Histogram>,
}

/// The states that a call passes, each of which it may share with others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guards {
    pub(crate) breaker: Option<&'static Breaker>,
    pub(crate) gate: Option<&'static Gate>,
    pub(crate) budget: Option<&'static Budget>,
    pub(crate) rate_limit: Option<&'static RateLimiter>,
}
