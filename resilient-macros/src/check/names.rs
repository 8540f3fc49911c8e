//! R31: placeholders name what the function has.

use super::Subject;
use crate::errors::{Errors, listed, nearest};
use crate::names::Placeholder;
use crate::settings::Setting;
use crate::values::Value;
use resilient_policy::Rule;

pub fn check(subject: &Subject<'_>, errors: &mut Errors) {
    for setting in subject.settings.iter() {
        let Value::Name(name) = &setting.value else { continue };
        for placeholder in &name.placeholders {
            known(subject, setting, placeholder, errors);
        }
    }
}

fn known(subject: &Subject<'_>, setting: &Setting, placeholder: &Placeholder, errors: &mut Errors) {
    let (arguments, base, text) = (&subject.function.arguments, &placeholder.base, &placeholder.text);
    if placeholder.is_own() {
        if subject.function.receiver().is_none() {
            let said =
                format!("`{{{text}}}` needs a method, and this function has no `self`; name an argument instead");
            errors.over(Rule::R31, setting, said);
        }
        return;
    }
    if arguments.iter().any(|argument| argument.name() == Some(base)) {
        return;
    }
    if arguments.iter().any(|argument| argument.binds().contains(base)) {
        let said = format!("`{base}` is part of a pattern; name the whole argument to use it in `{{{text}}}`");
        errors.over(Rule::R31, setting, said);
        return;
    }
    let names: Vec<_> = arguments.iter().filter_map(|argument| argument.name()).map(ToString::to_string).collect();
    let names = || names.iter().map(String::as_str);
    let instead = match nearest(&base.to_string(), names()) {
        Some(near) => format!("did you mean `{{{near}}}`?"),
        None if names().next().is_none() => format!("take `{base}` as one, or write a name without `{{{text}}}`"),
        None => format!("there is {}", listed(names(), "and")),
    };
    errors.over(Rule::R31, setting, format!("no argument is called `{base}`; {instead}"));
}
