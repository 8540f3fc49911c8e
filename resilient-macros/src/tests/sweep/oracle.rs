//! What an attribute is to be told, worked out from how it was put together and not from its text.

use super::choices::{Choice, Rest};
use crate::keys::Takes;
use resilient_policy::Kind;
use resilient_policy::Rule::{self, R01, R02, R10, R11, R13, R15, R23, R36, R37};

/// The ways to write it.
const ON_A_THREAD: [&str; 2] = ["thread", "\"thread\""];

/// The faults that an attribute is to have.
#[derive(Default)]
pub struct Expected {
    /// All of these.
    pub must: Vec<Rule>,
    /// Of these any: a rule is not asked of a key that is wrong already.
    pub may: Vec<Rule>,
    /// Whether a value is a constant: then a rule of the policy may be left to rustc.
    pub has_constant: bool,
}

impl Expected {
    /// What is wrong with these settings together; `None` where one of them is open.
    pub fn of(chosen: &[&Choice], is_async: bool) -> Option<Self> {
        let plan = Plan::of(chosen);
        let mut must = Vec::new();
        for choice in chosen {
            let faults = choice.faults.as_ref()?;
            // Nobody asks for the number of an option that should not be there.
            if choice.is_refused() || !is_misfit(chosen, plan, choice.key.at) {
                must.extend(faults);
            }
        }
        let mut may = conflicts(chosen, is_async);
        let allowed: String = chosen.iter().filter(|it| it.key.takes == Takes::Rules).map(|it| it.value()).collect();
        for rules in [&mut must, &mut may] {
            rules.retain(|rule| !rule.allowable() || !allowed.contains(rule.id()));
        }
        // Where every value is right alone, none is a reason not to ask.
        if chosen.iter().all(|choice| choice.is_right()) {
            must.append(&mut may);
        }
        Some(Self { must, may, has_constant: chosen.iter().any(|choice| choice.is_constant()) })
    }

    pub fn is_right(&self) -> bool {
        self.must.is_empty() && self.may.is_empty()
    }

    /// Whether these faults are the expected ones; `claims` are the rules that rustc is asked.
    pub fn is_met_by(&self, found: &[Rule], claims: &[Rule]) -> bool {
        let mut rest = found.to_vec();
        let mut take = |rule: &Rule| rest.iter().position(|found| found == rule).map(|at| rest.remove(at)).is_some();
        // Beside an error nothing is expanded, so nothing is claimed.
        let is_left = |rule: &Rule| {
            self.has_constant && rule.kind() == Kind::Policy && (claims.contains(rule) || !found.is_empty())
        };
        let all = self.must.iter().all(|rule| take(rule) || is_left(rule));
        self.may.iter().for_each(|rule| _ = take(rule));
        let says_something = !found.is_empty() || !claims.is_empty();
        all && rest.is_empty() && (self.is_right() || says_something)
    }
}

/// Whether these settings repeat the function.
pub fn repeats(chosen: &[&Choice]) -> bool {
    let budget = chosen.iter().any(|it| it.key.at == "retry_budget" && it.value() != "none");
    match chosen.iter().find(|it| it.key.at == "retries") {
        Some(retries) => !["0", "0x0"].contains(&retries.value()),
        None => budget || has(chosen, "retry"),
    }
}

pub fn has(chosen: &[&Choice], at: &str) -> bool {
    chosen.iter().any(|choice| choice.key.at == at)
}

fn says(chosen: &[&Choice], at: &str, value: &str) -> bool {
    chosen.iter().any(|choice| choice.key.at == at && choice.value() == value)
}

/// Settings that are right alone, and wrong together or on such a function.
fn conflicts(chosen: &[&Choice], is_async: bool) -> Vec<Rule> {
    let has = |at| has(chosen, at);
    let says = |at, value| says(chosen, at, value);
    let plan = Plan::of(chosen);
    let mut faults = Vec::new();
    let mut wrong = |rule, times: usize| faults.extend(std::iter::repeat_n(rule, times));
    let count = |ats: &[&'static str]| ats.iter().filter(|at| has(at)).count();
    wrong(R02, 2 * usize::from(has("read") && has("write")));
    wrong(R10, usize::from(has("hedge") && has("write")));
    let twice = plan == Plan::Cached && has("fallback.key") && has("coalesce.key");
    wrong(R02, usize::from(twice));
    wrong(R11, usize::from(has("write") && (has("coalesce") || !matches!(plan, Plan::None | Plan::Path))));
    wrong(R13, usize::from(has("retry_budget") && !says("retry_budget", "none") && !repeats(chosen) && !has("hedge")));
    wrong(R15, usize::from(repeats(chosen) && says("retry.jitter", "none")));
    wrong(R36, usize::from(says("retry_budget", "none")));
    if is_async {
        wrong(R23, count(&["blocking"]));
    } else {
        wrong(R23, count(&["hedge", "rate_limit.max_wait"]));
        wrong(R37, usize::from(ON_A_THREAD.iter().any(|thread| says("blocking", thread)) && !has("bulkhead")));
    }
    wrong(R01, chosen.iter().filter(|choice| is_misfit(chosen, plan, choice.key.at)).count());
    faults
}

/// Whether this is an option of another form of its setting.
fn is_misfit(chosen: &[&Choice], plan: Plan, at: &str) -> bool {
    let is = |at, value: &str| chosen.iter().any(|it| it.key.at == at && it.value().trim_matches('"') == value);
    match at {
        "bulkhead.min" | "bulkhead.max" | "bulkhead.kind" => has(chosen, "bulkhead") && !is("bulkhead", "adaptive"),
        "bulkhead.max_queue" | "bulkhead.order" | "bulkhead.max_age" => {
            let is_zero = |it: &Choice| ["0ms", "0.0s"].contains(&it.value());
            let no_wait = chosen.iter().filter(|it| it.key.at == "bulkhead.max_wait").all(|it| is_zero(it));
            has(chosen, "bulkhead") && no_wait
        }
        "retry_budget.burst" | "retry_budget.floor_per_sec" | "retry_budget.earn" | "retry_budget.name" => {
            ["none", "throttle", "quota", "active"].iter().any(|word| is("retry_budget", word))
        }
        "hedge.min_samples" => {
            chosen.iter().any(|it| it.key.at == "hedge" && !it.value().trim_matches('"').starts_with('p'))
        }
        "breaker.window_age" => chosen.iter().any(|it| {
            it.key.at == "breaker.window"
                && (it.spelled.ends_with("_ms") || it.value().trim_matches('"').ends_with('s'))
        }),
        _ => plan.is_misfit(at),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    None,
    Cached,
    Default,
    Value,
    Path,
}

impl Plan {
    /// Whether this is an option of another plan.
    fn is_misfit(self, at: &str) -> bool {
        match at {
            "fallback.max_stale" | "fallback.max_entries" | "fallback.key" => {
                ![Self::None, Self::Cached].contains(&self)
            }
            "fallback.error" | "fallback.timeout" => ![Self::None, Self::Path].contains(&self),
            _ => false,
        }
    }

    fn of(chosen: &[&Choice]) -> Self {
        match chosen.iter().find(|choice| choice.key.at == "fallback") {
            None => Self::None,
            Some(it) if matches!(it.rest, Rest::Text(_)) => Self::None,
            Some(it) => match it.value() {
                "cached" => Self::Cached,
                "default" => Self::Default,
                value if value.starts_with("value") => Self::Value,
                _ => Self::Path,
            },
        }
    }
}
