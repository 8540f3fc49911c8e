//! The settings as a [`Policy`], with every default filled in and a placeholder where only rustc knows a value.

use crate::settings::Settings;
use crate::values::{Constant, Value};
use resilient_policy::{
    Adaptive, Blocking, Breaker, Bulkhead, Earn, Fallback, FallbackKind, Hedge, HedgeDelay, Jitter, Limit, Order,
    Policy, RateLimit, Retry, RetryBudget, Safety, Scope, Shape, Timeout, Window,
};
use std::time::Duration;

/// The policy that `settings` describe. Names stay in the settings: no rule asks for them.
pub fn policy(settings: &Settings, shape: Shape) -> Policy {
    let retry_budget = budget(settings);
    let repeats = settings.has("retry") || retry_budget.is_some_and(|budget| budget != RetryBudget::Off);
    Policy {
        shape,
        safety: match (settings.has("read"), settings.has("write")) {
            (_, true) => Safety::Write,
            (true, false) => Safety::Read,
            (false, false) => Safety::Undeclared,
        },
        keyed: settings.has("idempotency_key"),
        timeout: match settings.get("timeout").map(|setting| &setting.value) {
            None => Timeout::Unset,
            Some(Value::Word(_)) => Timeout::None,
            Some(_) => Timeout::After(settings.time("timeout").unwrap_or_default()),
        },
        deadline: settings.time("deadline"),
        retries: settings.count("retries").unwrap_or(u32::from(repeats)),
        retry: retry(settings),
        retry_budget,
        breaker: settings.mentions("breaker").then(|| breaker(settings)),
        bulkhead: settings.mentions("bulkhead").then(|| bulkhead(settings)),
        rate_limit: rate_limit(settings),
        hedge: hedge(settings),
        fallback: fallback(settings),
        blocking: settings.word("blocking").map(|word| match word {
            "thread" => Blocking::Thread,
            _ => Blocking::Cooperative,
        }),
        coalesce: settings.has("coalesce"),
        allow: settings.allowed(),
        ..Policy::NEW
    }
}

fn retry(settings: &Settings) -> Retry {
    let unset = Retry::NEW;
    Retry {
        base: settings.time("retry.base").unwrap_or(unset.base),
        cap: settings.time("retry.cap").unwrap_or(unset.cap),
        factor: settings.number("retry.factor").unwrap_or(unset.factor),
        jitter: match settings.word("retry.jitter") {
            Some("none") => Jitter::None,
            Some("equal") => Jitter::Equal,
            Some("decorrelated") => Jitter::Decorrelated,
            _ => Jitter::Full,
        },
        retry_after_cap: settings.time("retry.retry_after_cap"),
        only_unsent: settings.has("retry.only_unsent"),
        overloaded: settings.has("retry.overloaded"),
    }
}

fn budget(settings: &Settings) -> Option<RetryBudget> {
    Some(match settings.word("retry_budget") {
        Some("none") => RetryBudget::Off,
        Some("throttle") => RetryBudget::Throttle,
        Some("quota") => RetryBudget::Quota,
        Some("active") => RetryBudget::Active,
        _ => RetryBudget::Ratio {
            ratio: settings.number("retry_budget")?,
            burst: settings.count("retry_budget.burst").unwrap_or(10),
            floor_per_sec: settings.count("retry_budget.floor_per_sec").unwrap_or(0),
            earn: match settings.word("retry_budget.earn") {
                Some("success") => Earn::Success,
                _ => Earn::Call,
            },
            name: None,
        },
    })
}

fn breaker(settings: &Settings) -> Breaker {
    let unset = Breaker::NEW;
    let window = match settings.get("breaker.window").map(|setting| &setting.value) {
        Some(Value::Time(_) | Value::Constant(_, Constant::Millis)) => {
            Window::Time { span: settings.time("breaker.window").unwrap_or_default() }
        }
        _ => Window::Count {
            size: settings.count("breaker.window").unwrap_or(20),
            max_age: settings.time("breaker.window_age"),
        },
    };
    Breaker {
        name: "",
        window,
        min_calls: settings.count("breaker.min_calls"),
        failure_rate: settings.number("breaker.failure_rate").unwrap_or(unset.failure_rate),
        slow: settings.time("breaker.slow"),
        slow_rate: settings.number("breaker.slow_rate").unwrap_or(unset.slow_rate),
        consecutive: settings.count("breaker.consecutive"),
        open: settings.time("breaker.open").unwrap_or(unset.open),
        open_jitter: settings.number("breaker.open_jitter").unwrap_or(unset.open_jitter),
        open_factor: settings.number("breaker.open_factor").unwrap_or(unset.open_factor),
        open_cap: settings.time("breaker.open_cap").unwrap_or(unset.open_cap),
        probes: settings.count("breaker.probes").unwrap_or(unset.probes),
        passes: settings.count("breaker.passes"),
        probe_timeout: settings.time("breaker.probe_timeout"),
        scope: match settings.word("breaker.scope") {
            Some("attempt") => Scope::Attempt,
            _ => Scope::Call,
        },
    }
}

fn bulkhead(settings: &Settings) -> Bulkhead {
    let limit = match settings.word("bulkhead") {
        Some(_) => Limit::Adaptive {
            min: settings.count("bulkhead.min").unwrap_or(4),
            max: settings.count("bulkhead.max").unwrap_or(200),
            kind: match settings.word("bulkhead.kind") {
                Some("vegas") => Adaptive::Vegas,
                Some("gradient2") => Adaptive::Gradient2,
                _ => Adaptive::Aimd,
            },
        },
        None => Limit::Fixed(settings.count("bulkhead").unwrap_or(1)),
    };
    Bulkhead {
        limit,
        name: None,
        max_wait: settings.time("bulkhead.max_wait").unwrap_or(Duration::ZERO),
        max_queue: settings.count("bulkhead.max_queue"),
        order: match settings.word("bulkhead.order") {
            Some("newest") => Order::Newest,
            _ => Order::Fifo,
        },
        max_age: settings.time("bulkhead.max_age"),
    }
}

fn rate_limit(settings: &Settings) -> Option<RateLimit> {
    let Value::Rate(permits, per) = settings.get("rate_limit")?.value else { return None };
    Some(RateLimit {
        permits,
        per,
        burst: settings.count("rate_limit.burst"),
        max_wait: settings.time("rate_limit.max_wait").unwrap_or(Duration::ZERO),
        name: None,
        strict: settings.has("rate_limit.strict"),
    })
}

fn hedge(settings: &Settings) -> Option<Hedge> {
    let delay = match settings.get("hedge")?.value {
        Value::Number(percentile) => HedgeDelay::Percentile(percentile),
        _ => HedgeDelay::After(settings.time("hedge")?),
    };
    Some(Hedge { delay, min_samples: settings.count("hedge.min_samples").unwrap_or(100) })
}

fn fallback(settings: &Settings) -> Option<Fallback> {
    let kind = match &settings.get("fallback")?.value {
        Value::Word("cached") => FallbackKind::Cached {
            max_stale: settings.time("fallback.max_stale").unwrap_or(Duration::from_secs(300)),
            max_entries: settings.count("fallback.max_entries").unwrap_or(1_000),
        },
        Value::Word(_) => FallbackKind::Default,
        Value::Answer(_) => FallbackKind::Value,
        _ => FallbackKind::Path { function: "", timeout: settings.time("fallback.timeout") },
    };
    Some(Fallback { kind, on_any: settings.has("fallback.on") })
}
