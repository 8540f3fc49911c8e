//! The keys that select states: read once per call, before an argument moves into an attempt.

use super::site::located;
use crate::arguments::Hand;
use crate::names::{Placeholder, Select};
use crate::plan::{How, Plan};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// `.select(…)` for each key.
pub fn selects(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let select = |Select { guards, placeholders }: &Select<'_>| {
        let new = quote!(#root::StateKey::new());
        let key = placeholders.iter().fold(new, |key, placeholder| {
            // All of it at the name: what is wrong with the value is one error there.
            let (at, value) = (Span::mixed_site().located_at(placeholder.at), value(plan, placeholder));
            let add = located(quote!(#root::Placeholder::add_to), placeholder.at);
            quote_spanned!(at=> #add(#value, #key))
        });
        quote_spanned!(Span::mixed_site()=> .select(&[#(#root::Guard::#guards),*], #key))
    };
    plan.selects.iter().map(select).collect()
}

/// A reference to what stands in a placeholder.
fn value(plan: &Plan<'_>, placeholder: &Placeholder) -> TokenStream {
    let at = Span::mixed_site().located_at(placeholder.at);
    let fields = placeholder.fields.iter().map(|field| quote_spanned!(at=> .#field));
    let fields: TokenStream = fields.collect();
    if placeholder.is_own() {
        let this = plan.function.unwrapped.as_ref().and_then(|unwrapped| unwrapped.this.as_ref());
        let own = plan.function.receiver().map(|receiver| receiver.self_token.to_token_stream());
        let own = this.map_or(own, |this| Some(this.name.to_token_stream()));
        let own = own.into_iter().flatten().map(|mut token| {
            token.set_span(token.span().located_at(placeholder.at));
            token
        });
        let own: TokenStream = own.collect();
        return quote_spanned!(at=> &#own #fields);
    }
    let Some(pass) = plan.passes.iter().find(|pass| pass.argument.name() == Some(&placeholder.base)) else {
        return TokenStream::new();
    };
    if let How::Slot(slot) = &pass.how {
        return if fields.is_empty() {
            quote_spanned!(at=> #slot.get())
        } else {
            quote_spanned!(at=> &#slot.get()#fields)
        };
    }
    let name = pass.outer.as_ref().or(pass.argument.name()).map(|name| {
        let mut name = name.clone();
        name.set_span(name.span().located_at(placeholder.at));
        name
    });
    match pass.argument.hand() {
        Hand::Shared if fields.is_empty() => quote!(#name),
        Hand::Exclusive if fields.is_empty() => quote_spanned!(at=> &*#name),
        _ => quote_spanned!(at=> &#name #fields),
    }
}
