//! After the last attempt: the outcome, or plan B.

use super::arguments::{handed_on, outside};
use super::attempt::{asked, probed};
use super::quiet;
use super::site::located;
use crate::arguments::Hand;
use crate::plan::{Ending, Pass, Plan};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

/// Before the first attempt: what a kept or shared answer is an answer to.
pub fn key(plan: &Plan<'_>) -> TokenStream {
    match plan.key_of {
        Some(None) => {
            let parts: Vec<_> = plan.passes.iter().map(|pass| argument(plan, pass)).collect();
            keyed(plan, &parts)
        }
        Some(Some(written_parts)) => {
            let all: TokenStream = written_parts.iter().map(ToTokens::to_token_stream).collect();
            let seen = outside(plan, &all, &quote!(&));
            let parts: Vec<_> = written_parts.iter().enumerate().map(|(at, part)| written(plan, at, part)).collect();
            let key = keyed(plan, &parts);
            quote!(#seen #key)
        }
        None => TokenStream::new(),
    }
}

/// One part of a key.
struct Part {
    /// Statements before it.
    before: TokenStream,
    /// A reference to what it is made of.
    whole: TokenStream,
    /// What makes it comparable: one bounded path, at the user's type where there is one.
    compared: TokenStream,
    /// Where the user wrote the part; what is wrong with it is shown there.
    at: Option<Span>,
}

fn argument(plan: &Plan<'_>, pass: &Pass<'_>) -> Part {
    let (root, ty, outer) = (&plan.root, pass.argument.target(), &pass.outer);
    let whole = if pass.argument.hand() == Hand::Owned { quote!(&#outer) } else { quote!(#outer) };
    Part { before: TokenStream::new(), whole, compared: quote!(<#ty as #root::KeyPart>::part), at: None }
}

/// A part of `key = (…)`: through a method call, so that `&str` and `String` alike find what they can be kept as.
fn written(plan: &Plan<'_>, at: usize, part: &Expr) -> Part {
    let (root, quiet) = (&plan.root, quiet());
    let name = numbered("__written", at);
    let whole = quote_spanned! {Span::mixed_site()=> {
        use #root::Itself as _;
        (*#name).itself()
    }};
    let before = quote!(#quiet let #name = &(#part););
    Part { before, whole, compared: quote!(#root::KeyPart::part), at: Some(part.span()) }
}

fn keyed(plan: &Plan<'_>, parts: &[Part]) -> TokenStream {
    let (root, count) = (&plan.root, parts.len());
    let lines = parts.iter().enumerate().map(|(at, part)| {
        let (Part { before, whole, .. }, name) = (part, numbered("__whole", at));
        quote_spanned!(Span::mixed_site()=> #before let #name = #whole;)
    });
    let parts = parts.iter().enumerate().map(|(at, part)| {
        let (compared, name) = (&part.compared, numbered("__whole", at));
        let mut whole = Group::new(Delimiter::Brace, quote!(&#name));
        if let Some(at) = part.at {
            // Braces: rustc shows a block by its delimiters, and no name of ours stands at the user's word.
            whole.set_span(Span::mixed_site().located_at(at));
        }
        quote_spanned!(Span::mixed_site()=> #compared(#whole))
    });
    quote_spanned! {Span::mixed_site()=>
        #(#lines)*
        let __key: [&dyn #root::Part; #count] = [#(#parts),*];
        let __digest = __call.digest(&__key);
    }
}

fn numbered(name: &str, at: usize) -> Ident {
    Ident::new(&format!("{name}{at}"), Span::mixed_site())
}

// What the function returns.
pub fn ending(plan: &Plan<'_>) -> TokenStream {
    match &plan.ending {
        Ending::Conclude => conclude(plan),
        Ending::Default => {
            let root = &plan.root;
            instead(plan, &TokenStream::new(), &quote!(#root::core::default::Default::default()))
        }
        Ending::Value(expr) => instead(plan, &outside(plan, expr, &TokenStream::new()), expr),
        Ending::Path { path, error: false, at } => plan_b(plan, path, *at),
        Ending::Path { path, error: true, at } => plan_b_with_error(plan, path, *at),
        Ending::Cached => cached(plan),
    }
}

/// The outcome, or the rejection as an error.
fn conclude(plan: &Plan<'_>) -> TokenStream {
    let conclude = asked(plan, "Error", &quote!(Rejectable), &quote!(conclude));
    quote_spanned!(Span::mixed_site()=> #conclude(__ending))
}

/// The outcome if there is one: a rejection of a function without a `Result` leaves none.
fn settled(plan: &Plan<'_>) -> TokenStream {
    let settle = if plan.strict {
        asked(plan, "Error", &quote!(Rejectable), &quote!(settle))
    } else {
        probed(plan, &quote!(settle))
    };
    quote_spanned!(Span::mixed_site()=> let __outcome = (#settle)(__ending);)
}

/// `default` and `value(…)`.
fn instead(plan: &Plan<'_>, left_over: &TokenStream, value: &TokenStream) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let wrap = if plan.strict { quote!(<#ret as #root::Answer>::wrap) } else { probed(plan, &quote!(wrap)) };
    let settled = settled(plan);
    quote_spanned! {Span::mixed_site()=>
        #settled
        let __instead = __call.falls_back();
        if __instead {
            __call.served();
        }
        #left_over
        #root::or_value(__outcome, __instead, || (#wrap)(#value))
    }
}

/// `fallback = path`
fn plan_b(plan: &Plan<'_>, path: &Expr, at: Span) -> TokenStream {
    let root = &plan.root;
    let settled = settled(plan);
    let bounded = quote_spanned!(Span::mixed_site()=> #root::core::option::Option::is_some(&__outcome));
    let better = better(plan, (path, at), &handed_on(plan), &bounded);
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
fn plan_b_with_error(plan: &Plan<'_>, path: &Expr, at: Span) -> TokenStream {
    let root = &plan.root;
    let concluded = conclude(plan);
    let mut arguments = handed_on(plan);
    let error = asked(plan, "Error", &quote!(Rejectable), &quote!(error));
    arguments.push(quote_spanned!(Span::mixed_site()=> #error(&__outcome)));
    let better = better(plan, (path, at), &arguments, &quote!(true));
    quote_spanned! {Span::mixed_site()=>
        let __outcome = #concluded;
        #better
        match __better {
            #root::core::option::Option::Some(__better) => __better,
            #root::core::option::Option::None => __outcome,
        }
    }
}

/// `let better = …;`: what plan B answered, if it was asked and did. Its call is a plain one, shown at the path, where
/// rustc says best what does not fit; and its answer gets its type in one place, shown at the key: names of ours at the
/// user's path would be found there by an editor.
fn better(plan: &Plan<'_>, (path, at): (&Expr, Span), arguments: &[TokenStream], bounded: &TokenStream) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let mut list = Group::new(Delimiter::Parenthesis, quote!(#(#arguments),*));
    list.set_span(Span::mixed_site().located_at(path.span()));
    let asked = if plan.function.output.is_async() {
        let plan_b = located(quote_spanned!(Span::mixed_site()=> __call.plan_b(__plan, #bounded).await), at);
        let answer = located(quote_spanned!(Span::mixed_site()=> __answer), at);
        quote_spanned! {Span::mixed_site()=>
            let __plan = #path #list;
            match #plan_b {
                #root::core::option::Option::Some(__answer) => {
                    let __answer: #ret = #answer;
                    __call.planned(__judge(&__answer)).then_some(__answer)
                }
                #root::core::option::Option::None => #root::core::option::Option::None,
            }
        }
    } else {
        quote_spanned!(Span::mixed_site()=> __call.plan_b(|| -> #ret { #path #list }, __judge, #bounded))
    };
    quote_spanned! {Span::mixed_site()=>
        let __better = if __call.falls_back() {
            #asked
        } else {
            #root::core::option::Option::None
        };
    }
}

/// `fallback = cached`
fn cached(plan: &Plan<'_>) -> TokenStream {
    let concluded = conclude(plan);
    let serve = if plan.function.output.is_async() { quote!(cached) } else { quote!(cached_blocking) };
    let serve = asked(plan, "Value", &quote!(Keepable), &serve);
    quote_spanned!(Span::mixed_site()=> #serve(&__call, __digest, &__key, #concluded))
}
