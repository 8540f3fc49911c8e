//! Whether the settings may be so: first what the policy says by itself, then what it says of this function.

mod arguments;
mod names;
mod signature;

use crate::errors::Errors;
use crate::function::Function;
use crate::settings::{Setting, Settings};
use proc_macro2::Span;
use resilient_policy::rules::{PolicyRule, RULES};
use resilient_policy::{Blocking, FallbackKind, Fault, Policy, Rule};

/// Everything that is asked about.
pub struct Subject<'a> {
    /// What was written.
    pub settings: &'a Settings,
    /// What it means.
    pub policy: &'a Policy,
    /// What it is written on.
    pub function: &'a Function,
}

impl Subject<'_> {
    /// Whether a second attempt is possible; a constant may say anything.
    pub fn repeats(&self) -> bool {
        self.policy.retries > 0
    }

    /// Whether a second copy may run beside the first.
    pub fn hedges(&self) -> bool {
        self.policy.hedge.is_some()
    }

    /// Whether something runs after the first attempt, or beside it, that needs the arguments once more.
    pub fn again(&self) -> bool {
        self.repeats()
            || self.hedges()
            || matches!(self.policy.fallback, Some(plan) if matches!(plan.kind, FallbackKind::Path { .. }))
    }

    /// Whether that can be told.
    fn again_is_known(&self) -> bool {
        !self.settings.damaged("retries") && !self.settings.damaged("fallback")
    }

    /// Whether the body runs on a thread of its own.
    pub fn threaded(&self) -> bool {
        self.policy.blocking == Some(Blocking::Thread) && !self.function.output.is_async()
    }
}

/// Puts every broken rule into `errors`.
pub fn check(subject: &Subject<'_>, errors: &mut Errors) {
    rules(subject.settings, subject.policy, errors);
    signature::check(subject, errors);
    arguments::check(subject, errors);
    names::check(subject, errors);
}

/// The rules that the policy alone can break, as far as what they read can be told here.
fn rules(settings: &Settings, policy: &Policy, errors: &mut Errors) {
    for PolicyRule { rule, .. } in RULES {
        for fault in (0..).map_while(|nth| resilient_policy::check(*rule, policy, nth)) {
            let is_unknown = fault.reads.iter().any(|at| settings.damaged(at));
            if !is_unknown && settings.constants(fault.reads).next().is_none() {
                show(&fault, settings, errors);
            }
        }
    }
}

/// The place of a fault: the value where the value alone is wrong, else the key, else a key that the rule read.
fn show(fault: &Fault, settings: &Settings, errors: &mut Errors) {
    let alone = [Rule::R03, Rule::R05, Rule::R14, Rule::R15, Rule::R16, Rule::R17, Rule::R33].contains(&fault.rule);
    match settings.get(fault.at) {
        Some(setting) if alone => errors.over(fault.rule, setting, fault.text),
        _ => errors.at(fault.rule, place(fault.at, fault.reads, settings), fault.text),
    }
}

fn place(at: &str, reads: &[&'static str], settings: &Settings) -> Span {
    // An option that is not written is wrong beside one that is.
    let beside = || reads.iter().filter(|_| at.contains('.')).find_map(|read| settings.get(read));
    let setting = settings.get(at).or_else(beside).or_else(|| settings.key_of(at));
    let setting = setting.or_else(|| reads.iter().find_map(|read| settings.key_of(read)));
    setting.map_or_else(Span::call_site, |setting| setting.key.span())
}

/// The rules that only rustc can ask, because one of their keys is a constant: and where to show the answer.
pub fn claims(settings: &Settings) -> Vec<(Rule, Span)> {
    let claim = |PolicyRule { rule, reads }: &PolicyRule| {
        let constant: &Setting = settings.constants(reads).next()?;
        is_about(settings, reads, constant).then(|| (*rule, constant.key.span()))
    };
    RULES.iter().filter_map(claim).collect()
}

/// Whether the guard that a rule is about is there at all: the list names it first, or the constant is an option of it.
fn is_about(settings: &Settings, reads: &[&'static str], constant: &Setting) -> bool {
    const GUARDS: &[&str] = &["breaker", "bulkhead", "hedge", "rate_limit", "retry_budget"];
    let guard = |at: &str| at.split('.').next().and_then(|word| GUARDS.iter().find(|guard| **guard == word));
    let first = reads.first().and_then(|read| guard(read));
    first.is_none_or(|guard| settings.has(guard)) || (constant.at.contains('.') && guard(constant.at).is_some())
}
