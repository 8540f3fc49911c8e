//! After the last attempt: the outcome, or plan B.

use super::arguments::{handed_on, outside};
use super::attempt::{lent, probed, waiting};
use super::quiet;
use crate::arguments::Hand;
use crate::plan::{Ending, Pass, Plan};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;

/// Before the first attempt: what a cached answer is an answer to.
pub fn key(plan: &Plan<'_>) -> TokenStream {
    let parts: Vec<_> = match &plan.ending {
        Ending::Cached(None) => plan.passes.iter().map(|pass| part(plan, pass)).collect(),
        Ending::Cached(Some(parts)) => return written_key(plan, parts),
        _ => return TokenStream::new(),
    };
    keyed(&parts)
}

/// An argument as a part of the key.
fn part(plan: &Plan<'_>, pass: &Pass<'_>) -> TokenStream {
    let (root, ty) = (&plan.root, pass.argument.target());
    let outer = &pass.outer;
    let value = if pass.argument.hand() == Hand::Owned { quote!(&#outer) } else { quote!(#outer) };
    quote!(<#ty as #root::KeyPart>::part(#value))
}

/// The parts of `key = (…)`: method calls, so that `&str` and `String` alike find what they can be kept as.
fn written_key(plan: &Plan<'_>, parts: &[Expr]) -> TokenStream {
    let root = &plan.root;
    let all: TokenStream = parts.iter().map(ToTokens::to_token_stream).collect();
    let seen = outside(plan, &all, &quote!(&));
    let names: Vec<_> = (0..parts.len()).map(|at| Ident::new(&format!("__part{at}"), Span::mixed_site())).collect();
    let values = names.iter().map(|name| {
        quote!({
            use #root::KeyPart as _;
            (*#name).part()
        })
    });
    let key = keyed(&values.collect::<Vec<_>>());
    let lets = names.iter().zip(parts).map(|(name, part)| quote!(let #name = &(#part);));
    let quiet = quiet();
    quote!(#seen #(#quiet #lets)* #key)
}

fn keyed(parts: &[TokenStream]) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        let __key = (#(#parts,)*);
        let __digest = __call.digest(&__key);
    }
}

/// What the function returns.
pub fn ending(plan: &Plan<'_>) -> TokenStream {
    match &plan.ending {
        Ending::Conclude => conclude(plan),
        Ending::Default => {
            let root = &plan.root;
            instead(plan, &TokenStream::new(), &quote!(#root::core::default::Default::default()))
        }
        Ending::Value(expr) => instead(plan, &outside(plan, expr, &TokenStream::new()), expr),
        Ending::Path { path, error: false } => plan_b(plan, path),
        Ending::Path { path, error: true } => plan_b_with_error(plan, path),
        Ending::Cached(_) => cached(plan),
    }
}

/// The outcome, or the rejection as an error.
fn conclude(plan: &Plan<'_>) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    quote_spanned!(Span::mixed_site()=> <#ret as #root::Answer>::conclude(__ending))
}

/// The outcome if there is one: a rejection of a function without a `Result` leaves none.
fn settled(plan: &Plan<'_>) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let settle = if plan.strict { quote!(<#ret as #root::Answer>::settle) } else { probed(plan, &quote!(settle)) };
    quote_spanned!(Span::mixed_site()=> let __outcome = (#settle)(__ending);)
}

/// `default` and `value(…)`.
fn instead(plan: &Plan<'_>, left_over: &TokenStream, value: &TokenStream) -> TokenStream {
    let (root, ret, lent) = (&plan.root, &plan.function.output.tokens, lent(plan));
    let wrap = if plan.strict { quote!(<#ret as #root::Answer>::wrap) } else { probed(plan, &quote!(wrap)) };
    let settled = settled(plan);
    quote_spanned! {Span::mixed_site()=>
        #settled
        let __instead = #lent.falls_back();
        if __instead {
            #lent.served();
        }
        #left_over
        #root::or_value(__outcome, __instead, || (#wrap)(#value))
    }
}

/// `fallback = path`
fn plan_b(plan: &Plan<'_>, path: &Expr) -> TokenStream {
    let root = &plan.root;
    let settled = settled(plan);
    let bounded = quote_spanned!(Span::mixed_site()=> #root::core::option::Option::is_some(&__outcome));
    let better = better(plan, path, &handed_on(plan), &bounded);
    quote_spanned! {Span::mixed_site()=>
        #settled
        #better
        match __better {
            #root::core::option::Option::Some(__better) => __better,
            #root::core::option::Option::None => #root::give(__outcome),
        }
    }
}

/// `fallback(path, error)`
fn plan_b_with_error(plan: &Plan<'_>, path: &Expr) -> TokenStream {
    let root = &plan.root;
    let concluded = conclude(plan);
    let mut arguments = handed_on(plan);
    arguments.push(quote_spanned!(Span::mixed_site()=> #root::error(&__outcome)));
    let better = better(plan, path, &arguments, &quote!(true));
    quote_spanned! {Span::mixed_site()=>
        let __outcome = #concluded;
        #better
        match __better {
            #root::core::option::Option::Some(__better) => __better,
            #root::core::option::Option::None => __outcome,
        }
    }
}

/// `let better = …;`: what plan B answered, if it was asked and did.
fn better(plan: &Plan<'_>, path: &Expr, arguments: &[TokenStream], bounded: &TokenStream) -> TokenStream {
    let (root, lent, waiting) = (&plan.root, lent(plan), waiting(plan));
    let made = if plan.function.output.is_async() {
        quote_spanned! {Span::mixed_site()=>
            #root::core::pin::pin!(#root::core::option::Option::Some(#root::plan(#path(#(#arguments),*))))
        }
    } else {
        quote_spanned!(Span::mixed_site()=> || #path(#(#arguments),*))
    };
    quote_spanned! {Span::mixed_site()=>
        #[allow(clippy::let_and_return, clippy::redundant_closure)]
        let __better = if #lent.falls_back() {
            let __plan = #made;
            let __better = #lent.plan_b(__plan, __judge, #bounded)#waiting;
            __better
        } else {
            #root::core::option::Option::None
        };
    }
}

/// `fallback = cached`
fn cached(plan: &Plan<'_>) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let concluded = conclude(plan);
    let (serve, call) = if plan.function.output.is_async() {
        (quote!(cached), lent(plan))
    } else {
        (quote!(cached_blocking), quote_spanned!(Span::mixed_site()=> &mut __call))
    };
    quote_spanned!(Span::mixed_site()=> <#ret as #root::Cacheable>::#serve(#call, __digest, &__key, #concluded))
}
