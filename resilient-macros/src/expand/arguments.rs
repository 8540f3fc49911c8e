//! How arguments get into an attempt, and what is left of them after the last one.

use super::quiet;
use super::site::located;
use crate::arguments::{copied, is_cfg, is_lint};
use crate::output::is_opaque;
use crate::plan::{How, Pass, Plan};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// Before the first attempt: the slots, and the name that the body gives to `self`.
pub fn before(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let quiet = quiet();
    let this = this_before(plan);
    let slots = plan.passes.iter().filter_map(|pass| {
        let (How::Slot(slot), Some(outer)) = (&pass.how, &pass.outer) else { return None };
        let (cfg, outer) = (copied(&pass.argument.attrs, is_cfg), pass.said(outer));
        Some(quote_spanned!(Span::mixed_site()=> #cfg #quiet let mut #slot = #root::Slot::new(#outer);))
    });
    quote!(#this #(#slots)*)
}

/// What copies an argument: one bounded path, with the user's type as its only user tokens, so that a type that cannot be
/// copied is one error under the whole type.
fn reuse(plan: &Plan<'_>, pass: &Pass<'_>) -> TokenStream {
    let (root, ty) = (&plan.root, &pass.argument.ty);
    if is_opaque(ty) {
        return located(quote!(#root::Reusable::reuse), ty.span());
    }
    quote!(<#ty as #root::Reusable>::reuse)
}

fn this_before(plan: &Plan<'_>) -> Option<TokenStream> {
    let this = plan.function.unwrapped.as_ref()?.this.as_ref()?;
    let own = &plan.function.receiver()?.self_token;
    let (name, quiet) = (&this.name, quiet());
    let mutability = this.mutability.as_ref().filter(|_| !plan.lends_self);
    Some(quote!(#quiet let #mutability #name = #own;))
}

/// Before each attempt: everything as the caller handed it over.
pub fn each(plan: &Plan<'_>) -> TokenStream {
    let this = plan.function.unwrapped.as_ref().and_then(|unwrapped| unwrapped.this.as_ref());
    let this = this.filter(|_| plan.lends_self).map(|this| {
        let (mutability, name, quiet) = (&this.mutability, &this.name, quiet());
        quote!(#quiet let #mutability #name = &mut *#name;)
    });
    let lines = plan.passes.iter().enumerate().filter_map(|(at, pass)| {
        let outer = pass.outer.as_ref()?;
        if matches!(pass.argument.pat, syn::Pat::Wild(_)) {
            return None;
        }
        let value = match &pass.how {
            How::Keep => return None,
            How::Bind if plan.hedged => return None,
            How::Bind => quote!(#outer),
            How::Reborrow => quote!(&mut *#outer),
            How::Copy => {
                let reuse = reuse(plan, pass);
                quote!(#reuse(&#outer))
            }
            How::Slot(slot) => {
                let reuse = reuse(plan, pass);
                quote_spanned!(Span::mixed_site()=> #slot.take(__call.is_last(), #reuse))
            }
        };
        if !plan.hedged && !is_handed_over(plan, pass) {
            return Some(taken_apart(pass, &value));
        }
        let (fresh, cfg, quiet) = (fresh(at), copied(&pass.argument.attrs, is_cfg), quiet());
        Some(quote!(#cfg #quiet let #fresh = #value;))
    });
    quote!(#this #(#lines)*)
}

/// Before each copy of a hedged attempt. What makes them owns one more, since what it borrowed would have to be `Sync`.
pub fn copy(plan: &Plan<'_>) -> TokenStream {
    let lines = plan.passes.iter().enumerate().filter_map(|(at, pass)| {
        let outer = pass.outer.as_ref().filter(|_| !matches!(pass.argument.pat, syn::Pat::Wild(_)))?;
        let value = match &pass.how {
            How::Bind => quote!(#outer),
            How::Copy | How::Slot(_) => {
                let (reuse, fresh) = (reuse(plan, pass), fresh(at));
                quote!(#reuse(&#fresh))
            }
            How::Keep | How::Reborrow => return None,
        };
        Some(taken_apart(pass, &value))
    });
    lines.collect()
}

/// At the start of an attempt that borrows: what it owns none the less, so that `Send` is all it needs to be.
pub fn inside(plan: &Plan<'_>) -> TokenStream {
    let owned = plan.passes.iter().enumerate().filter(|(_, pass)| is_handed_over(plan, pass));
    owned.map(|(at, pass)| taken_apart(pass, &fresh(at).into_token_stream())).collect()
}

/// Whether a copy is to move into an attempt that borrows everything else.
fn is_handed_over(plan: &Plan<'_>, pass: &Pass<'_>) -> bool {
    matches!(pass.how, How::Slot(_) | How::Copy) && !plan.moves && plan.function.output.is_async()
}

fn fresh(at: usize) -> Ident {
    Ident::new(&format!("__fresh{at}"), Span::mixed_site())
}

/// The user's own names for an argument.
fn taken_apart(pass: &Pass<'_>, value: &TokenStream) -> TokenStream {
    let (pat, quiet) = (&pass.argument.pat, quiet());
    let attrs = copied(&pass.argument.attrs, |attr| is_cfg(attr) || is_lint(attr));
    // A setting uses it, whether the body does or not.
    let used = pass.used.then(|| quote!(#[allow(unused_variables)]));
    quote!(#attrs #used #quiet let #pat = #value;)
}

/// The names of the arguments, for an expression that is evaluated outside of an attempt: what `access` makes of those
/// that are still whole.
pub fn outside(plan: &Plan<'_>, tokens: &TokenStream, access: &TokenStream) -> TokenStream {
    let lines = plan.passes.iter().filter(|pass| pass.argument.is_in(tokens)).filter_map(|pass| {
        let outer = &pass.outer;
        match &pass.how {
            How::Bind => Some(revived(pass, &quote!(#outer))),
            // The very argument is still there under its name.
            How::Copy if pass.argument.name() == outer.as_ref() => None,
            How::Copy => Some(revived(pass, &quote!(#access #outer))),
            How::Keep | How::Reborrow | How::Slot(_) => None,
        }
    });
    lines.collect()
}

fn revived(pass: &Pass<'_>, value: &TokenStream) -> TokenStream {
    let (pat, attrs, quiet) = (&pass.argument.pat, copied(&pass.argument.attrs, is_cfg), quiet());
    quote!(#attrs #[allow(unused_variables, unused_mut)] #quiet let #pat = #value;)
}

/// The arguments as plan B gets them: `self, a, b`.
pub fn handed_on(plan: &Plan<'_>) -> Vec<TokenStream> {
    let own = plan.function.receiver().map(|receiver| {
        let this = plan.function.unwrapped.as_ref().and_then(|unwrapped| unwrapped.this.as_ref());
        this.map_or_else(|| receiver.self_token.to_token_stream(), |this| this.name.to_token_stream())
    });
    let rest = plan.passes.iter().map(|pass| pass.outer.to_token_stream());
    own.into_iter().chain(rest).collect()
}
