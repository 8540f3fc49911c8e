//! Which state belongs to which name.

use crate::{
    breaker::Breaker,
    budget::Budget,
    bulkhead::Gate,
    cache::Cache,
    histogram::Histogram,
    operation::{Guards, Location, Operation, Site},
    rate_limit::RateLimiter,
    time::now,
};
use resilient_policy::{Breaker as BreakerSettings, Bulkhead as BulkheadSettings, Policy, RateLimit, RetryBudget};
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
    breakers: HashMap<&'static str, Shared<BreakerSettings, Breaker>>,
    gates: HashMap<&'static str, Shared<BulkheadSettings, Gate>>,
    budgets: HashMap<&'static str, Shared<RetryBudget, Budget>>,
    rate_limits: HashMap<&'static str, Shared<RateLimit, RateLimiter>>,
    conflicts: Vec<Conflict>,
}

/// One state and the settings it was first written with.
#[derive(Debug)]
struct Shared<S, T: 'static> {
    settings: S,
    /// A default yields to a written setting.
    written: bool,
    by: Location,
    /// `None` for what is switched off.
    state: Option<&'static T>,
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
        let id = std::ptr::from_ref(site).addr();
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
            Some((dependency, _)) => dependency,
            None => name,
        });
        if let Some(other) = self.operations.iter().find(|other| other.name == name) {
            let what = format!("operation `{name}`");
            self.conflicts.push(Conflict { what, first: other.at, second: at });
        }
        let operation = Box::leak(Box::new(Operation {
            guards: Guards {
                breaker: policy.breaker.and_then(|settings| self.breaker(settings, at)),
                gate: policy.bulkhead.and_then(|settings| self.gate(settings, at)),
                budget: policy.budget().and_then(|settings| self.budget(settings, &policy, dependency, at)),
                rate_limit: policy.rate_limit.and_then(|settings| self.rate_limit(settings, dependency, at)),
            },
            name,
            dependency,
            policy,
            at,
            counters: Default::default(),
            cache: Cache::default(),
            latencies: policy.hedge.filter(|hedge| hedge.needs_samples()).map(|_| Histogram::new(now())),
        }));
        self.operations.push(operation);
        operation
    }

    fn breaker(&mut self, settings: BreakerSettings, at: Location) -> Option<&'static Breaker> {
        let written = settings != BreakerSettings { name: settings.name, ..BreakerSettings::NEW };
        let new = Shared { settings, written, by: at, state: None };
        let what = ("breaker", settings.name);
        share(&mut self.breakers, &mut self.conflicts, what, new, |s| Some(Breaker::new(s)), Breaker::adopt)
    }

    fn gate(&mut self, settings: BulkheadSettings, at: Location) -> Option<&'static Gate> {
        let Some(name) = settings.name else {
            return Some(Box::leak(Box::new(Gate::new(&settings))));
        };
        let new = Shared { settings, written: true, by: at, state: None };
        share(
            &mut self.gates,
            &mut self.conflicts,
            ("bulkhead", name),
            new,
            |s| Some(Gate::new(&s)),
            |gate, s| gate.adopt(&s),
        )
    }

    fn rate_limit(
        &mut self,
        settings: RateLimit,
        dependency: &'static str,
        at: Location,
    ) -> Option<&'static RateLimiter> {
        let name = settings.name.unwrap_or(dependency);
        let new = Shared { settings, written: true, by: at, state: None };
        let make = |s| Some(RateLimiter::new(&s, now()));
        share(&mut self.rate_limits, &mut self.conflicts, ("rate limit", name), new, make, |limiter, s| {
            limiter.adopt(&s)
        })
    }

    fn budget(
        &mut self,
        settings: RetryBudget,
        policy: &Policy,
        dependency: &'static str,
        at: Location,
    ) -> Option<&'static Budget> {
        let name = match settings {
            // One operation without a budget takes nobody else's away.
            RetryBudget::Off => return None,
            RetryBudget::Ratio { name: Some(name), .. } => name,
            _ => dependency,
        };
        let new = Shared { settings, written: policy.retry_budget.is_some(), by: at, state: None };
        share(&mut self.budgets, &mut self.conflicts, ("retry budget", name), new, Budget::new, Budget::adopt)
    }
}

/// The state of this name: made if it is new, conformed if a default yields to a written setting, else shared, and a
/// conflict where two written settings differ.
fn share<S: PartialEq + Copy, T>(
    states: &mut HashMap<&'static str, Shared<S, T>>,
    conflicts: &mut Vec<Conflict>,
    (kind, name): (&str, &'static str),
    new: Shared<S, T>,
    make: impl FnOnce(S) -> Option<T>,
    adopt: impl FnOnce(&T, S),
) -> Option<&'static T> {
    let Some(known) = states.get_mut(name) else {
        let state = make(new.settings).map(|state| &*Box::leak(Box::new(state)));
        states.insert(name, Shared { state, ..new });
        return state;
    };
    match (known.written, new.written) {
        (true, true) if known.settings != new.settings => {
            let what = format!("{kind} `{name}`");
            conflicts.push(Conflict { what, first: known.by, second: new.by });
        }
        (false, true) => {
            match known.state {
                Some(state) => adopt(state, new.settings),
                None => known.state = make(new.settings).map(|state| &*Box::leak(Box::new(state))),
            }
            (known.settings, known.written, known.by) = (new.settings, true, new.by);
        }
        _ => {}
    }
    known.state
}

fn leak(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}
