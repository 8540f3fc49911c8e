//! The keys of the attribute: one line each.

/// A key, at the top level or as an option of another.
pub struct Key {
    /// As it is written, without `_ms`.
    pub word: &'static str,
    /// Its path in a [`Policy`](resilient_policy::Policy), as faults name it. Two keys of one path exclude each other.
    pub at: &'static str,
    /// What its value is.
    pub takes: Takes,
    /// Words that may stand in the value's place.
    pub words: &'static [&'static str],
    /// A value that would be right.
    pub example: &'static str,
    /// What may follow the value inside parentheses.
    pub options: &'static [Key],
}

/// What the value of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: the key alone says it.
    Nothing,
    /// Only options, in parentheses.
    Options,
    /// A span of time; the key may end in `_ms`.
    Time,
    /// A whole number.
    Count,
    /// A share such as `0.1` or `10%`; whether it is in range is for a rule to say.
    Share,
    /// A number; whether it is in range is for a rule to say.
    Factor,
    /// One of the key's words.
    Word,
    /// The name of an operation, a dependency or a guard's state.
    Name,
    /// The path of a function.
    Function,
    /// The name of one of the function's arguments.
    Argument,
    /// Where the runtime crate is.
    Root,
    /// A list of rules, in parentheses.
    Rules,
    /// A count of calls, or a span of time.
    Window,
    /// `"100/min"`.
    Rate,
    /// A span of time, or a percentile such as `p95`.
    Delay,
    /// `value(expr)`, or the path of a function.
    Plan,
    /// Expressions in parentheses.
    Parts,
}

const fn key(word: &'static str, at: &'static str, takes: Takes, example: &'static str) -> Key {
    Key { word, at, takes, words: &[], example, options: &[] }
}

impl Key {
    const fn or(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    const fn with(self, options: &'static [Key]) -> Self {
        Self { options, ..self }
    }

    /// Whether `written` is this key.
    pub fn is(&self, written: &str) -> bool {
        self.spellings().iter().any(|spelling| spelling == written)
    }

    /// Every way to write it.
    pub fn spellings(&self) -> Vec<String> {
        let millis = matches!(self.takes, Takes::Time | Takes::Window);
        [Some(self.word.to_owned()), millis.then(|| format!("{}_ms", self.word))].into_iter().flatten().collect()
    }

    /// The key with a right value: what a message tells the user to write.
    pub fn right(&self) -> String {
        match self.takes {
            Takes::Nothing => self.word.to_owned(),
            Takes::Options | Takes::Rules => format!("{}({})", self.word, self.example),
            _ => format!("{} = {}", self.word, self.example),
        }
    }
}

/// The top level.
pub const KEYS: &[Key] = &[
    key("timeout", "timeout", Takes::Time, "60ms").or(&["none"]),
    key("deadline", "deadline", Takes::Time, "500ms"),
    key("retries", "retries", Takes::Count, "1"),
    key("retry", "retry", Takes::Options, "base_ms = 25").with(RETRY),
    key("retry_budget", "retry_budget", Takes::Share, "0.1")
        .or(&["none", "throttle", "quota", "active"])
        .with(RETRY_BUDGET),
    key("breaker", "breaker", Takes::Name, "\"stock.view\"").with(BREAKER),
    key("bulkhead", "bulkhead", Takes::Count, "12").or(&["adaptive"]).with(BULKHEAD),
    key("rate_limit", "rate_limit", Takes::Rate, "\"100/min\"").with(RATE_LIMIT),
    key("hedge", "hedge", Takes::Delay, "p95").with(HEDGE),
    key("fallback", "fallback", Takes::Plan, "cached").or(&["cached", "default"]).with(FALLBACK),
    key("read", "read", Takes::Nothing, ""),
    key("write", "write", Takes::Nothing, ""),
    key("idempotency_key", "idempotency_key", Takes::Argument, "key"),
    key("blocking", "blocking", Takes::Word, "cooperative").or(&["cooperative", "thread"]),
    key("coalesce", "coalesce", Takes::Nothing, "").with(COALESCE),
    key("name", "name", Takes::Name, "\"stock.view\""),
    key("dependency", "dependency", Takes::Name, "\"stock\""),
    key("allow", "allow", Takes::Rules, "R07"),
    key("crate", "crate", Takes::Root, "::resilient"),
];

/// Words by which other libraries count attempts or repeats, and how many of what they count are the first attempt.
pub const COUNTS: &[(&str, u32)] =
    &[("attempts", 1), ("max_attempts", 1), ("max_retries", 0), ("max_tries", 1), ("tries", 1)];

const RETRY: &[Key] = &[
    key("base", "retry.base", Takes::Time, "25ms"),
    key("cap", "retry.cap", Takes::Time, "1s"),
    key("factor", "retry.factor", Takes::Factor, "2"),
    key("jitter", "retry.jitter", Takes::Word, "full").or(&["full", "equal", "decorrelated", "none"]),
    key("retry_after_cap", "retry.retry_after_cap", Takes::Time, "1s"),
    key("only_unsent", "retry.only_unsent", Takes::Nothing, ""),
    key("overloaded", "retry.overloaded", Takes::Nothing, ""),
    key("on", "retry.on", Takes::Function, "my_judge"),
];

const RETRY_BUDGET: &[Key] = &[
    key("burst", "retry_budget.burst", Takes::Count, "10"),
    key("floor_per_sec", "retry_budget.floor_per_sec", Takes::Count, "1"),
    key("earn", "retry_budget.earn", Takes::Word, "call").or(&["call", "success"]),
    key("name", "retry_budget.name", Takes::Name, "\"stock\""),
];

const BREAKER: &[Key] = &[
    key("window", "breaker.window", Takes::Window, "20"),
    key("window_age", "breaker.window_age", Takes::Time, "10s"),
    key("min_calls", "breaker.min_calls", Takes::Count, "20"),
    key("failure_rate", "breaker.failure_rate", Takes::Share, "0.5"),
    key("slow", "breaker.slow", Takes::Time, "50ms"),
    key("slow_rate", "breaker.slow_rate", Takes::Share, "0.5"),
    key("consecutive", "breaker.consecutive", Takes::Count, "5"),
    key("open", "breaker.open", Takes::Time, "5s"),
    key("open_jitter", "breaker.open_jitter", Takes::Share, "0.5"),
    key("open_factor", "breaker.open_factor", Takes::Factor, "2"),
    key("open_cap", "breaker.open_cap", Takes::Time, "60s"),
    key("probes", "breaker.probes", Takes::Count, "3"),
    key("passes", "breaker.passes", Takes::Count, "3"),
    key("probe_timeout", "breaker.probe_timeout", Takes::Time, "60ms"),
    key("scope", "breaker.scope", Takes::Word, "call").or(&["call", "attempt"]),
    key("success_on", "breaker.success_on", Takes::Function, "my_judge"),
    key("ignore_on", "breaker.ignore_on", Takes::Function, "my_judge"),
];

const BULKHEAD: &[Key] = &[
    key("name", "bulkhead.name", Takes::Name, "\"stock\""),
    key("max_wait", "bulkhead.max_wait", Takes::Time, "20ms"),
    key("max_queue", "bulkhead.max_queue", Takes::Count, "12"),
    key("order", "bulkhead.order", Takes::Word, "fifo").or(&["fifo", "newest"]),
    key("max_age", "bulkhead.max_age", Takes::Time, "100ms"),
    key("min", "bulkhead.min", Takes::Count, "4"),
    key("max", "bulkhead.max", Takes::Count, "200"),
    key("kind", "bulkhead.kind", Takes::Word, "aimd").or(&["aimd", "vegas", "gradient2"]),
];

const RATE_LIMIT: &[Key] = &[
    key("burst", "rate_limit.burst", Takes::Count, "10"),
    key("max_wait", "rate_limit.max_wait", Takes::Time, "20ms"),
    key("name", "rate_limit.name", Takes::Name, "\"stock\""),
    key("strict", "rate_limit.strict", Takes::Nothing, ""),
];

const HEDGE: &[Key] = &[key("min_samples", "hedge.min_samples", Takes::Count, "100")];

const COALESCE: &[Key] = &[key("key", "coalesce.key", Takes::Parts, "(id)")];

const FALLBACK: &[Key] = &[
    key("max_stale", "fallback.max_stale", Takes::Time, "300s"),
    key("max_entries", "fallback.max_entries", Takes::Count, "1_000"),
    key("key", "fallback.key", Takes::Parts, "(id)"),
    key("error", "fallback.error", Takes::Nothing, ""),
    key("timeout", "fallback.timeout", Takes::Time, "60ms"),
    key("on", "fallback.on", Takes::Word, "any").or(&["any"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_read_keys_of_the_table() {
        let known: Vec<_> = KEYS.iter().flat_map(|key| std::iter::once(key).chain(key.options)).collect();
        for rule in resilient_policy::rules::RULES {
            for read in rule.reads {
                assert!(known.iter().any(|key| key.at == *read), "{} reads `{read}`", rule.rule);
            }
        }
    }
}
