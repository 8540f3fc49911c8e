//! Which state belongs to which name.

mod shelf;

use crate::{
    breaker::Breaker,
    budget::Budget,
    bulkhead::Gate,
    cache::Cache,
    coalesce::Flights,
    histogram::Histogram,
    keyed::ByKey,
    operation::{Guards, Location, Operation, Site},
    pool::Pool,
    rate_limit::RateLimiter,
    testing::cost,
    time::now,
};
use resilient_policy::{
    Blocking, Breaker as BreakerSettings, Bulkhead as BulkheadSettings, Policy, RateLimit, RetryBudget,
};
use shelf::{OneOrMany, Shelf};
use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The registry of the process.
pub(crate) fn global() -> &'static Registry {
    static GLOBAL: OnceLock<Registry> = OnceLock::new();
    GLOBAL.get_or_init(Registry::default)
}

/// Every operation that has been called and the states they share, by name. Asked once per call site.
#[derive(Debug, Default)]
pub(crate) struct Registry(Mutex<Names>);

#[derive(Debug, Default)]
struct Names {
    /// In the order of their first calls.
    operations: Vec<&'static Operation>,
    /// By the address of their call site, the only identity two functions of one name do not share.
    sites: HashMap<usize, &'static Operation>,
    breakers: Shelf<Breaker>,
    gates: Shelf<Gate>,
    budgets: Shelf<Budget>,
    rate_limits: Shelf<RateLimiter>,
    /// By the address of their bulkhead.
    pools: HashMap<usize, &'static Pool>,
    conflicts: Vec<Conflict>,
}

/// Two places that say different things about one name. The first registered is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// What both name: ``breaker `stock.view` ``.
    pub what: String,
    /// The place that is in force.
    pub first: Location,
    /// The place that differs.
    pub second: Location,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, first, second } = self;
        write!(f, "{what} is set differently by {first} and by {second}; the first is in force")
    }
}

impl Registry {
    /// The operation of this call site, registered if this is its first call.
    pub(crate) fn operation(&self, site: &'static Site) -> &'static Operation {
        let mut names = self.lock();
        let id = address(site);
        if let Some(known) = names.sites.get(&id) {
            return known;
        }
        let operation = names.register(site);
        names.sites.insert(id, operation);
        operation
    }

    pub(crate) fn operations(&self) -> Vec<&'static Operation> {
        self.lock().operations.clone()
    }

    pub(crate) fn conflicts(&self) -> Vec<Conflict> {
        self.lock().conflicts.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Names> {
        cost::lock();
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Names {
    fn register(&mut self, site: &'static Site) -> &'static Operation {
        let (policy, at) = (*site.policy(), site.at());
        let value = at.module.is_empty().then_some(at.function);
        let written = value.or(policy.name).or(policy.breaker.map(|breaker| breaker.name));
        let name = written.unwrap_or_else(|| leak(at.name()));
        let dependency = policy.dependency.unwrap_or_else(|| match written.and_then(|name| name.split_once('.')) {
            Some((dependency, _)) if !shelf::is_by_key(dependency, at) => dependency,
            _ => name,
        });
        if let Some(other) = self.operations.iter().find(|other| other.name == name) {
            let what = format!("operation `{name}`");
            self.conflicts.push(Conflict { what, first: other.at, second: at });
        }
        let (breaker, breakers) = match policy.breaker {
            Some(settings) => self.breaker(settings, at),
            None => (None, None),
        };
        let (gate, gates) = match policy.bulkhead {
            Some(settings) => self.gate(settings, at),
            None => (None, None),
        };
        let (budget, budgets) = match policy.budget() {
            Some(settings) => self.budget(settings, policy.retry_budget.is_some(), dependency, at),
            None => (None, None),
        };
        let (rate_limit, rate_limits) = match policy.rate_limit {
            Some(settings) => self.rate_limit(settings, dependency, at),
            None => (None, None),
        };
        let operation = Box::leak(Box::new(Operation {
            guards: Guards { breaker, gate, budget, rate_limit },
            by_key: ByKey { breaker: breakers, gate: gates, budget: budgets, rate_limit: rate_limits },
            pool: self.pool(&policy, gate.map(address).or(gates.map(address)), name),
            name,
            dependency,
            policy,
            at,
            counters: Default::default(),
            cache: Cache::default(),
            latencies: policy.hedge.filter(|hedge| hedge.needs_samples()).map(|_| Histogram::new(now())),
            flights: Flights::default(),
        }));
        self.operations.push(operation);
        operation
    }

    fn breaker(&mut self, settings: BreakerSettings, at: Location) -> OneOrMany<Breaker> {
        let written = settings != BreakerSettings { name: settings.name, ..BreakerSettings::NEW };
        self.breakers.share(&mut self.conflicts, ("breaker", settings.name), (settings, written), at)
    }

    fn gate(&mut self, settings: BulkheadSettings, at: Location) -> OneOrMany<Gate> {
        let Some(name) = settings.name else {
            return (Some(Box::leak(Box::new(Gate::new(&settings)))), None);
        };
        self.gates.share(&mut self.conflicts, ("bulkhead", name), (settings, true), at)
    }

    /// The threads of a bulkhead, shared by all that share it.
    fn pool(&mut self, policy: &Policy, gate: Option<usize>, name: &'static str) -> Option<&'static Pool> {
        let gate = gate.filter(|_| policy.blocking == Some(Blocking::Thread))?;
        let name = policy.bulkhead.and_then(|bulkhead| bulkhead.name).unwrap_or(name);
        let pool = self.pools.entry(gate);
        Some(*pool.or_insert_with(|| Box::leak(Box::new(Pool::new(name)))))
    }

    fn budget(
        &mut self,
        settings: RetryBudget,
        written: bool,
        dependency: &'static str,
        at: Location,
    ) -> OneOrMany<Budget> {
        let name = match settings {
            // One operation without a budget takes nobody else's away.
            RetryBudget::Off => return (None, None),
            RetryBudget::Ratio { name: Some(name), .. } => name,
            _ => dependency,
        };
        self.budgets.share(&mut self.conflicts, ("retry budget", name), (settings, written), at)
    }

    fn rate_limit(&mut self, settings: RateLimit, dependency: &'static str, at: Location) -> OneOrMany<RateLimiter> {
        let name = settings.name.unwrap_or(dependency);
        self.rate_limits.share(&mut self.conflicts, ("rate limit", name), (settings, true), at)
    }
}

/// What tells one state from another for as long as the process lives.
fn address<T>(state: &'static T) -> usize {
    std::ptr::from_ref(state).addr()
}

fn leak(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}
