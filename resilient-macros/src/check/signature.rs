//! Rules about the settings and the kind of function that they are on.

use super::Subject;
use crate::arguments::{Hand, words};
use crate::errors::{Errors, written};
use crate::function::Access;
use crate::output::{OutputKind, borrowed, is_opaque};
use crate::settings::Setting;
use crate::values::Value;
use quote::ToTokens;
use resilient_policy::{FallbackKind, Limit, Policy, RetryBudget, Rule, Timeout, Window};
use syn::{GenericParam, Type};

pub fn check(subject: &Subject<'_>, errors: &mut Errors) {
    doubles(subject, errors);
    if !guardable(subject, errors) {
        // What else does not fit a function that cannot be guarded is no mistake of its own.
        return;
    }
    blocking(subject, errors);
    threaded(subject, errors);
    outcome(subject, errors);
    options(subject, errors);
    shared_answers(subject, errors);
    breaker(subject, errors);
    constants(subject, errors);
}

/// R30: there is an outcome, and somewhere to keep state.
fn guardable(subject: &Subject<'_>, errors: &mut Errors) -> bool {
    let before = errors.len();
    let sig = &subject.function.sig;
    if let Some(word) = &sig.constness {
        let said = "a `const fn` cannot be guarded, since guards keep state and time; drop `const` or `#[resilient]`";
        errors.over(Rule::R30, word, said);
    }
    if let Some(rest) = &sig.variadic {
        let said = "a variadic function cannot be guarded; put `#[resilient]` on a function that calls it";
        errors.over(Rule::R30, &rest.dots, said);
    }
    if let Some(Type::Never(never)) = &subject.function.output.ty {
        let said = "a function that never returns has no outcome to guard; put `#[resilient]` on what it calls";
        errors.over(Rule::R30, never, said);
    }
    if subject.function.output.kind == OutputKind::Stream {
        let said = "a stream cannot be guarded as one call; guard the function that fetches one item";
        errors.over(Rule::R30, &sig.output, said);
    }
    errors.len() == before
}

/// R02: nothing is said twice.
fn doubles(subject: &Subject<'_>, errors: &mut Errors) {
    for attr in subject.function.doubles() {
        errors.over(Rule::R02, attr, "two `#[resilient]` on one function; merge their settings into one");
    }
    if let (Some(read), Some(write)) = (subject.settings.get("read"), subject.settings.get("write")) {
        errors.at(
            Rule::R02,
            write.key.span(),
            "`read` and `write` answer the same question; keep the one that is true",
        );
        errors.also(Rule::R02, read.key.span(), "`read` was written here");
    }
}

/// R23: what only one kind of function can keep.
fn blocking(subject: &Subject<'_>, errors: &mut Errors) {
    let settings = subject.settings;
    if subject.function.output.is_async() {
        if let Some(blocking) = settings.get("blocking") {
            let said =
                "`blocking` says how a blocked thread keeps its timeout, but this function is async; leave it out";
            errors.at(Rule::R23, blocking.key.span(), said);
        }
        return;
    }
    if matches!(subject.policy.timeout, Timeout::After(_)) && !settings.has("blocking") && !settings.damaged("blocking")
    {
        let said = "nothing can interrupt a blocking call; write `blocking = cooperative` and bound each wait in the body by `resilient::remaining()`";
        errors.at(Rule::R23, settings.span_of("timeout"), said);
    }
    if let Some(hedge) = settings.get("hedge") {
        let said = "a hedge needs an async function, since nothing can drop a blocking call that lost; leave it out";
        errors.at(Rule::R23, hedge.key.span(), said);
    }
    if let Some(wait) = settings.get("rate_limit.max_wait") {
        let said = "waiting for a rate permit would block the thread; leave it out, or make the function async";
        errors.at(Rule::R23, wait.key.span(), said);
    }
}

/// R37: a body on a thread of its own borrows nothing of its caller's, and there are only so many.
fn threaded(subject: &Subject<'_>, errors: &mut Errors) {
    let (settings, function) = (subject.settings, subject.function);
    let Some(setting) = settings.get("blocking").filter(|_| subject.threaded()) else { return };
    if !settings.mentions("bulkhead") && !settings.damaged("bulkhead") {
        let said =
            "nothing bounds the threads that hang with their body; write `bulkhead = 12`, or `blocking = cooperative`";
        errors.over(Rule::R37, setting, said);
    }
    if let Some(receiver) = function.receiver() {
        let said = match function.access() {
            Some(Access::Value) if subject.again_is_known() && !subject.again() => None,
            Some(Access::Value) => {
                Some("every attempt would borrow the one `self` there is; take what the body needs as arguments")
            }
            _ => {
                Some("the thread outlives its caller, so it cannot borrow `self`; take `self: Arc<Self>`, or arguments")
            }
        };
        said.into_iter().for_each(|said| errors.over(Rule::R37, receiver, said));
    }
    for argument in &function.arguments {
        if let Some(borrow) = borrowed(&argument.ty) {
            let said = "the thread outlives its caller, so it cannot borrow; take an owned value, such as a `String` or an `Arc`";
            errors.over(Rule::R37, borrow, said);
        } else if let Some(share) = &argument.share {
            let said = "every attempt would borrow a shared argument, and a thread cannot; drop `#[share]`";
            errors.over(Rule::R37, share, said);
        }
    }
    if let Some(borrow) = function.output.borrows() {
        let said = "the thread outlives its caller, so it cannot hand out a borrow; return an owned value";
        errors.over(Rule::R37, borrow, said);
    }
}

/// R24: a rejection needs a way out.
fn outcome(subject: &Subject<'_>, errors: &mut Errors) {
    let output = &subject.function.output;
    let kind = subject.policy.fallback.map(|plan| plan.kind);
    let with_error = subject.settings.has("fallback.error");
    let instead = match kind {
        None if subject.settings.damaged("fallback") => return,
        None => "return a `Result`, or write a `fallback` that answers when a guard lets nothing through",
        Some(FallbackKind::Cached { .. }) => "return a `Result`, whose `Ok` is what `cached` keeps",
        Some(FallbackKind::Path { .. }) if with_error => "return a `Result`, or drop `error`",
        Some(_) => return,
    };
    if !output.is_no_result() {
        return;
    }
    match &output.ty {
        Some(ty) if !output.is_unit() => {
            let said = format!("`{}` does not tell success from failure; {instead}", written(ty));
            errors.over(Rule::R24, ty, said);
        }
        _ => {
            let said = format!("`()` does not tell success from failure; {instead}");
            errors.at(Rule::R24, subject.function.sig.ident.span(), said);
        }
    }
}

/// What an option belongs to: the rest of its setting must be so.
type Owner = (&'static str, fn(&Policy) -> bool);

const CACHED: Owner = (
    "a fallback that is `cached`",
    |policy| matches!(policy.fallback, Some(plan) if matches!(plan.kind, FallbackKind::Cached { .. })),
);
const PATH: Owner = (
    "a fallback that is the path of a function",
    |policy| matches!(policy.fallback, Some(plan) if matches!(plan.kind, FallbackKind::Path { .. })),
);
const CALLS: Owner = (
    "a window that is a number of calls",
    |policy| matches!(policy.breaker, Some(breaker) if matches!(breaker.window, Window::Count { .. })),
);
const ADAPTIVE: Owner = (
    "a bulkhead that is `adaptive`",
    |policy| matches!(policy.bulkhead, Some(bulkhead) if matches!(bulkhead.limit, Limit::Adaptive { .. })),
);
const QUEUE: Owner = (
    "a bulkhead with `max_wait_ms`",
    |policy| matches!(policy.bulkhead, Some(bulkhead) if !bulkhead.max_wait.is_zero()),
);
const RATIO: Owner =
    ("a budget that is a share of the calls", |policy| matches!(policy.retry_budget, Some(RetryBudget::Ratio { .. })));
const PERCENTILE: Owner =
    ("a hedge after a percentile", |policy| policy.hedge.is_some_and(|hedge| hedge.needs_samples()));

/// The options that not every form of their setting has a use for.
pub const OPTIONS: &[(&str, Owner)] = &[
    ("fallback.max_stale", CACHED),
    ("fallback.max_entries", CACHED),
    ("fallback.key", CACHED),
    ("fallback.error", PATH),
    ("fallback.timeout", PATH),
    ("breaker.window_age", CALLS),
    ("bulkhead.min", ADAPTIVE),
    ("bulkhead.max", ADAPTIVE),
    ("bulkhead.kind", ADAPTIVE),
    ("bulkhead.max_queue", QUEUE),
    ("bulkhead.order", QUEUE),
    ("bulkhead.max_age", QUEUE),
    ("retry_budget.burst", RATIO),
    ("retry_budget.floor_per_sec", RATIO),
    ("retry_budget.earn", RATIO),
    ("retry_budget.name", RATIO),
    ("hedge.min_samples", PERCENTILE),
];

/// R01: options that this form of their setting has no use for.
fn options(subject: &Subject<'_>, errors: &mut Errors) {
    let settings = subject.settings;
    for (at, (owner, is_so)) in OPTIONS {
        let Some(setting) = settings.get(at) else { continue };
        let guard = at.split('.').next().unwrap_or_default();
        // What the form is cannot be told from a value that was not understood.
        let unknown = [guard, "bulkhead.max_wait", "breaker.window"].iter().any(|at| settings.damaged(at));
        if !settings.has(guard) || unknown || is_so(subject.policy) {
            continue;
        }
        let said = format!("`{}` belongs to {owner}; leave it out", setting.key);
        errors.at(Rule::R01, setting.key.span(), said);
    }
}

/// R25 and R35: a kept or shared answer is an answer to the same question, and it is one.
fn shared_answers(subject: &Subject<'_>, errors: &mut Errors) {
    let settings = subject.settings;
    let cached = settings.get("fallback").filter(|setting| matches!(setting.value, Value::Word("cached")));
    if let Some(cached) = cached {
        if matches!(subject.function.output.ok(), Some(Type::Tuple(unit)) if unit.elems.is_empty()) {
            errors.over(Rule::R35, cached, "nothing to keep: the function returns `()`; write `fallback = default`");
        }
    }
    let coalesce = settings.get("coalesce");
    if let (Some(_), Some(twice)) = (cached.and_then(|_| settings.get("fallback.key")), settings.get("coalesce.key")) {
        let said = "what an answer depends on is said in `fallback(cached, key = (…))` already; write `coalesce` alone";
        errors.at(Rule::R02, twice.key.span(), said);
    }
    let keys = ["fallback.key", "coalesce.key"];
    if keys.iter().any(|at| settings.has(at) || settings.damaged(at)) {
        return;
    }
    if let Some(cached) = cached {
        depends(subject, cached, "write `fallback(cached, key = (…))` with what it depends on", errors);
    } else if let Some(coalesce) = coalesce {
        depends(subject, coalesce, "write `coalesce(key = (…))` with what it depends on", errors);
    }
}

/// R25: nothing that the answer may depend on is missing in the key.
fn depends(subject: &Subject<'_>, setting: &Setting, write: &str, errors: &mut Errors) {
    let function = subject.function;
    if function.receiver().is_some() {
        let said = format!("the answer may depend on `self`, which is no part of the key; {write}");
        errors.over(Rule::R25, setting, said);
        return;
    }
    for argument in &function.arguments {
        if argument.hand() == Hand::Exclusive || is_opaque(&argument.ty) {
            let said = format!("the answer may depend on this argument, which cannot be part of a key; {write}");
            errors.over(Rule::R25, &argument.ty, said);
        }
    }
}

/// R32: something can fail.
fn breaker(subject: &Subject<'_>, errors: &mut Errors) {
    let (policy, output) = (subject.policy, &subject.function.output);
    let Some(breaker) = policy.breaker else { return };
    let timed = matches!(policy.timeout, Timeout::After(_)) || policy.deadline.is_some();
    let unknown = ["timeout", "deadline", "breaker"].iter().any(|at| subject.settings.damaged(at));
    if output.is_no_result() && policy.fallback.is_some() && !timed && breaker.slow.is_none() && !unknown {
        let said = "nothing here can fail, so this breaker never trips; return a `Result`, or write a `timeout`";
        errors.at(Rule::R32, subject.settings.span_of("breaker"), said);
    }
}

/// R40: constants stand outside the function.
fn constants(subject: &Subject<'_>, errors: &mut Errors) {
    let generics = subject.function.sig.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&param.ident),
        GenericParam::Const(param) => Some(&param.ident),
        GenericParam::Lifetime(_) => None,
    });
    let generics: Vec<_> = generics.collect();
    for setting in subject.settings.iter() {
        let Value::Constant(expr, _) = &setting.value else { continue };
        words(expr.to_token_stream(), &mut |word| {
            let depends = word == "Self" || generics.contains(&word);
            if depends {
                let said = format!(
                    "settings are fixed when the crate is compiled, so they cannot depend on `{word}`; name a constant outside"
                );
                errors.at(Rule::R40, word.span(), said);
            }
            depends
        });
    }
}
