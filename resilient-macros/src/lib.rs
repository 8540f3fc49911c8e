//! The attribute `#[resilient(…)]` and `#[derive(Classify)]`. Use them through the crate `resilient`, where the guide is.
//!
//! One straight line, with nothing running back:
//!
//! | room | what it does |
//! |---|---|
//! | `defaults` | a group's settings, handed to the attributes inside |
//! | `entries`, `keys`, `operands`, `literals`, `numbers`, `names`, `values` → `settings` | the attribute's text, split at its commas, read key by key |
//! | `arguments`, `output`, `unwrapped` → `function` | the function's signature; its body stays the tokens that it is |
//! | `policy` | the settings as a `Policy` with every default |
//! | `check` | the rules of `resilient-policy`, and those that need the signature |
//! | `plan`, `constant` | every decision about the expansion, and the policy as an expression |
//! | `expand` | the plan in tokens; no decisions |
//!
//! `errors` collects: every fault of one attribute is reported at once, each on its own token, and the function is
//! emitted without its guards, so that nothing else breaks and editors keep working.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod constant;
mod defaults;
mod derive;
mod entries;
mod errors;
mod expand;
mod function;
mod keys;
mod literals;
mod names;
mod numbers;
mod operands;
mod output;
mod plan;
mod policy;
mod settings;
mod unwrapped;
mod values;

#[cfg(test)]
mod tests;

use check::Subject;
use errors::Errors;
use function::Function;
use plan::Plan;
use proc_macro2::TokenStream;
use resilient_policy::Shape;
use settings::Settings;

/// Guards a function: bounds its time, its concurrency and its repeats, refuses early while its dependency plainly fails,
/// and answers by a declared plan B when everything else failed.
///
/// ```text
/// #[resilient(timeout_ms = 60, retry_budget = 0.1, breaker = "stock.view", bulkhead = 12, fallback = cached)]
/// async fn view_stock(sku: &str) -> Result<Stock, StockError> { … }
/// ```
///
/// | key | forms |
/// |---|---|
/// | `timeout`, `deadline` | `60ms`, `"60ms"`, a `const Duration`; `timeout_ms = 60`; `timeout = none` |
/// | `read` · `write` · `idempotency_key = arg` | what a second run would do |
/// | `retries`, `retry(…)`, `retry_budget` | how often, with which backoff, and how much of all calls |
/// | `breaker` | `"name"`, `("name", window = 20, …)` |
/// | `bulkhead` | `12`, `(12, max_wait_ms = 20)`, `(adaptive, min = 4, max = 200)` |
/// | `rate_limit` | `"100/min"`, `("100/min", max_wait_ms = 20)` |
/// | `hedge` | `p95`, `20ms`: a second copy of a slow read |
/// | `fallback` | `cached`, `default`, `value(expr)`, a function, `(…, on = any)` |
/// | `blocking` | `cooperative` or `thread`, on a function that is not async |
/// | `coalesce` | calls that ask the same at once are one; `coalesce(key = (…))` on a method |
/// | `name`, `dependency`, `allow(R07, …)`, `crate = path` | identity, exceptions, where the runtime is |
///
/// A policy that would make an outage worse does not compile; each fault has the id of its rule in front.
/// `#[share]` before an argument hands the same value to every attempt instead of a copy.
#[proc_macro_attribute]
pub fn resilient(args: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    run(args.into(), item.into()).into()
}

/// Settings that every `#[resilient]` function of an `impl` block or an inline module inherits.
///
/// ```text
/// #[resilient::defaults(dependency = "stock", timeout_ms = 60, retry_budget = 0.1)]
/// impl Stock {
///     #[resilient(read)]
///     async fn view(&self, sku: &str) -> Result<u32, StockError> { … }
///
///     #[resilient(write, idempotency_key = key, timeout_ms = 200)]
///     async fn reserve(&self, key: IdempotencyKey) -> Result<(), StockError> { … }
///
///     fn name(&self) -> &str { … }      // not annotated: untouched
/// }
/// ```
///
/// A key that the function writes replaces the whole inherited one, options included. An inherited `breaker = "stock"` is
/// one breaker for all of them, and names each function after it: `stock.view`. A function with `retries = 0` inherits no
/// `retry` and no `retry_budget`, and an async one no `blocking`. Inner defaults win over outer ones.
#[proc_macro_attribute]
pub fn defaults(args: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    defaults::expand(&args.into(), &item.into()).into()
}

/// `Classify` for an error type: a word on each variant says what it means to a caller who might repeat.
///
/// The words are `#[transient]`, `#[timeout]`, `#[throttled]`, `#[overloaded]`, `#[permanent]`, `#[not_sent]`,
/// `#[classify(delegate)]` and `#[rejected]`, which also derives `From<Rejected>`.
#[proc_macro_derive(
    Classify,
    attributes(classify, transient, timeout, throttled, overloaded, permanent, not_sent, rejected)
)]
pub fn classify(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive::expand(input.into()).into()
}

/// The guarded function; or the plain one and what is wrong with it.
fn run(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    match guard(args, &item, &mut errors) {
        Ok(guarded) => guarded,
        Err(mut plain) => {
            plain.extend(errors.to_tokens());
            plain
        }
    }
}

/// The guarded function, or without its guards where `errors` says why.
fn guard(args: TokenStream, item: &TokenStream, errors: &mut Errors) -> Result<TokenStream, TokenStream> {
    let mut settings = Settings::read(args, errors);
    let Some(function) = Function::read(item, errors) else { return Err(item.clone()) };
    let shape = if function.output.is_async() { Shape::Async } else { Shape::Sync };
    settings.fit(shape);
    let policy = policy::policy(&settings, shape);
    let subject = Subject { settings: &settings, policy: &policy, function: &function };
    check::check(&subject, errors);
    if errors.is_empty() { Ok(expand::expand(&Plan::of(&subject))) } else { Err(function.plain()) }
}
