//! Every guard as it is now.

use crate::{
    breaker::BreakerState,
    catalog,
    counters::Counts,
    keyed::{Keyed, KeyedCounts, State},
    operation::{Guards, Location, Operation},
    registry::{self, Conflict, Registry},
    testing,
    time::now,
};
use resilient_policy::{RetryBudget, Rule};
use std::{fmt, time::Duration};

/// One operation as it is now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperationSnapshot {
    /// Its name.
    pub operation: &'static str,
    /// The dependency it calls.
    pub dependency: &'static str,
    /// Where it stands in the source.
    pub location: Location,
    /// The rules that it overrides: `allow(R07)`.
    pub allowed: Vec<Rule>,
    /// Its counters.
    pub counts: Counts,
    /// Its breaker, shared by all that write its name.
    pub breaker: Option<BreakerSnapshot>,
    /// Its bulkhead.
    pub bulkhead: Option<BulkheadSnapshot>,
    /// Its retry budget, shared by the operations of its dependency.
    pub budget: Option<BudgetSnapshot>,
    /// Its guards that have one state per key, such as `breaker = "webhook.{customer}"`.
    pub keyed: Vec<KeyedSnapshot>,
}

/// A breaker as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BreakerSnapshot {
    /// Its name.
    pub name: &'static str,
    /// What it does with calls.
    pub state: BreakerState,
    /// Calls in its window.
    pub calls: u32,
    /// Failures among them.
    pub failures: u32,
    /// Slow ones among them.
    pub slow: u32,
    /// Probes under way.
    pub probes_in_flight: u32,
    /// Probes that passed since it is half-open.
    pub probes_passed: u32,
    /// How long it still refuses every call, while it is open.
    pub open_for: Option<Duration>,
    /// How often it has opened.
    pub opened: u64,
    /// How often it would have, while [`Forced::Observe`](crate::Forced::Observe) kept it from it.
    pub would_open: u64,
}

/// A bulkhead as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkheadSnapshot {
    /// Permits in use.
    pub in_use: u32,
    /// Permits in all; what an adaptive one has found by now.
    pub limit: u32,
    /// Calls that wait for one.
    pub waiting: u32,
}

/// A retry budget as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetSnapshot {
    /// Tokens left; a retry costs one.
    pub tokens: f64,
    /// Tokens it can hold.
    pub burst: u32,
}

/// The states of one guard by key, as they are now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyedSnapshot {
    /// Which guard.
    pub guard: &'static str,
    /// Its name, with the placeholders.
    pub name: &'static str,
    /// Keys that have a state of their own: 10 000 at most.
    pub states: usize,
    /// Those whose state refuses calls or, a budget's, retries.
    pub refusing: usize,
    /// Calls that shared one state, since there was no room for their key.
    pub overflowed: u64,
    /// Keys that were forgotten: unused for 10 minutes, or to make room.
    pub evicted: u64,
}

impl KeyedSnapshot {
    fn of<T: State>(guard: &'static str, name: &'static str, states: &Keyed<T>) -> Self {
        let (at, mut refusing) = (now(), 0);
        states.for_each(|_, state| refusing += usize::from(state.is_refusing(at)));
        let KeyedCounts { states, overflowed, evicted } = states.counts();
        Self { guard, name, states, refusing, overflowed, evicted }
    }

    fn list(operation: &Operation) -> Vec<Self> {
        let (policy, by_key) = (&operation.policy, operation.by_key);
        let breaker = by_key.breaker.zip(policy.breaker.map(|breaker| breaker.name));
        let gate = by_key.gate.zip(policy.bulkhead.and_then(|bulkhead| bulkhead.name));
        let budget = by_key.budget.zip(policy.budget().and_then(|budget| match budget {
            RetryBudget::Ratio { name, .. } => name,
            _ => None,
        }));
        let rate_limit = by_key.rate_limit.zip(policy.rate_limit.and_then(|rate_limit| rate_limit.name));
        [
            breaker.map(|(states, name)| Self::of("breaker", name, states)),
            gate.map(|(states, name)| Self::of("bulkhead", name, states)),
            budget.map(|(states, name)| Self::of("retry budget", name, states)),
            rate_limit.map(|(states, name)| Self::of("rate limit", name, states)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl OperationSnapshot {
    pub(crate) fn of(operation: &Operation) -> Self {
        let settings = operation.policy.breaker;
        let Guards { breaker, gate, budget, .. } = operation.guards;
        let at = now();
        Self {
            operation: operation.name,
            dependency: operation.dependency,
            location: operation.at,
            allowed: operation.policy.allow.iter().collect(),
            counts: operation.counters.counts(),
            breaker: breaker.zip(settings).map(|(breaker, settings)| {
                let now = breaker.snapshot(at);
                BreakerSnapshot {
                    name: settings.name,
                    state: now.state,
                    calls: now.calls,
                    failures: now.failures,
                    slow: now.slow,
                    probes_in_flight: now.probes_in_flight,
                    probes_passed: now.probes_passed,
                    open_for: now.open_for,
                    opened: now.opened,
                    would_open: now.would_open,
                }
            }),
            bulkhead: gate.map(|gate| BulkheadSnapshot {
                in_use: gate.used(),
                limit: gate.limit(),
                waiting: gate.waiting(),
            }),
            budget: budget.map(|budget| BudgetSnapshot { tokens: budget.tokens(), burst: budget.capacity() }),
            keyed: KeyedSnapshot::list(operation),
        }
    }
}

/// The registry here, with every operation on the list in it. A test's own registry knows what the test has called.
pub(crate) fn current() -> &'static Registry {
    testing::registry().unwrap_or_else(|| {
        let global = registry::global();
        catalog::sites().for_each(|site| {
            global.operation(site);
        });
        global
    })
}

/// Every operation as it is now: those on the list (feature `catalog`), and those that have been called.
///
/// Reads no lock that a call waits for long on.
#[must_use]
pub fn snapshot() -> Vec<OperationSnapshot> {
    current().operations().into_iter().map(OperationSnapshot::of).collect()
}

/// What [`verify`] looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many operations.
    pub operations: usize,
    /// Whether operations that have not run were among them: with feature `catalog`, outside isolated tests.
    pub complete: bool,
    /// The rules that an operation overrides: `allow(R07)`.
    pub allowed: Vec<(&'static str, Rule)>,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} operations agree", self.operations)?;
        if !self.complete {
            f.write_str(" (only what has run was checked)")?;
        }
        self.allowed
            .iter()
            .try_for_each(|(operation, rule)| write!(f, "; `{operation}` allows {rule}: {}", rule.what()))
    }
}

/// Whether every name means one thing: what two functions may say differently, no compiler sees.
///
/// Meant for start-up and, through [`policies_agree!`](crate::policies_agree), for a test.
///
/// # Errors
/// Two written settings of one shared state that differ, or two functions of one operation name; each with both places.
pub fn verify() -> Result<Verified, Vec<Conflict>> {
    let registry = current();
    let conflicts = registry.conflicts();
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let operations = registry.operations();
    let allows = |operation: &&'static Operation| {
        let name = operation.name;
        operation.policy.allow.iter().map(move |rule| (name, rule)).collect::<Vec<_>>()
    };
    Ok(Verified {
        operations: operations.len(),
        complete: catalog::COMPLETE && testing::registry().is_none(),
        allowed: operations.iter().flat_map(allows).collect(),
    })
}

/// A test that fails where two functions of the program contradict each other, with both places: see [`verify`].
///
/// ```
/// resilient_runtime::policies_agree!();
/// ```
#[macro_export]
macro_rules! policies_agree {
    () => {
        #[test]
        fn policies_agree() {
            if let ::core::result::Result::Err(conflicts) = $crate::verify() {
                let said: ::std::vec::Vec<_> = conflicts.iter().map(::std::string::ToString::to_string).collect();
                ::core::panic!("{}", said.join("\n"));
            }
        }
    };
}

/// Empties the cache of every operation of this name; false where none has been called.
pub fn forget(operation: &str) -> bool {
    let named: Vec<_> = current().operations().into_iter().filter(|known| known.name == operation).collect();
    named.iter().for_each(|known| known.cache.clear());
    !named.is_empty()
}
