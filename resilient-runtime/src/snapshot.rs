//! Every guard as it is now.

use crate::{
    breaker::BreakerState,
    counters::Counts,
    operation::{Location, Operation},
    registry::{self, Conflict, Registry},
    testing,
};

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
    /// Its counters.
    pub counts: Counts,
    /// Its breaker, shared by all that write its name.
    pub breaker: Option<BreakerSnapshot>,
    /// Its bulkhead.
    pub bulkhead: Option<BulkheadSnapshot>,
    /// Its retry budget, shared by the operations of its dependency.
    pub budget: Option<BudgetSnapshot>,
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
    /// How often it has opened.
    pub opened: u64,
}

/// A bulkhead as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkheadSnapshot {
    /// Permits in use.
    pub in_use: u32,
    /// Permits in all.
    pub limit: u32,
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

impl OperationSnapshot {
    fn of(operation: &Operation) -> Self {
        let settings = operation.policy.breaker;
        Self {
            operation: operation.name,
            dependency: operation.dependency,
            location: operation.at,
            counts: operation.counters.counts(),
            breaker: operation.breaker.zip(settings).map(|(breaker, settings)| {
                let now = breaker.snapshot();
                BreakerSnapshot {
                    name: settings.name,
                    state: now.state,
                    calls: now.calls,
                    failures: now.failures,
                    slow: now.slow,
                    probes_in_flight: now.probes_in_flight,
                    probes_passed: now.probes_passed,
                    opened: now.opened,
                }
            }),
            bulkhead: operation.gate.map(|gate| BulkheadSnapshot { in_use: gate.used(), limit: gate.limit() }),
            budget: operation.budget.map(|budget| BudgetSnapshot { tokens: budget.tokens(), burst: budget.capacity() }),
        }
    }
}

fn current() -> &'static Registry {
    testing::registry().unwrap_or_else(registry::global)
}

/// Every operation that has been called, in the order of the first calls. Reads no lock that a call waits for long on.
#[must_use]
pub fn snapshot() -> Vec<OperationSnapshot> {
    current().operations().into_iter().map(OperationSnapshot::of).collect()
}

/// Whether every name that has been used so far means one thing.
///
/// # Errors
/// Two written settings of one shared state that differ, or two functions of one operation name; each with both places.
pub fn verify() -> Result<(), Vec<Conflict>> {
    let conflicts = current().conflicts();
    if conflicts.is_empty() { Ok(()) } else { Err(conflicts) }
}

/// Empties the cache of every operation of this name; false where none has been called.
pub fn forget(operation: &str) -> bool {
    let named: Vec<_> = current().operations().into_iter().filter(|known| known.name == operation).collect();
    named.iter().for_each(|known| known.cache.clear());
    !named.is_empty()
}
