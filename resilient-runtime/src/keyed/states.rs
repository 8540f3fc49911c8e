//! What each guard's state does when its key is forgotten.

use super::{Keyed, Lease, State, StateKey};
use crate::{
    breaker::Breaker,
    budget::Budget,
    bulkhead::Gate,
    operation::{Guards, Operation},
    rate_limit::RateLimiter,
    time::Moment,
};
use resilient_policy::{Breaker as BreakerSettings, Bulkhead, RateLimit, RetryBudget};

/// A guard that there may be many states of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `breaker = "webhook.{customer}"`
    Breaker,
    /// `bulkhead(12, name = "webhook.{customer}")`
    Bulkhead,
    /// `retry_budget(0.1, name = "webhook.{customer}")`
    RetryBudget,
    /// `rate_limit("100/min", name = "webhook.{customer}")`
    RateLimit,
}

/// The states of an operation's keyed guards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByKey {
    pub(crate) breaker: Option<&'static Keyed<Breaker>>,
    pub(crate) gate: Option<&'static Keyed<Gate>>,
    pub(crate) budget: Option<&'static Keyed<Budget>>,
    pub(crate) rate_limit: Option<&'static Keyed<RateLimiter>>,
}

/// The states that one call's keys have selected, and its hold on them.
#[derive(Debug)]
pub(crate) struct Selected {
    pub(crate) guards: Guards,
    breaker: Option<Lease<Breaker>>,
    gate: Option<Lease<Gate>>,
    budget: Option<Lease<Budget>>,
    rate_limit: Option<Lease<RateLimiter>>,
}

impl Selected {
    /// None yet.
    pub(crate) fn of(operation: &Operation) -> Self {
        Self { guards: operation.guards, breaker: None, gate: None, budget: None, rate_limit: None }
    }

    /// Selects the state of each of these guards.
    pub(crate) fn select(&mut self, by_key: &ByKey, guards: &[Guard], key: StateKey, at: Moment) {
        let key = key.finish();
        for guard in guards {
            match guard {
                Guard::Breaker => lease(by_key.breaker, &key, at, &mut self.breaker, &mut self.guards.breaker),
                Guard::Bulkhead => lease(by_key.gate, &key, at, &mut self.gate, &mut self.guards.gate),
                Guard::RetryBudget => lease(by_key.budget, &key, at, &mut self.budget, &mut self.guards.budget),
                Guard::RateLimit => {
                    lease(by_key.rate_limit, &key, at, &mut self.rate_limit, &mut self.guards.rate_limit);
                }
            }
        }
    }
}

fn lease<T: State>(
    states: Option<&'static Keyed<T>>,
    key: &str,
    at: Moment,
    held: &mut Option<Lease<T>>,
    guard: &mut Option<&'static T>,
) {
    let Some(states) = states else { return };
    let lease = states.get(key, at);
    *guard = Some(lease.state());
    *held = Some(lease);
}

impl State for Breaker {
    type Settings = BreakerSettings;

    fn new(settings: BreakerSettings) -> Self {
        Self::new(settings)
    }

    fn adopt(&self, settings: BreakerSettings) {
        self.adopt(settings);
    }

    fn recycle(&self, settings: BreakerSettings, _: Moment) {
        self.recycle(settings);
    }

    /// A closed one that nobody asked for long has nothing to say that still holds.
    fn is_idle(&self, at: Moment) -> bool {
        !self.is_refusing(at)
    }

    fn is_refusing(&self, at: Moment) -> bool {
        self.is_refusing(at)
    }
}

impl State for Gate {
    type Settings = Bulkhead;

    fn new(settings: Bulkhead) -> Self {
        Self::new(&settings)
    }

    fn adopt(&self, settings: Bulkhead) {
        self.adopt(&settings);
    }

    fn recycle(&self, settings: Bulkhead, _: Moment) {
        self.recycle(&settings);
    }

    fn is_idle(&self, _: Moment) -> bool {
        self.is_idle()
    }

    fn is_refusing(&self, _: Moment) -> bool {
        self.used() >= self.limit()
    }
}

impl State for RateLimiter {
    type Settings = RateLimit;

    fn new(settings: RateLimit) -> Self {
        Self::new(&settings)
    }

    fn adopt(&self, settings: RateLimit) {
        self.adopt(&settings);
    }

    fn recycle(&self, settings: RateLimit, at: Moment) {
        self.recycle(&settings, at);
    }

    /// Forgetting one that has given permits away would give them again.
    fn is_idle(&self, at: Moment) -> bool {
        self.is_idle(at)
    }

    fn is_refusing(&self, at: Moment) -> bool {
        self.is_spent(at)
    }
}

impl State for Budget {
    type Settings = RetryBudget;

    fn new(settings: RetryBudget) -> Self {
        Self::new(settings).expect("only a ratio has a name")
    }

    fn adopt(&self, settings: RetryBudget) {
        self.adopt(settings);
    }

    fn recycle(&self, settings: RetryBudget, _: Moment) {
        self.recycle(settings);
    }

    fn is_idle(&self, _: Moment) -> bool {
        true
    }

    /// Forgetting an empty bucket would fill it.
    fn is_refusing(&self, _: Moment) -> bool {
        self.tokens() < 1.0
    }
}
