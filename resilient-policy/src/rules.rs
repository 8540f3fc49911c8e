//! The rules that a policy alone can break, one function each.
//!
//! [`RULES`] lists them with the keys they read, so that the macro knows which of them it can ask at once (all keys are
//! literals) and which it must leave to a `const` (a key is a path to a constant).

use crate::{
    Breaker, Bulkhead, Fallback, FallbackKind, Fault, Hedge, HedgeDelay, Jitter, Limit, Policy, RateLimit, RetryBudget,
    Rule, Safety, Shape, Text, Timeout, Window,
};
use core::{slice, time::Duration};

/// A rule that a policy alone can break.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRule {
    /// Which.
    pub rule: Rule,
    /// The keys whose values it depends on, as paths in the attribute; options are named one by one.
    pub reads: &'static [&'static str],
}

/// Every rule that [`check`] answers for.
pub const RULES: &[PolicyRule] = &[
    reads(Rule::R03, &["timeout", "hedge"]),
    reads(Rule::R04, &["timeout", "deadline", "retries"]),
    reads(Rule::R05, ZEROES),
    reads(Rule::R06, &["timeout", "deadline", "retries"]),
    reads(Rule::R07, &["deadline", "timeout", "retries", "retry.base", "retry.cap", "retry.factor", "retry.jitter"]),
    reads(Rule::R08, &["retries", "read", "write", "fallback", "hedge", "coalesce"]),
    reads(Rule::R09, &["retries", "write", "idempotency_key", "retry.only_unsent"]),
    reads(Rule::R10, &["write", "hedge"]),
    reads(Rule::R11, &["write", "fallback", "coalesce"]),
    reads(Rule::R12, &["hedge", "timeout"]),
    reads(Rule::R13, &["retry_budget", "retries", "hedge"]),
    reads(Rule::R14, &["retry_budget"]),
    reads(Rule::R15, &["retry.jitter", "retries"]),
    reads(Rule::R16, &["retry.base", "retry.cap", "retry.factor"]),
    reads(Rule::R17, &["breaker.failure_rate", "breaker.slow_rate"]),
    reads(Rule::R18, &["breaker.min_calls", "breaker.window"]),
    reads(Rule::R19, &["breaker.probe_timeout", "timeout", "deadline"]),
    reads(Rule::R20, &["breaker.slow", "timeout"]),
    reads(Rule::R21, &["breaker.window", "timeout"]),
    reads(Rule::R22, &["bulkhead.max_wait", "deadline"]),
    reads(Rule::R33, &["retries"]),
    reads(Rule::R34, &["retries", "deadline"]),
    reads(Rule::R36, &["retry_budget"]),
    reads(Rule::R38, &["rate_limit.max_wait", "deadline"]),
    reads(Rule::R39, PAIRS),
];

const fn reads(rule: Rule, reads: &'static [&'static str]) -> PolicyRule {
    PolicyRule { rule, reads }
}

/// Every broken rule of `policy` that `allow` does not cover.
pub fn faults(policy: &Policy) -> impl Iterator<Item = Fault> {
    let policy = *policy;
    RULES.iter().flat_map(move |entry| (0..).map_while(move |nth| check(entry.rule, &policy, nth)))
}

/// The first of [`faults`], where a `const` has to ask.
#[must_use]
pub const fn first_fault(policy: &Policy) -> Option<Fault> {
    let mut i = 0;
    while i < RULES.len() {
        if let Some(fault) = check(RULES[i].rule, policy, 0) {
            return Some(fault);
        }
        i += 1;
    }
    None
}

/// The `nth` fault (from 0) that `policy` has against `rule`; `None` past the last, for an allowed rule, and for a rule
/// that a policy alone cannot break.
#[must_use]
pub const fn check(rule: Rule, policy: &Policy, nth: u32) -> Option<Fault> {
    if policy.allow.has(rule) && rule.allowable() {
        return None;
    }
    // These have many places; every other rule is broken once.
    if nth > 0 && !matches!(rule, Rule::R03 | Rule::R05 | Rule::R16 | Rule::R17 | Rule::R39) {
        return None;
    }
    match rule {
        Rule::R03 => r03(policy, nth),
        Rule::R04 => r04(policy),
        Rule::R05 => r05(policy, nth),
        Rule::R06 => r06(policy),
        Rule::R07 => r07(policy),
        Rule::R08 => r08(policy),
        Rule::R09 => r09(policy),
        Rule::R10 => r10(policy),
        Rule::R11 => r11(policy),
        Rule::R12 => r12(policy),
        Rule::R13 => r13(policy),
        Rule::R14 => r14(policy),
        Rule::R15 => r15(policy),
        Rule::R16 => r16(policy, nth),
        Rule::R17 => r17(policy, nth),
        Rule::R18 => r18(policy),
        Rule::R19 => r19(policy),
        Rule::R20 => r20(policy),
        Rule::R21 => r21(policy),
        Rule::R22 => r22(policy),
        Rule::R33 => r33(policy),
        Rule::R34 => r34(policy),
        Rule::R36 => r36(policy),
        Rule::R38 => r38(policy),
        Rule::R39 => r39(policy, nth),
        _ => None,
    }
}

/// A fault that everything decides that the rule reads.
const fn fault(rule: Rule, at: &'static str, text: Text) -> Option<Fault> {
    let mut i = 0;
    while RULES[i].rule as usize != rule as usize {
        i += 1;
    }
    Some(Fault { rule, at, reads: RULES[i].reads, text })
}

/// A fault of a rule that has many places: at the first of these keys, which alone decide it.
const fn fault_of(rule: Rule, reads: &'static [&'static str], text: Text) -> Option<Fault> {
    Some(Fault { rule, at: reads[0], reads, text })
}

const fn text() -> Text {
    Text::new()
}

/// `a < b`, which `Duration` cannot say in a `const`.
const fn shorter(a: Duration, b: Duration) -> bool {
    a.as_nanos() < b.as_nanos()
}

/// The attempt timeout, unless it is zero: that is for R05 to say, and no other rule adds to it.
const fn timeout(policy: &Policy) -> Option<Duration> {
    match policy.attempt_timeout() {
        Some(limit) if !limit.is_zero() => Some(limit),
        _ => None,
    }
}

/// The deadline, unless it is zero.
const fn deadline(policy: &Policy) -> Option<Duration> {
    match policy.deadline {
        Some(limit) if !limit.is_zero() => Some(limit),
        _ => None,
    }
}

const fn r03(policy: &Policy, nth: u32) -> Option<Fault> {
    nth_of(&[short_timeout(policy), percentile(policy)], nth)
}

/// The `nth` of these that there is.
const fn nth_of(faults: &[Option<Fault>], nth: u32) -> Option<Fault> {
    let mut seen = 0;
    let mut i = 0;
    while i < faults.len() {
        if faults[i].is_some() {
            if seen == nth {
                return faults[i];
            }
            seen += 1;
        }
        i += 1;
    }
    None
}

const fn short_timeout(policy: &Policy) -> Option<Fault> {
    let Timeout::After(limit) = policy.timeout else { return None };
    if limit.is_zero() || !matches!(policy.shape, Shape::Async) || !shorter(limit, Duration::from_millis(1)) {
        return None;
    }
    let said = text().str("a timeout of ").duration(limit);
    fault_of(Rule::R03, &["timeout"], said.str(" is shorter than a timer can keep; write `timeout_ms = 1` or more"))
}

const fn percentile(policy: &Policy) -> Option<Fault> {
    let Some(Hedge { delay: HedgeDelay::Percentile(share), .. }) = policy.hedge else { return None };
    if share > 0.0 && share < 1.0 {
        return None;
    }
    fault_of(Rule::R03, &["hedge"], text().str("`p").decimal(share * 100.0).str("` is no percentile; write `p95`"))
}

const fn r04(policy: &Policy) -> Option<Fault> {
    if !matches!(policy.timeout, Timeout::Unset) || (policy.retries == 0 && policy.deadline.is_some()) {
        return None;
    }
    let said = if policy.deadline.is_some() {
        "one attempt may use up the whole deadline and leave no time to retry; write `timeout_ms = 60` beside it, or `timeout = none` if you mean none"
    } else {
        "nothing bounds how long this call may take; write `timeout_ms = 60`, or `timeout = none` if you mean none"
    };
    fault(Rule::R04, "timeout", text().str(said))
}

/// The keys where zero is meaningless, in the order in which [`r05`] asks them.
const ZEROES: &[&str] = &[
    "timeout",
    "deadline",
    "bulkhead",
    "bulkhead.max_queue",
    "bulkhead.max_age",
    "breaker.window",
    "breaker.window_age",
    "breaker.min_calls",
    "breaker.slow",
    "breaker.consecutive",
    "breaker.open",
    "breaker.probes",
    "breaker.passes",
    "breaker.probe_timeout",
    "retry_budget.burst",
    "rate_limit",
    "rate_limit.burst",
    "hedge",
    "hedge.min_samples",
    "fallback.max_stale",
    "fallback.max_entries",
    "fallback.timeout",
];

const fn r05(policy: &Policy, nth: u32) -> Option<Fault> {
    let mut seen = 0;
    let mut i = 0;
    while i < ZEROES.len() {
        if let Some(said) = zero(policy, i) {
            if seen == nth {
                return fault_of(Rule::R05, slice::from_ref(&ZEROES[i]), text().str(said));
            }
            seen += 1;
        }
        i += 1;
    }
    None
}

const fn no_time(d: Option<Duration>) -> bool {
    matches!(d, Some(d) if d.is_zero())
}

const fn none(n: Option<u32>) -> bool {
    matches!(n, Some(0))
}

/// What is wrong with the zero at `ZEROES[key]`, if there is one.
const fn zero(policy: &Policy, key: usize) -> Option<&'static str> {
    let (is_zero, said) = match key {
        0 => (
            no_time(policy.attempt_timeout()),
            "a timeout of zero fails every call; write `timeout = none` if you mean none",
        ),
        1 => (no_time(policy.deadline), "a deadline of zero fails every call; leave `deadline` out if you mean none"),
        2..=4 => {
            let Some(gate) = policy.bulkhead else { return None };
            match key {
                2 => {
                    let shut = matches!(
                        gate.limit,
                        Limit::Fixed(0) | Limit::Adaptive { min: 0, .. } | Limit::Adaptive { max: 0, .. }
                    );
                    (shut, "a bulkhead of 0 admits nobody; leave `bulkhead` out if you mean no limit")
                }
                // Without a wait there is no queue; R01 says so.
                _ if gate.max_wait.is_zero() => return None,
                3 => (
                    none(gate.max_queue),
                    "a queue of 0 holds nobody; leave `max_wait_ms` and `max_queue` out if nobody may wait",
                ),
                _ => (
                    no_time(gate.max_age),
                    "an age limit of zero drops every waiter; leave `max_wait_ms` out if nobody may wait",
                ),
            }
        }
        5..=13 => {
            let Some(breaker) = policy.breaker else { return None };
            match key {
                5 => match breaker.window {
                    Window::Count { size, .. } => {
                        (size == 0, "a window of 0 calls never sees a failure; write `window = 20`")
                    }
                    Window::Time { span } => {
                        (span.is_zero(), "a window of zero never sees a failure; write `window_ms = 10_000`")
                    }
                },
                6 => match breaker.window {
                    Window::Count { max_age, .. } => {
                        (no_time(max_age), "calls of age zero are forgotten at once; leave `window_age_ms` out")
                    }
                    Window::Time { .. } => return None,
                },
                7 => (none(breaker.min_calls), "`min_calls` of 0 trips on nothing; write at least 1"),
                8 => (no_time(breaker.slow), "every call is slower than zero; leave `slow_ms` out"),
                9 => (none(breaker.consecutive), "0 failures in a row are always reached; write at least 1"),
                10 => (breaker.open.is_zero(), "an open time of zero refuses nobody; write `open_ms = 5_000`"),
                11 => (breaker.probes == 0, "a breaker without probes never closes again; write `probes = 3`"),
                12 => (
                    none(breaker.passes),
                    "a breaker that closes after 0 passes never tests the dependency; write at least 1",
                ),
                _ => (
                    no_time(breaker.probe_timeout),
                    "a probe timeout of zero fails every probe; leave `probe_timeout_ms` out",
                ),
            }
        }
        14 => match policy.retry_budget {
            Some(RetryBudget::Ratio { burst, .. }) => {
                (burst == 0, "a bucket that holds 0 tokens grants no retry; write `burst = 10`")
            }
            _ => return None,
        },
        15..=16 => {
            let Some(rate) = policy.rate_limit else { return None };
            match key {
                15 => (
                    rate.permits == 0 || rate.per.is_zero(),
                    "a rate of zero admits nobody; write for example \"100/min\"",
                ),
                _ => (none(rate.burst), "a burst of 0 admits nobody; write at least 1"),
            }
        }
        17..=18 => {
            let Some(hedge) = policy.hedge else { return None };
            match key {
                17 => match hedge.delay {
                    HedgeDelay::After(delay) => {
                        (delay.is_zero(), "a hedge after no time doubles every call; write `hedge = p95`")
                    }
                    HedgeDelay::Percentile(_) => return None,
                },
                // Without a percentile there are no samples; R01 says so.
                _ if !hedge.needs_samples() => return None,
                _ => (hedge.min_samples == 0, "a percentile of 0 samples means nothing; write `min_samples = 100`"),
            }
        }
        _ => {
            let Some(plan) = policy.fallback else { return None };
            match (key, plan.kind) {
                (19, FallbackKind::Cached { max_stale, .. }) => (
                    max_stale.is_zero(),
                    "an answer of age zero is never found; leave `max_stale_ms` out for 5 minutes",
                ),
                (20, FallbackKind::Cached { max_entries, .. }) => {
                    (max_entries == 0, "a cache of 0 entries keeps nothing; leave `max_entries` out for 1 000")
                }
                (21, FallbackKind::Path { timeout, .. }) => {
                    (no_time(timeout), "a fallback that may take no time never answers; leave its `timeout_ms` out")
                }
                _ => return None,
            }
        }
    };
    if is_zero { Some(said) } else { None }
}

const fn r06(policy: &Policy) -> Option<Fault> {
    let (Some(timeout), Some(deadline)) = (timeout(policy), deadline(policy)) else { return None };
    let said = text().str("one attempt may take ").duration(timeout);
    if shorter(deadline, timeout) {
        let said = said.str(", but `deadline_ms` is ").millis(deadline);
        return fault(Rule::R06, "timeout", said.str("; lower `timeout_ms` or raise `deadline_ms`"));
    }
    if timeout.as_nanos() == deadline.as_nanos() && policy.retries > 0 {
        let said = said.str(", all of `deadline_ms`, which leaves no time to retry");
        return fault(Rule::R06, "timeout", said.str("; lower `timeout_ms` or raise `deadline_ms`"));
    }
    None
}

/// The time that `retries` retries may need.
const fn needed(policy: &Policy, timeout: Duration, retries: u32) -> Duration {
    timeout.saturating_mul(retries.saturating_add(1)).saturating_add(policy.retry.longest(retries))
}

const fn r07(policy: &Policy) -> Option<Fault> {
    let (Some(timeout), Some(deadline)) = (timeout(policy), deadline(policy)) else { return None };
    // R06 already speaks where not even one attempt fits.
    if policy.retries == 0 || !shorter(timeout, deadline) {
        return None;
    }
    let need = needed(policy, timeout, policy.retries);
    if !shorter(deadline, need) {
        return None;
    }
    let mut fits = policy.retries;
    while fits > 0 && shorter(deadline, needed(policy, timeout, fits)) {
        fits = if fits > 10 { 10 } else { fits - 1 };
    }
    let said = text()
        .num(policy.attempts() as u128)
        .str(" attempts × ")
        .duration(timeout)
        .str(" + up to ")
        .duration(policy.retry.longest(policy.retries))
        .str(" of backoff = ")
        .duration(need)
        .str(", but `deadline_ms` is ")
        .millis(deadline)
        .str(if fits > 0 { "; lower `retries` to " } else { "; leave the retries out" });
    let said = if fits > 0 { said.num(fits as u128) } else { said };
    fault(Rule::R07, "deadline", said.str(" or raise `deadline_ms`"))
}

const fn r08(policy: &Policy) -> Option<Fault> {
    if policy.reads() || matches!(policy.safety, Safety::Write) {
        return None;
    }
    if policy.retries == 0 {
        if !policy.coalesce {
            return None;
        }
        let said = "one run answers several callers, but nothing says that it is as good as one for each; write `read`";
        return fault(Rule::R08, "coalesce", text().str(said));
    }
    let said = "this call is repeated, but nothing says that a second run is harmless; write `read`, or `write` with `idempotency_key = …`";
    fault(Rule::R08, "retries", text().str(said))
}

const fn r09(policy: &Policy) -> Option<Fault> {
    if policy.retries == 0 || !matches!(policy.safety, Safety::Write) || policy.keyed || policy.retry.only_unsent {
        return None;
    }
    let said = "a timed-out write may have happened, so repeating it may do it twice; write `idempotency_key = …`, or `retry(only_unsent)` to repeat only what never left";
    fault(Rule::R09, "write", text().str(said))
}

const fn r10(policy: &Policy) -> Option<Fault> {
    if policy.hedge.is_none() || !matches!(policy.safety, Safety::Write) {
        return None;
    }
    fault(
        Rule::R10,
        "hedge",
        text().str("a hedge runs the call twice on purpose, which a `write` must not; drop `hedge`"),
    )
}

const fn r11(policy: &Policy) -> Option<Fault> {
    if !matches!(policy.safety, Safety::Write) {
        return None;
    }
    if policy.coalesce {
        let said = "`coalesce` would report one write as done to everyone who asked for one; leave it out";
        return fault(Rule::R11, "coalesce", text().str(said));
    }
    let Some(Fallback { kind, .. }) = policy.fallback else { return None };
    let word = match kind {
        FallbackKind::Cached { .. } => "cached",
        FallbackKind::Default => "default",
        FallbackKind::Value => "value(…)",
        FallbackKind::Path { .. } => return None,
    };
    let said = text().str("`fallback = ").str(word).str("` would report a write that did not happen as done");
    fault(Rule::R11, "fallback", said.str("; name a function that queues or refuses it, or drop `fallback`"))
}

const fn r12(policy: &Policy) -> Option<Fault> {
    let (Some(hedge), Some(timeout)) = (policy.hedge, timeout(policy)) else { return None };
    let HedgeDelay::After(delay) = hedge.delay else { return None };
    if shorter(delay, timeout) {
        return None;
    }
    let said = text().str("a hedge after ").duration(delay).str(" never starts: `timeout_ms` is ").millis(timeout);
    fault(Rule::R12, "hedge", said.str("; lower the delay or write `hedge = p95`"))
}

const fn r13(policy: &Policy) -> Option<Fault> {
    match policy.retry_budget {
        Some(budget) if policy.retries == 0 && policy.hedge.is_none() && !matches!(budget, RetryBudget::Off) => {
            let said = "`retry_budget` bounds retries, but `retries` is 0; drop it or write `retries = 1`";
            fault(Rule::R13, "retry_budget", text().str(said))
        }
        _ => None,
    }
}

/// What to write instead of a share above 1: the percentage that a whole number looks like, or an example.
const fn meant(said: Text, share: f64, example: &str) -> Text {
    if share >= 2.0 && share <= 100.0 && share % 1.0 == 0.0 {
        return said.str("; did you mean `").decimal(share).str("%`?");
    }
    said.str("; write ").str(example)
}

const fn r14(policy: &Policy) -> Option<Fault> {
    let Some(RetryBudget::Ratio { ratio, .. }) = policy.retry_budget else { return None };
    if ratio > 0.0 && ratio <= 1.0 {
        return None;
    }
    let said = text().str("a retry budget is a share of calls between 0 and 1, not ").decimal(ratio);
    fault(Rule::R14, "retry_budget", meant(said, ratio, "`0.1` or `10%`"))
}

const fn r15(policy: &Policy) -> Option<Fault> {
    if policy.retries == 0 || !matches!(policy.retry.jitter, Jitter::None) {
        return None;
    }
    let said = "without jitter, callers that failed together come back together; write `jitter = full`";
    fault(Rule::R15, "retry.jitter", text().str(said))
}

const fn r16(policy: &Policy, nth: u32) -> Option<Fault> {
    let retry = policy.retry;
    let mut seen = 0;
    let starts_at_zero = retry.base.is_zero();
    if starts_at_zero || shorter(retry.cap, retry.base) {
        if nth == seen {
            return if starts_at_zero {
                let said = "a backoff that starts at zero repeats in a hot loop; write `base_ms = 25`";
                fault_of(Rule::R16, &["retry.base"], text().str(said))
            } else {
                let said = text().str("`cap_ms` is ").millis(retry.cap).str(", below `base_ms` of ");
                let said = said.millis(retry.base).str("; raise `cap_ms` or lower `base_ms`");
                fault_of(Rule::R16, &["retry.cap", "retry.base"], said)
            };
        }
        seen += 1;
    }
    if nth == seen && !(retry.factor >= 1.0 && retry.factor < f64::INFINITY) {
        let said = text().str("a backoff that shrinks (`factor = ").decimal(retry.factor);
        return fault_of(
            Rule::R16,
            &["retry.factor"],
            said.str("`) asks sooner the longer it fails; write `factor = 2`"),
        );
    }
    None
}

const fn r17(policy: &Policy, nth: u32) -> Option<Fault> {
    let Some(breaker) = policy.breaker else { return None };
    let rates: [(&[&str], &str, f64); 2] = [
        (&["breaker.failure_rate"], "`failure_rate`", breaker.failure_rate),
        (&["breaker.slow_rate"], "`slow_rate`", breaker.slow_rate),
    ];
    let mut seen = 0;
    let mut i = 0;
    while i < rates.len() {
        let (at, word, rate) = rates[i];
        i += 1;
        if rate >= 0.05 && rate <= 1.0 {
            continue;
        }
        if seen == nth {
            let said = text().str(word).str(" is a share of calls");
            if rate > 0.0 && rate < 0.05 {
                let said = said.str(", and ").decimal(rate).str(" trips in normal operation; write `0.05` or more");
                return fault_of(Rule::R17, at, said);
            }
            let said = said.str(" between 0 and 1, not ").decimal(rate);
            return fault_of(Rule::R17, at, meant(said, rate, "`0.5` or `50%`"));
        }
        seen += 1;
    }
    None
}

const fn r18(policy: &Policy) -> Option<Fault> {
    let Some(breaker) = policy.breaker else { return None };
    let Window::Count { size, .. } = breaker.window else { return None };
    let min_calls = breaker.min_calls();
    if min_calls <= size || size == 0 {
        return None;
    }
    let said = text().str("`min_calls` is ").num(min_calls as u128).str(", but the window holds ").num(size as u128);
    let said = said.str(", so no rate is ever looked at; lower `min_calls` or raise `window`");
    fault(Rule::R18, "breaker.min_calls", said)
}

const fn r19(policy: &Policy) -> Option<Fault> {
    let Some(breaker) = policy.breaker else { return None };
    let Some(probe) = breaker.probe_timeout else { return None };
    if probe.is_zero() {
        return None;
    }
    let said = text().str("a probe may take ").duration(probe);
    match (timeout(policy), deadline(policy)) {
        (Some(timeout), _) if shorter(probe, timeout) => {
            let said = said.str(", less than the attempt it tries out (`timeout_ms` is ").millis(timeout);
            fault(Rule::R19, "breaker.probe_timeout", said.str("); raise `probe_timeout_ms`"))
        }
        (_, Some(deadline)) if shorter(deadline, probe) => {
            let said = said.str(", but `deadline_ms` is ").millis(deadline);
            fault(Rule::R19, "breaker.probe_timeout", said.str("; lower `probe_timeout_ms`"))
        }
        _ => None,
    }
}

const fn r20(policy: &Policy) -> Option<Fault> {
    let (Some(breaker), Some(timeout)) = (policy.breaker, timeout(policy)) else { return None };
    let Some(slow) = breaker.slow else { return None };
    if shorter(slow, timeout) {
        return None;
    }
    let said = text()
        .str("an attempt is cut after ")
        .duration(timeout)
        .str(", so none that returns is slower than ")
        .duration(slow);
    fault(Rule::R20, "breaker.slow", said.str("; lower `slow_ms`"))
}

const fn r21(policy: &Policy) -> Option<Fault> {
    let (Some(breaker), Some(timeout)) = (policy.breaker, timeout(policy)) else { return None };
    let Window::Time { span } = breaker.window else { return None };
    if span.is_zero() || !shorter(span, timeout.saturating_mul(2)) {
        return None;
    }
    let said = text().str("a window of ").duration(span).str(" forgets a timeout of ").duration(timeout);
    fault(Rule::R21, "breaker.window", said.str(" before the next one; make `window_ms` at least twice `timeout_ms`"))
}

/// A wait that uses up the deadline: R22 and R38.
const fn waits(rule: Rule, at: &'static str, wait: Duration, deadline: Option<Duration>) -> Option<Fault> {
    let Some(deadline) = deadline else { return None };
    if wait.is_zero() || shorter(wait, deadline) {
        return None;
    }
    let said = text().str("waiting up to ").duration(wait).str(" leaves nothing of `deadline_ms = ").millis(deadline);
    fault(rule, at, said.str("`; lower `max_wait_ms`"))
}

const fn r22(policy: &Policy) -> Option<Fault> {
    let Some(gate) = policy.bulkhead else { return None };
    waits(Rule::R22, "bulkhead.max_wait", gate.max_wait, deadline(policy))
}

const fn r33(policy: &Policy) -> Option<Fault> {
    if policy.retries <= 10 {
        return None;
    }
    let said = text().str("what fails ").num(policy.attempts() as u128).str(" times is an outage, not a blip");
    fault(Rule::R33, "retries", said.str("; write `retries = 2`, 10 at the most"))
}

const fn r34(policy: &Policy) -> Option<Fault> {
    // R33 already speaks of the same number.
    if policy.retries <= 2 || policy.deadline.is_some() || (policy.retries > 10 && !policy.allow.has(Rule::R33)) {
        return None;
    }
    let said = text().num(policy.attempts() as u128).str(" attempts and nothing that bounds them together");
    fault(Rule::R34, "retries", said.str("; write `deadline_ms = …`, or `retries = 2` at the most"))
}

const fn r36(policy: &Policy) -> Option<Fault> {
    if !matches!(policy.retry_budget, Some(RetryBudget::Off)) {
        return None;
    }
    let said = if policy.retries > 0 || policy.hedge.is_some() {
        "without a budget every call of an outage is repeated; write `retry_budget = 0.1`"
    } else {
        "nothing is repeated here, so there is nothing to leave unbounded; drop `retry_budget`"
    };
    fault(Rule::R36, "retry_budget", text().str(said))
}

const fn r38(policy: &Policy) -> Option<Fault> {
    let Some(rate) = policy.rate_limit else { return None };
    waits(Rule::R38, "rate_limit.max_wait", rate.max_wait, deadline(policy))
}

/// The numbers of which [`r39`] holds one against another.
const PAIRS: &[&str] = &[
    "breaker.passes",
    "breaker.probes",
    "breaker.open_cap",
    "breaker.open",
    "breaker.open_factor",
    "bulkhead.min",
    "bulkhead.max",
    "rate_limit.burst",
    "rate_limit",
];

const fn r39(policy: &Policy, nth: u32) -> Option<Fault> {
    nth_of(&[passes(policy), open_cap(policy), limits(policy), strict_burst(policy)], nth)
}

const fn passes(policy: &Policy) -> Option<Fault> {
    let Some(breaker) = policy.breaker else { return None };
    let passes = breaker.passes();
    if passes <= breaker.probes || breaker.probes == 0 {
        return None;
    }
    let said = text().str("`passes` is ").num(passes as u128).str(", but there are only ").num(breaker.probes as u128);
    let said = said.str(" probes, so the breaker never closes; lower `passes` or raise `probes`");
    fault_of(Rule::R39, &["breaker.passes", "breaker.probes"], said)
}

const fn open_cap(policy: &Policy) -> Option<Fault> {
    let Some(breaker) = policy.breaker else { return None };
    // The default is no mistake where nothing grows: a longer `open_ms` holds.
    let is_said = breaker.open_factor > 1.0 || breaker.open_cap.as_nanos() != Breaker::NEW.open_cap.as_nanos();
    if !is_said || !shorter(breaker.open_cap, breaker.open) {
        return None;
    }
    let said =
        text().str("`open_cap_ms` is ").millis(breaker.open_cap).str(", below `open_ms` of ").millis(breaker.open);
    let said = said.str(", so it bounds nothing; raise `open_cap_ms` or lower `open_ms`");
    fault_of(Rule::R39, &["breaker.open_cap", "breaker.open", "breaker.open_factor"], said)
}

const fn limits(policy: &Policy) -> Option<Fault> {
    let Some(Bulkhead { limit: Limit::Adaptive { min, max, .. }, .. }) = policy.bulkhead else { return None };
    // Of a `max` of 0, R05 speaks.
    if min <= max || max == 0 {
        return None;
    }
    let said = text().str("`min` is ").num(min as u128).str(", but `max` is ").num(max as u128);
    let said = said.str(", and no limit is both; lower `min` or raise `max`");
    fault_of(Rule::R39, &["bulkhead.min", "bulkhead.max"], said)
}

const fn strict_burst(policy: &Policy) -> Option<Fault> {
    let Some(RateLimit { permits, burst: Some(burst), strict: true, .. }) = policy.rate_limit else { return None };
    // Of a rate of 0, R05 speaks.
    if burst <= permits || permits == 0 {
        return None;
    }
    let said = text().str("`burst` is ").num(burst as u128).str(", but `strict` never lets more than ");
    let said = said.num(permits as u128).str(" through in the time of the rate; lower `burst` or drop `strict`");
    fault_of(Rule::R39, &["rate_limit.burst", "rate_limit"], said)
}
