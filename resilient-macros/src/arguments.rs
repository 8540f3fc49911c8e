//! The arguments of the function, as they were written.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Pat, PatType, Type};

/// One argument but `self`.
pub struct Argument {
    /// What the body takes it apart with.
    pub pat: Pat,
    /// Its name in the signature, if that is a name and no pattern.
    pub outer: Option<Ident>,
    /// Whether the body gave it another pattern than the signature did.
    pub renamed: bool,
    /// Its type, without the groups that a macro's fragment leaves.
    pub ty: Type,
    /// Its `#[cfg]`s and lint levels.
    pub attrs: Vec<Attribute>,
    /// Where `#[share]` is, if it is.
    pub share: Option<Attribute>,
}

/// How it is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// `&T`
    Shared,
    /// `&mut T`
    Exclusive,
    /// By value.
    Owned,
}

impl Argument {
    /// The argument, with our helper attribute taken off `input`.
    pub fn take(input: &mut PatType) -> Self {
        let share = input.attrs.iter().position(|attr| attr.path().is_ident("share"));
        let share = share.map(|at| input.attrs.remove(at));
        let pat = (*input.pat).clone();
        Self {
            outer: name(&pat).cloned(),
            renamed: false,
            pat,
            ty: peeled(&input.ty).clone(),
            attrs: input.attrs.clone(),
            share,
        }
    }

    /// How it is handed over.
    pub fn hand(&self) -> Hand {
        match &self.ty {
            Type::Reference(ty) if ty.mutability.is_some() => Hand::Exclusive,
            Type::Reference(_) => Hand::Shared,
            _ => Hand::Owned,
        }
    }

    /// Its name, if it is a name and no pattern.
    pub fn name(&self) -> Option<&Ident> {
        name(&self.pat)
    }

    /// Whether the body takes it by the very name that the signature gives it.
    pub fn is_plain(&self) -> bool {
        let mutable = matches!(&self.pat, Pat::Ident(pat) if pat.mutability.is_some());
        !mutable && self.name().is_some() && self.name() == self.outer.as_ref()
    }

    /// The type behind its reference, or its own.
    pub fn target(&self) -> &Type {
        match &self.ty {
            Type::Reference(ty) => peeled(&ty.elem),
            other => other,
        }
    }

    /// The names that its pattern binds.
    pub fn binds(&self) -> Vec<Ident> {
        let mut names = Vec::new();
        bound(self.pat.to_token_stream(), &mut names);
        names
    }

    /// Whether `tokens` speak of it.
    pub fn is_in(&self, tokens: &TokenStream) -> bool {
        let names = self.binds();
        words(tokens.clone(), &mut |word| names.iter().any(|name| name == word))
    }
}

/// The name that a pattern is, if it is nothing more.
fn name(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => Some(&pat.ident),
        _ => None,
    }
}

/// The identifiers in a pattern that begin in lower case: constants, paths and fields' types do not matter here, since
/// a name too many only keeps one argument longer.
fn bound(tokens: TokenStream, names: &mut Vec<Ident>) {
    words(tokens, &mut |word| {
        if word.to_string().starts_with(|c: char| c.is_lowercase() || c == '_') && word != "mut" && word != "ref" {
            names.push(word.clone());
        }
        false
    });
}

/// Whether `found` holds for an identifier anywhere in `tokens`.
pub fn words(tokens: TokenStream, found: &mut dyn FnMut(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(word) => found(&word),
        proc_macro2::TokenTree::Group(group) => words(group.stream(), found),
        _ => false,
    })
}

/// A type without invisible groups and parentheses.
pub fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        other => other,
    }
}

/// Whether the attribute decides if the argument is there at all.
pub fn is_cfg(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
}

/// Whether the attribute sets the level of a lint.
pub fn is_lint(attr: &Attribute) -> bool {
    ["allow", "warn", "deny", "expect", "forbid"].iter().any(|level| attr.path().is_ident(level))
}

/// These attributes of an argument, for a generated statement about it.
pub fn copied(attrs: &[Attribute], which: fn(&Attribute) -> bool) -> TokenStream {
    let attrs = attrs.iter().filter(|attr| which(attr));
    quote!(#(#attrs)*)
}
