//! The call site: constants and a `static`, in a block of their own so that no name of ours meets one in the body.

use crate::plan::{Home, Plan};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use resilient_policy::Rule;

/// `let site = { … &SITE };`
pub fn site(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let homes = plan.site.homes.iter().map(|Home { name, ty, expr }| quote!(const #name: #ty = #expr;));
    let claims = plan.site.claims.iter().map(|(rule, span)| claim(root, *rule, *span));
    let (policy, function) = (&plan.site.policy, &plan.site.function);
    // Each constant is one more body to compile, so the policy gets a name only where rustc is to check something about it.
    let (named, policy) = if plan.site.claims.is_empty() {
        (None, policy.clone())
    } else {
        let name = quote!(__RESILIENT_POLICY);
        (Some(quote_spanned!(Span::mixed_site()=> const #name: #root::policy::Policy = #policy;)), name)
    };
    quote_spanned! {Span::mixed_site()=>
        let __site: &'static #root::Site = {
            #(#homes)*
            #named
            #(#claims)*
            static __RESILIENT_SITE: #root::Site = #root::Site::new(#policy, #root::core::module_path!(), #function);
            #root::list!(&__RESILIENT_SITE);
            &__RESILIENT_SITE
        };
    }
}

/// `const _: () = require(&POLICY, rule);`, all of it as if it stood at the key, where rustc will underline it.
fn claim(root: &TokenStream, rule: Rule, at: Span) -> TokenStream {
    let rule = format_ident!("{}", rule.id());
    let claim = quote!(const _: () = #root::require(&__RESILIENT_POLICY, #root::policy::Rule::#rule););
    claim.into_iter().map(|token| shown(token, |_| at)).collect()
}

/// The same tokens, shown elsewhere.
pub fn located(tokens: TokenStream, at: Span) -> TokenStream {
    tokens.into_iter().map(|token| shown(token, |span| span.located_at(at))).collect()
}

/// A token and what is inside of it, with other spans.
fn shown(mut token: TokenTree, to: impl Fn(Span) -> Span + Copy) -> TokenTree {
    if let TokenTree::Group(group) = &token {
        let inside = group.stream().into_iter().map(|token| shown(token, to)).collect();
        let mut moved = Group::new(group.delimiter(), inside);
        moved.set_span(group.span());
        token = TokenTree::Group(moved);
    }
    token.set_span(to(token.span()));
    token
}
