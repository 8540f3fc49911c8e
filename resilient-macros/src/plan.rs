//! What the expansion is to do: every decision is taken here.

use crate::arguments::{Argument, Hand};
use crate::check::{Subject, claims};
use crate::constant::{Writer, Written};
use crate::function::{Access, Function};
use crate::names::{self, Select};
use crate::settings::Settings;
use crate::values::{Constant, Value};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use resilient_policy::Rule;
use syn::ext::IdentExt;
use syn::{Expr, Pat, Path};

/// The expansion in words.
pub struct Plan<'a> {
    /// The function.
    pub function: &'a Function,
    /// The path of the runtime's hidden module.
    pub runtime: TokenStream,
    /// The name that it has in the function. All paths of ours begin with it, so that a wrong one is one error.
    pub root: TokenStream,
    /// The call site.
    pub site: Site,
    /// Whether the body runs on a thread of its own.
    pub threaded: bool,
    /// Whether attempts stand in a loop.
    pub looped: bool,
    /// Whether an attempt may run in two copies: then the body is a closure that makes them.
    pub hedged: bool,
    /// Where the loop comes from, as far as the user can see.
    pub cause: Span,
    /// Whether an attempt owns what it uses; else it borrows.
    pub moves: bool,
    /// Whether `self` is lent to each attempt under the name that the body gives it.
    pub lends_self: bool,
    /// How each argument gets into an attempt.
    pub passes: Vec<Pass<'a>>,
    /// The argument that is the idempotency key, by its place.
    pub key: Option<usize>,
    /// The keys that select states.
    pub selects: Vec<Select<'a>>,
    /// What judges an outcome.
    pub judge: Judge<'a>,
    /// Whether the return type is taken for a `Result` without asking.
    pub strict: bool,
    /// What a kept or shared answer is an answer to, where one may be.
    pub key_of: Option<KeyOf<'a>>,
    /// Whether calls that ask the same at the same time share one answer.
    pub coalesces: bool,
    /// What comes after the last attempt.
    pub ending: Ending<'a>,
}

/// The parts of a key; `None`: every argument is one.
pub type KeyOf<'a> = Option<&'a [Expr]>;

/// The call site: a constant policy, what it is made of, and what rustc is to check about it.
pub struct Site {
    /// The constants.
    pub homes: Vec<Home>,
    /// The policy.
    pub policy: TokenStream,
    /// The rules that a constant may break, and where to say so.
    pub claims: Vec<(Rule, Span)>,
    /// The function's name.
    pub function: String,
}

/// A constant with the type that it is to have, so that a mismatch is shown at the user's expression alone.
pub struct Home {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TokenStream,
    /// The user's expression.
    pub expr: TokenStream,
}

/// How one argument gets into an attempt.
pub struct Pass<'a> {
    /// The argument.
    pub argument: &'a Argument,
    /// Its name in the signature; the pattern stays there where there is none.
    pub outer: Option<Ident>,
    /// How.
    pub how: How,
    /// Whether the attribute uses it, so that a body which does not has not forgotten it.
    pub used: bool,
    /// The word by which the attribute says it is the idempotency key.
    pub word: Option<Span>,
}

impl Pass<'_> {
    /// Its name as if it were the attribute's word for it, so that an editor finds what that word means.
    pub fn said(&self, name: &Ident) -> Ident {
        let mut name = name.clone();
        if let Some(word) = self.word {
            name.set_span(name.span().located_at(word));
        }
        name
    }
}

/// How one argument gets into an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// As it came in.
    Keep,
    /// Taken apart afresh.
    Bind,
    /// Borrowed afresh.
    Reborrow,
    /// Copied, since it is needed after the last attempt too.
    Copy,
    /// Copied from a slot of this name; the last attempt may have the original.
    Slot(Ident),
}

/// What judges an outcome.
pub struct Judge<'a> {
    /// `retry(on = path)`
    pub by: Option<&'a Expr>,
    /// `breaker(success_on = path)`
    pub success_on: Option<&'a Expr>,
    /// `breaker(ignore_on = path)`
    pub ignore_on: Option<&'a Expr>,
}

/// What comes after the last attempt.
pub enum Ending<'a> {
    /// The outcome, or the rejection as an error.
    Conclude,
    /// `fallback = default`
    Default,
    /// `fallback = value(expr)`
    Value(&'a TokenStream),
    /// `fallback = path`
    Path {
        /// The function.
        path: &'a Expr,
        /// Whether it is told the error.
        error: bool,
        /// Where `fallback` stands.
        at: Span,
    },
    /// `fallback = cached`
    Cached,
}

impl<'a> Plan<'a> {
    /// What to do for this function under these settings, which have no faults.
    pub fn of(subject: &Subject<'a>) -> Self {
        let (settings, function) = (subject.settings, subject.function);
        let ending = Ending::of(settings);
        let key_of = key_of(settings);
        let again = subject.again();
        let key = settings.get("idempotency_key").and_then(|setting| match &setting.value {
            Value::Argument(name) => {
                let at = function.arguments.iter().position(|argument| argument.name() == Some(name))?;
                Some((at, name.span()))
            }
            _ => None,
        });
        let arguments = function.arguments.iter().enumerate();
        let mut passes: Vec<_> = arguments
            .map(|(at, argument)| {
                let word = key.filter(|(key, _)| *key == at).map(|(_, word)| word);
                pass(at, argument, subject, (&ending, key_of), word)
            })
            .collect();
        let selects = names::selects(settings);
        for placeholder in selects.iter().flat_map(|select| select.placeholders) {
            let named = passes.iter_mut().filter(|pass| pass.argument.name() == Some(&placeholder.base));
            named.for_each(|pass| pass.used = true);
        }
        let unwrapped = function.unwrapped.as_ref().is_some_and(|unwrapped| unwrapped.this.is_some());
        let lends_self = again && unwrapped && function.access() == Some(Access::Exclusive);
        let borrows_self = again && !lends_self && !matches!(function.access(), None | Some(Access::Shared));
        let shares =
            again && passes.iter().any(|pass| pass.argument.share.is_some() && pass.argument.hand() == Hand::Owned);
        let anything = matches!(ending, Ending::Default | Ending::Value(_) | Ending::Path { error: false, .. });
        let root = quote_spanned!(Span::mixed_site()=> __resilient);
        Self {
            function,
            site: Site::of(subject, &root),
            runtime: runtime(settings),
            root,
            threaded: subject.threaded(),
            looped: subject.repeats() || subject.hedges(),
            hedged: subject.hedges(),
            cause: settings.span_of(if subject.repeats() { "retries" } else { "hedge" }),
            moves: subject.hedges() || (!borrows_self && !shares),
            lends_self,
            passes,
            key: key.map(|(at, _)| at),
            selects,
            judge: Judge {
                by: settings.function("retry.on"),
                success_on: settings.function("breaker.success_on"),
                ignore_on: settings.function("breaker.ignore_on"),
            },
            strict: !anything || function.output.names_result(),
            key_of,
            coalesces: settings.has("coalesce"),
            ending,
        }
    }
}

/// What a kept or shared answer is an answer to: one key for both.
fn key_of(settings: &Settings) -> Option<KeyOf<'_>> {
    let keeps = matches!(settings.get("fallback").map(|setting| &setting.value), Some(Value::Word("cached")));
    let written = ["coalesce.key", "fallback.key"].iter().find_map(|at| match &settings.get(at)?.value {
        Value::Parts(parts) => Some(&parts[..]),
        _ => None,
    });
    (keeps || settings.has("coalesce")).then_some(written)
}

fn runtime(settings: &Settings) -> TokenStream {
    match settings.get("crate").map(|setting| &setting.value) {
        Some(Value::Root(path)) => hidden(path),
        _ => quote!(::resilient::__private),
    }
}

fn hidden(path: &Path) -> TokenStream {
    quote!(#path::__private)
}

/// How the argument at this place gets into an attempt.
fn pass<'a>(
    at: usize,
    argument: &'a Argument,
    subject: &Subject<'a>,
    (ending, key_of): (&Ending<'_>, Option<KeyOf<'_>>),
    word: Option<Span>,
) -> Pass<'a> {
    let in_key = match key_of {
        None => false,
        Some(None) => true,
        Some(Some(parts)) => parts.iter().any(|part| argument.is_in(&part.to_token_stream())),
    };
    let (after, again) = (ending.needs(argument) || in_key, subject.again());
    let how = match argument.hand() {
        _ if matches!(argument.pat, Pat::Wild(_)) && !after => How::Keep,
        Hand::Shared if !argument.is_plain() && (again || after) => How::Bind,
        Hand::Exclusive if again => How::Reborrow,
        Hand::Owned if again && argument.share.is_some() => How::Keep,
        Hand::Owned if after => How::Copy,
        Hand::Owned if again => How::Slot(mixed(format_args!("__slot{at}"))),
        _ if argument.renamed && !argument.is_plain() => How::Bind,
        _ => How::Keep,
    };
    let outer = match &argument.outer {
        Some(name) => Some(name.clone()),
        None if how == How::Keep => None,
        None => Some(mixed(format_args!("__arg{at}"))),
    };
    let used = word.is_some() || ending.needs(argument) || (in_key && matches!(key_of, Some(Some(_))));
    Pass { argument, outer, how, used, word }
}

/// A name that no name of the user's can meet.
fn mixed(name: std::fmt::Arguments<'_>) -> Ident {
    Ident::new(&name.to_string(), Span::mixed_site())
}

impl<'a> Ending<'a> {
    fn of(settings: &'a Settings) -> Self {
        let Some(setting) = settings.get("fallback") else { return Self::Conclude };
        match &setting.value {
            Value::Word("cached") => Self::Cached,
            Value::Answer(expr) => Self::Value(expr),
            Value::Function(path) => Self::Path { path, error: settings.has("fallback.error"), at: setting.key.span() },
            _ => Self::Default,
        }
    }

    /// Whether the argument is needed after the last attempt.
    fn needs(&self, argument: &Argument) -> bool {
        match self {
            Self::Conclude | Self::Default | Self::Cached => false,
            Self::Value(expr) => argument.is_in(expr),
            Self::Path { .. } => true,
        }
    }
}

/// A breaker that several functions inherit is the name of none of them alone: `stock` names `stock.view`.
fn named_after_its_group(settings: &Settings, function: &str) -> Option<String> {
    let breaker = settings.get("breaker").filter(|breaker| breaker.inherited && !settings.has("name"))?;
    match &breaker.value {
        Value::Name(group) => Some(format!("{group}.{function}")),
        _ => None,
    }
}

impl Site {
    fn of(subject: &Subject<'_>, root: &TokenStream) -> Self {
        let mut written = Written::new();
        let mut homes = Vec::new();
        for setting in subject.settings.iter() {
            let tokens = match &setting.value {
                Value::Name(name) => quote!(#name),
                Value::Constant(expr, constant) => {
                    let name = format_ident!("__RESILIENT_{}", setting.at.replace('.', "_").to_uppercase());
                    let (ty, tokens) = match constant {
                        Constant::Time => (quote!(#root::core::time::Duration), quote!(#name)),
                        Constant::Millis => (
                            quote!(#root::core::primitive::u64),
                            quote!(#root::core::time::Duration::from_millis(#name)),
                        ),
                        Constant::Count => (quote!(#root::core::primitive::u32), quote!(#name)),
                        Constant::Number => (quote!(#root::core::primitive::f64), quote!(#name)),
                    };
                    homes.push(Home { name, ty, expr: expr.to_token_stream() });
                    tokens
                }
                _ => continue,
            };
            written.insert(setting.at, tokens);
        }
        let function = subject.function.sig.ident.unraw().to_string();
        if let Some(Expr::Path(plan)) = subject.settings.function("fallback") {
            let name = plan.path.segments.last().map_or_else(String::new, |last| last.ident.unraw().to_string());
            written.insert("fallback.function", quote!(#name));
        }
        if let Some(name) = named_after_its_group(subject.settings, &function) {
            written.insert("name", quote!(#name));
        }
        Self {
            homes,
            policy: Writer { root, written: &written }.policy(subject.policy),
            claims: claims(subject.settings),
            function,
        }
    }
}
