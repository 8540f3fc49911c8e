//! The plan in Rust: what a person would write by hand.
//!
//! ```text
//! async fn view_stock(sku: &str) -> Result<Stock, StockError> {
//!     use resilient::__private as __resilient;
//!     let site = { static SITE: Site = …; &SITE };
//!     let mut call = Call::new(site);
//!     let ending = loop {
//!         let flow = call.attempt(async move { /* the user's body */ }, judge).await;
//!         if let Break(ending) = flow {
//!             break ending;
//!         }
//!     };
//!     conclude(ending)
//! }
//! ```
//!
//! Names are local to the expansion (`mixed_site`); only the user's own tokens carry the user's spans.

mod arguments;
mod attempt;
mod ending;
mod selects;
mod site;

use crate::arguments::is_lint;
use crate::output::OutputKind;
use crate::plan::{How, Plan};
use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, Pat, PatIdent};

/// The guarded function.
pub fn expand(plan: &Plan<'_>) -> TokenStream {
    let function = plan.function;
    let code = code(plan);
    let code = match function.output.kind {
        OutputKind::Future => wrapped(&TokenStream::new(), &code),
        OutputKind::Boxed => wrapped(&pin(plan), &code),
        _ => code,
    };
    let mut body = Group::new(Delimiter::Brace, code);
    // The caller's own braces: with others the function counts as generated, and nobody hears that it is never used.
    body.set_span(function.body.span());
    let (attrs, vis, defaultness, sig) = (&function.attrs, &function.vis, &function.defaultness, signature(plan));
    let inner = outer_attributes(&function.inner);
    // Only where the user's own body is no single block: there the finding would be about ours.
    let ours = function.output.kind == OutputKind::Future && function.unwrapped.is_none();
    let quiet = ours.then(|| quote!(#[allow(clippy::manual_async_fn)]));
    // What is copied for each attempt is not used up by the last one; the user's body may well use it up. In an async
    // function clippy does not look.
    let copies = !function.output.is_async() && plan.passes.iter().any(|pass| pass.how == How::Copy);
    let copied = copies.then(|| quote!(#[allow(clippy::needless_pass_by_value)]));
    quote!(#(#attrs)* #inner #quiet #copied #vis #defaultness #sig #body)
}

/// What stands between the outer braces.
fn code(plan: &Plan<'_>) -> TokenStream {
    let (runtime, root) = (&plan.runtime, &plan.root);
    let site = site::site(plan);
    let before = arguments::before(plan);
    let call = attempt::call(plan);
    let key = ending::key(plan);
    let judge = attempt::judge(plan);
    let attempts = attempt::attempts(plan);
    let ending = ending::ending(plan);
    quote!(use #runtime as #root; #site #before #call #key #judge #attempts #ending)
}

/// A future made by hand round it.
fn wrapped(pin: &TokenStream, code: &TokenStream) -> TokenStream {
    let block = quote_spanned!(Span::mixed_site()=> async move { #code });
    if pin.is_empty() { block } else { quote!(#pin(#block)) }
}

/// What pins the future of a function that returns it in a box.
fn pin(plan: &Plan<'_>) -> TokenStream {
    match &plan.function.unwrapped {
        Some(unwrapped) if !unwrapped.pin.is_empty() => unwrapped.pin.clone(),
        _ => quote!(::std::boxed::Box::pin),
    }
}

/// The signature, with a name for every argument that is taken apart later.
fn signature(plan: &Plan<'_>) -> TokenStream {
    let mut sig = plan.function.sig.clone();
    let typed = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    });
    for (input, pass) in typed.zip(&plan.passes) {
        let Some(outer) = pass.outer.as_ref().filter(|_| pass.how != How::Keep) else { continue };
        // Lint levels go where the user's own name goes.
        input.attrs.retain(|attr| !is_lint(attr));
        *input.pat = Pat::Ident(PatIdent {
            attrs: Vec::new(),
            by_ref: None,
            mutability: None,
            ident: outer.clone(),
            subpat: None,
        });
    }
    sig.into_token_stream()
}

/// `#![allow(…)]` at the start of a body, as the attribute of the function that it is.
fn outer_attributes(inner: &TokenStream) -> TokenStream {
    let not = |token: &proc_macro2::TokenTree| !matches!(token, proc_macro2::TokenTree::Punct(p) if p.as_char() == '!');
    inner.clone().into_iter().filter(not).collect()
}

/// Findings about code that nobody wrote, on statements that hold none of the user's.
fn quiet() -> TokenStream {
    quote! {
        #[allow(clippy::used_underscore_binding, clippy::no_effect_underscore_binding, clippy::shadow_unrelated)]
    }
}
