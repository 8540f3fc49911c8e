//! Rules about the arguments: what a second attempt can have, and what can be a key.

use super::Subject;
use crate::arguments::{Argument, Hand};
use crate::errors::{Errors, nearest};
use crate::function::Access;
use crate::values::Value;
use resilient_policy::Rule;
use syn::Pat;

pub fn check(subject: &Subject<'_>, errors: &mut Errors) {
    if subject.again_is_known() {
        shared(subject, errors);
    }
    // Of a hedge, R10 says what is wrong with the same `&mut`.
    if subject.again() && !subject.hedges() {
        repeated(subject, errors);
    }
    hedged(subject, errors);
    idempotency_key(subject, errors);
}

/// R10: two copies at once cannot both have the same `&mut`.
fn hedged(subject: &Subject<'_>, errors: &mut Errors) {
    let Some(hedge) = subject.settings.get("hedge") else { return };
    let exclusive = subject.function.arguments.iter().any(|argument| argument.hand() == Hand::Exclusive);
    if exclusive || subject.function.access() == Some(Access::Exclusive) {
        let said = "a hedge runs the call twice at once, and both cannot have the same `&mut`; drop `hedge`";
        errors.at(Rule::R10, hedge.key.span(), said);
    }
    if subject.function.access() == Some(Access::Value) {
        let said = "a hedge runs the call twice at once, and both cannot have `self`; take `&self`, or drop `hedge`";
        errors.at(Rule::R10, hedge.key.span(), said);
    }
    let owned = |argument: &&Argument| argument.hand() == Hand::Owned;
    for share in subject.function.arguments.iter().filter(owned).filter_map(|argument| argument.share.as_ref()) {
        let said = "a hedge runs the call twice at once, and both cannot own this argument; drop `#[share]` to give each a copy";
        errors.over(Rule::R10, share, said);
    }
}

/// R26: `#[share]` where it means something.
fn shared(subject: &Subject<'_>, errors: &mut Errors) {
    for argument in &subject.function.arguments {
        let Some(share) = &argument.share else { continue };
        match argument.hand() {
            _ if !subject.again() => {
                let said = "`#[share]` matters only where an argument is needed again; drop it, or write `retries = 1`";
                errors.over(Rule::R26, share, said);
            }
            Hand::Shared => {
                errors.over(Rule::R26, share, "a `&` is shared by every attempt anyway; drop `#[share]`");
            }
            Hand::Owned => {
                let mutable = match &argument.pat {
                    Pat::Ident(pat) => pat.mutability,
                    _ => None,
                };
                if let Some(word) = mutable {
                    let said = "a shared argument is the same in every attempt, so it cannot be `mut`; drop `mut` or `#[share]`";
                    errors.over(Rule::R26, &word, said);
                }
            }
            Hand::Exclusive => {}
        }
    }
}

/// R26: nothing of a failed attempt is left behind.
fn repeated(subject: &Subject<'_>, errors: &mut Errors) {
    for argument in &subject.function.arguments {
        if argument.hand() == Hand::Exclusive && argument.share.is_none() {
            let said =
                "what a failed attempt did to this argument stays done; write `#[share]` before it if that is meant";
            errors.over(Rule::R26, &argument.ty, said);
        }
    }
    if let Some(lent) = subject.function.output.lends() {
        let said = "a repeated function cannot hand out `&mut` into its arguments: a failed attempt would still hold it; return an owned value, or drop the retries";
        errors.over(Rule::R26, &lent, said);
    }
}

/// R29: the key is an argument with a name.
fn idempotency_key(subject: &Subject<'_>, errors: &mut Errors) {
    let Some(setting) = subject.settings.get("idempotency_key") else { return };
    let Value::Argument(name) = &setting.value else { return };
    let arguments = &subject.function.arguments;
    if arguments.iter().any(|argument| argument.name() == Some(name)) {
        return;
    }
    if let Some(argument) = arguments.iter().find(|argument| argument.binds().contains(name)) {
        let said = format!("`{name}` is part of a pattern; name the argument to use it as a key");
        errors.over(Rule::R29, &argument.pat, said);
        return;
    }
    let names = arguments.iter().filter_map(|argument| argument.name()).map(ToString::to_string);
    let names: Vec<_> = names.collect();
    let said = match nearest(&name.to_string(), names.iter().map(String::as_str)) {
        Some(near) => format!("no argument is called `{name}`; did you mean `{near}`?"),
        None => format!("no argument is called `{name}`; take `{name}: IdempotencyKey` and let the caller make it"),
    };
    errors.at(Rule::R29, name.span(), said);
}
