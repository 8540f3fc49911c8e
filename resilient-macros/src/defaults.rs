//! `#[resilient::defaults(…)]`: settings that a group of annotated functions inherits.
//!
//! It runs before the attributes inside and hands its text to each of them, behind the key [`INHERITED`]. So one reader
//! merges them, the rules see the merged policy, and an error points at the line that brought the number.

use crate::errors::Errors;
use crate::settings::Settings;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use resilient_policy::Rule;

/// The key behind which a function finds what it inherits. Not for use by hand.
pub const INHERITED: &str = "__defaults";

/// The group with its functions told what they inherit; and what is wrong with the defaults themselves.
pub fn expand(args: &TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let settings = Settings::read(args.clone(), &mut errors);
    for at in ["name", "idempotency_key"] {
        if let Some(setting) = settings.get(at) {
            let said = format!("`{at}` belongs to one function; write it there");
            errors.at(Rule::R02, setting.key.span(), said);
        }
    }
    is_group(item, &mut errors);
    let mut group = told(item.clone(), args).unwrap_or_else(|| item.clone());
    group.extend(errors.to_tokens());
    group
}

/// Only an `impl` block or a module with a body has functions inside.
fn is_group(item: &TokenStream, errors: &mut Errors) {
    let mut words = item.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word),
        _ => None,
    });
    let kind = words.find(|word| ["impl", "mod", "fn", "struct", "enum", "trait"].iter().any(|kind| word == kind));
    let has_body = item.clone().into_iter().any(|token| is_group_of(&token, Delimiter::Brace));
    match kind {
        Some(word) if word == "impl" || word == "mod" || word == "trait" => {
            if !has_body {
                let said = "the functions of this module stand in another file; write `#[resilient::defaults(…)]` on an inline module or an `impl` block";
                errors.at(Rule::R30, word.span(), said);
            }
        }
        other => {
            let span = other.map_or_else(Span::call_site, |word| word.span());
            let said = "defaults are for the functions of an `impl` block or an inline module; write these settings in `#[resilient(…)]`";
            errors.at(Rule::R30, span, said);
        }
    }
}

/// `tokens`, with every `#[resilient]` inside told what it inherits; `None` where there is none. What has none is passed
/// through token by token as it is: a rebuilt group has lost the places of its two delimiters, which editors go by.
fn told(tokens: TokenStream, args: &TokenStream) -> Option<TokenStream> {
    let mut out = TokenStream::new();
    let (mut hash, mut any) = (false, false);
    for token in tokens {
        let is_attribute = hash && is_group_of(&token, Delimiter::Bracket);
        hash = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#' || (hash && mark.as_char() == '!'));
        let changed = match &token {
            TokenTree::Group(group) => {
                let inside = if is_attribute { attribute(group.stream(), args) } else { told(group.stream(), args) };
                inside.map(|inside| TokenTree::Group(regrouped(group, inside)))
            }
            _ => None,
        };
        any |= changed.is_some();
        out.extend([changed.unwrap_or(token)]);
    }
    any.then_some(out)
}

/// The inside of `#[…]`: `resilient`, `resilient(…)`, also behind a path or inside `cfg_attr(…)`; `None` for any other.
fn attribute(tokens: TokenStream, args: &TokenStream) -> Option<TokenStream> {
    let mut out = TokenStream::new();
    let mut any = false;
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let changed = match (&token, rest.peek()) {
            (TokenTree::Ident(word), next) if word == "resilient" => match next {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    let own = regrouped(group, inheriting(group.stream(), args));
                    rest.next();
                    Some(quote!(#token #own))
                }
                // `resilient::…` is the name of the crate.
                Some(TokenTree::Punct(mark)) if mark.as_char() == ':' => None,
                _ => {
                    let own = inheriting(TokenStream::new(), args);
                    Some(quote!(#token(#own)))
                }
            },
            (TokenTree::Group(group), _) => {
                attribute(group.stream(), args).map(|inside| TokenTree::Group(regrouped(group, inside)).into())
            }
            _ => None,
        };
        any |= changed.is_some();
        out.extend(changed.unwrap_or_else(|| token.into()));
    }
    any.then_some(out)
}

/// A function's own settings, and behind them what it inherits.
fn inheriting(own: TokenStream, args: &TokenStream) -> TokenStream {
    let ends_in_comma = matches!(own.clone().into_iter().last(), Some(TokenTree::Punct(mark)) if mark.as_char() == ',');
    let comma = (!own.is_empty() && !ends_in_comma).then(|| quote!(,));
    let key = Ident::new(INHERITED, Span::call_site());
    quote!(#own #comma #key(#args))
}

fn regrouped(old: &Group, inside: TokenStream) -> Group {
    let mut new = Group::new(old.delimiter(), inside);
    new.set_span(old.span());
    new
}

fn is_group_of(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}
