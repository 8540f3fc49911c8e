//! The call site: constants and a `static`, in a block of their own so that no name of ours meets one in the body.

use crate::plan::{Home, Plan};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use resilient_policy::Rule;

/// `let site = { … &SITE };`
pub fn site(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let homes = plan.site.homes.iter().map(|Home { name, ty, expr }| quote!(const #name: #ty = #expr;));
    let claims = plan.site.claims.iter().map(|(rule, span)| claim(root, *rule, *span));
    let (policy, function) = (&plan.site.policy, &plan.site.function);
    quote_spanned! {Span::mixed_site()=>
        let __site: &'static #root::Site = {
            #(#homes)*
            const __RESILIENT_POLICY: #root::policy::Policy = #policy;
            #(#claims)*
            static __RESILIENT_SITE: #root::Site = #root::Site::new(
                &__RESILIENT_POLICY,
                #root::Location {
                    module: #root::core::module_path!(),
                    function: #function,
                    file: #root::core::file!(),
                    line: #root::core::line!(),
                    column: #root::core::column!(),
                },
            );
            &__RESILIENT_SITE
        };
    }
}

/// `const _: () = require(&POLICY, rule);`, all of it at the key, where rustc will underline it.
fn claim(root: &TokenStream, rule: Rule, at: Span) -> TokenStream {
    let rule = format_ident!("{}", rule.id());
    let claim = quote!(const _: () = #root::require(&__RESILIENT_POLICY, #root::policy::Rule::#rule););
    located(claim, at)
}

/// The same tokens, shown elsewhere.
pub fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let moved = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut inside = proc_macro2::Group::new(group.delimiter(), located(group.stream(), at));
            inside.set_span(group.span());
            token = TokenTree::Group(inside);
        }
        token.set_span(token.span().located_at(at));
        token
    };
    tokens.into_iter().map(moved).collect()
}
