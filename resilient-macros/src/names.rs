//! Names, and the placeholders that select one of many states: `"webhook.{customer}"`.

use crate::settings::Settings;
use crate::values::{Reader, Value};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use resilient_policy::Rule;
use std::fmt;
use syn::Member;
use syn::spanned::Spanned;

/// A name as it is written.
pub struct Name {
    /// All of it, with its placeholders.
    text: String,
    /// What selects the state, in the order in which it stands there.
    pub placeholders: Vec<Placeholder>,
}

/// `{customer}`, `{customer.id}` or `{self.shop}`.
#[derive(Clone)]
pub struct Placeholder {
    /// What stands between the braces.
    pub text: String,
    /// The name of an argument, or `self`.
    pub base: Ident,
    /// The fields behind it.
    pub fields: Vec<Member>,
    /// Where the name stands.
    pub at: Span,
}

/// The guards whose states one key selects.
pub struct Select<'a> {
    /// As the runtime calls them.
    pub guards: Vec<Ident>,
    /// What the key is made of.
    pub placeholders: &'a [Placeholder],
}

/// The names that may have placeholders, by their paths, and the guards whose they are.
const KEYED: &[(&str, &str)] = &[
    ("breaker", "Breaker"),
    ("bulkhead.name", "Bulkhead"),
    ("retry_budget.name", "RetryBudget"),
    ("rate_limit.name", "RateLimit"),
];

/// The keys that a call has: guards with the same placeholders share one.
pub fn selects(settings: &Settings) -> Vec<Select<'_>> {
    let mut selects: Vec<Select<'_>> = Vec::new();
    for (at, guard) in KEYED {
        let Some(Value::Name(name)) = settings.get(at).map(|setting| &setting.value) else { continue };
        let guard = Ident::new(guard, Span::mixed_site());
        let texts = |list: &[Placeholder]| list.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
        let same = selects.iter_mut().find(|known| texts(known.placeholders) == texts(&name.placeholders));
        match same {
            _ if name.placeholders.is_empty() => {}
            Some(known) => known.guards.push(guard),
            None => selects.push(Select { guards: vec![guard], placeholders: &name.placeholders }),
        }
    }
    selects
}

impl Placeholder {
    /// Whether it is a part of the method's own value.
    pub fn is_own(&self) -> bool {
        self.base == "self"
    }

    /// What stands between two braces.
    fn read(inside: &str, at: Span) -> Result<Self, String> {
        if inside.is_empty() {
            return Err(
                "`{}` names nothing; write the argument that selects the state, such as `{customer}`".to_owned()
            );
        }
        if let Some((value, _)) = inside.split_once(':') {
            return Err(format!(
                "a placeholder takes no format, every value is written as `{{}}` does; write `{{{value}}}`"
            ));
        }
        if inside.contains(char::is_whitespace)
            && !inside.trim().contains(|c: char| !c.is_alphanumeric() && !"._".contains(c))
        {
            return Err(format!("a placeholder has no blanks; write `{{{}}}`", inside.trim()));
        }
        let mut parts = inside.split('.');
        let base = parts.next().unwrap_or_default();
        let base = if base == "self" { Ok(Ident::new(base, at)) } else { syn::parse_str::<Ident>(base) };
        let fields: Result<Vec<Member>, _> = parts.map(syn::parse_str).collect();
        let (Ok(mut base), Ok(mut fields)) = (base, fields) else {
            return Err(format!(
                "`{inside}` is more than an argument or a field of one; take what it gives as an argument, and write that one's name"
            ));
        };
        if base == "self" && fields.is_empty() {
            return Err(
                "`{self}` is the whole value; write the field that selects the state, such as `{self.shop}`".to_owned()
            );
        }
        let here = Span::mixed_site().located_at(at);
        base.set_span(at);
        fields.iter_mut().for_each(|field| match field {
            Member::Named(name) => name.set_span(here),
            Member::Unnamed(index) => index.span = here,
        });
        Ok(Self { text: inside.to_owned(), base, fields, at })
    }
}

impl Reader<'_> {
    /// The name that a text is.
    pub fn name(&mut self, text: &str) -> Option<Value> {
        match self.parsed(text) {
            Ok(name) => Some(Value::Name(name)),
            Err(said) => {
                self.errors.over(Rule::R31, &self.tokens, said);
                None
            }
        }
    }

    fn parsed(&self, text: &str) -> Result<Name, String> {
        if text.is_empty() {
            return Err(format!("a {} needs a name; write `{}`", self.owner(), self.key.right()));
        }
        let mut placeholders = Vec::new();
        let mut rest = text;
        let mut tame = String::new();
        while let Some((before, after)) = rest.split_once(['{', '}']) {
            tame.push_str(&tamed(before));
            if !rest[before.len()..].starts_with('{') {
                return Err("this `}` closes nothing; leave it out, or write `{` before an argument's name".to_owned());
            }
            let inside = after.split(['{', '}']).next().unwrap_or_default();
            rest = after[inside.len()..].strip_prefix('}').ok_or_else(|| {
                let word: String = inside.chars().take_while(|c| c.is_alphanumeric() || "._".contains(*c)).collect();
                let word = if word.is_empty() { "customer" } else { &word };
                format!("`{{{inside}` is not closed; write `{{{word}}}`")
            })?;
            placeholders.push(Placeholder::read(inside, self.tokens.span())?);
            tame.push_str(&format!("{{{inside}}}"));
        }
        tame.push_str(&tamed(rest));
        if tame != text {
            return Err(format!("a name is made of `a-z`, `0-9`, `.`, `_` and `-`; write \"{tame}\""));
        }
        if !placeholders.is_empty() && !KEYED.iter().any(|(at, _)| *at == self.key.at) {
            return Err(format!(
                "{} has one name for all its calls; write placeholders in the name of a breaker, bulkhead or budget",
                if self.key.at == "dependency" { "a dependency" } else { "an operation" }
            ));
        }
        Ok(Name { text: text.to_owned(), placeholders })
    }

    /// What the key names.
    fn owner(&self) -> &'static str {
        match self.key.at.split('.').next() {
            Some("breaker") => "breaker",
            Some("bulkhead") => "bulkhead",
            Some("retry_budget") => "budget",
            Some("rate_limit") => "rate limit",
            Some("dependency") => "dependency",
            _ => "operation",
        }
    }
}

/// The nearest text that may be a name, or a part of one.
fn tamed(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.chars().map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' }).collect()
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ToTokens for Name {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.text.to_tokens(tokens);
    }
}
