//! The function under the attribute, as it was written.

use crate::arguments::Argument;
use crate::entries::peeled;
use crate::errors::Errors;
use crate::output::{Output, OutputKind};
use crate::unwrapped::Unwrapped;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use resilient_policy::Rule;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Receiver, ReceiverKind, Signature, Type, Visibility};

/// A function: its body stays the tokens that the user typed, so that half-typed code keeps its completions.
pub struct Function {
    /// The attributes below ours.
    pub attrs: Vec<Attribute>,
    /// `pub`
    pub vis: Visibility,
    /// `default`
    pub defaultness: Option<Ident>,
    /// Everything up to the body, without our helper attributes.
    pub sig: Signature,
    /// The arguments but `self`.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub output: Output,
    /// Attributes at the start of the body.
    pub inner: TokenStream,
    /// The body behind them, in the user's own braces.
    pub body: Group,
    /// The same for a function that returns a future by hand, where it is one `async` block.
    pub unwrapped: Option<Unwrapped>,
}

/// How an attempt gets at `self`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `&self`: as often as wanted.
    Shared,
    /// `&mut self`: lent to each attempt.
    Exclusive,
    /// `self`: there is one, and attempts share it.
    Value,
}

impl Function {
    /// The function in `item`, or `None` after saying why there is none to guard.
    pub fn read(item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        let keyword = item_keyword(item);
        if let Some(keyword) = keyword.filter(|keyword| *keyword != "fn") {
            let (a, instead) = match keyword.to_string().as_str() {
                "impl" => ("an", "put it on the methods inside"),
                "trait" => ("a", "put it on the methods inside that have a body"),
                "extern" => ("an", "put it on a function that calls into it"),
                "enum" => ("an", "put it on a function"),
                _ => ("a", "put it on a function"),
            };
            let said = format!("`#[resilient]` guards a function, not {a} {keyword}; {instead}");
            errors.at(Rule::R30, keyword.span(), said);
            return None;
        }
        let end = item.clone().into_iter().last().filter(|end| end.to_string() == ";");
        if let Some(end) = end {
            let said = "there is no body to guard; put `#[resilient]` on the function that has one, such as the method in the `impl`";
            errors.at(Rule::R30, end.span(), said);
            return None;
        }
        match syn::parse2::<Self>(item.clone()) {
            Ok(function) => Some(function),
            Err(error) => {
                let said = format!("this function cannot be read: {error}; write it without `#[resilient]` first");
                errors.at(Rule::R30, error.span(), said);
                None
            }
        }
    }

    /// The function without us: what is left when the attribute has faults.
    pub fn plain(&self) -> TokenStream {
        let Self { attrs, vis, defaultness, sig, body, inner, .. } = self;
        let stream = body.stream();
        let mut whole = Group::new(Delimiter::Brace, quote!(#inner #stream));
        whole.set_span(body.span());
        let attrs = attrs.iter().filter(|attr| !is_ours(attr));
        quote!(#(#attrs)* #vis #defaultness #sig #whole)
    }

    /// The receiver of a method.
    pub fn receiver(&self) -> Option<&Receiver> {
        self.sig.receiver()
    }

    /// How an attempt gets at `self`.
    pub fn access(&self) -> Option<Access> {
        let receiver = self.receiver()?;
        Some(match &receiver.kind {
            ReceiverKind::Reference(_, _, None) => Access::Shared,
            ReceiverKind::Reference(_, _, Some(_)) => Access::Exclusive,
            ReceiverKind::Typed(_, ty) => match &**ty {
                Type::Reference(ty) if ty.mutability.is_none() => Access::Shared,
                Type::Reference(_) => Access::Exclusive,
                _ => Access::Value,
            },
            _ => Access::Value,
        })
    }

    /// The attributes of the same kind below ours.
    pub fn doubles(&self) -> impl Iterator<Item = &Attribute> {
        self.attrs.iter().filter(|attr| is_ours(attr))
    }
}

fn is_ours(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "resilient")
}

impl Parse for Function {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let defaultness = input.fork().parse::<Ident>().ok().filter(|word| word == "default");
        if defaultness.is_some() {
            input.parse::<Ident>()?;
        }
        let mut sig: Signature = input.parse()?;
        let body = input.step(|cursor| match cursor.token_tree() {
            Some((TokenTree::Group(group), rest)) => Ok((group, rest)),
            _ => Err(cursor.error("expected a body in braces")),
        })?;
        let mut body = braces(body)?;
        let mut inner = TokenStream::new();
        let rest = |input: ParseStream| {
            for attr in input.call(Attribute::parse_inner)? {
                attr.to_tokens(&mut inner);
            }
            input.parse::<TokenStream>()
        };
        let stream = syn::parse::Parser::parse2(rest, body.stream())?;
        let span = body.span();
        body = Group::new(Delimiter::Brace, stream);
        body.set_span(span);
        let arguments = sig.inputs.iter_mut().filter_map(|input| match input {
            FnArg::Typed(input) => Some(Argument::take(input)),
            FnArg::Receiver(_) => None,
        });
        let mut arguments: Vec<Argument> = arguments.collect();
        let output = Output::of(&sig);
        let unwrapped = match output.kind {
            OutputKind::Future | OutputKind::Boxed => Unwrapped::read(&body, &mut arguments),
            _ => None,
        };
        Ok(Self { attrs, vis, defaultness, sig, arguments, output, inner, body, unwrapped })
    }
}

/// The body, also where a macro's `$body:block` hides it in a group.
fn braces(group: Group) -> syn::Result<Group> {
    match group.delimiter() {
        Delimiter::Brace => Ok(group),
        _ => match peeled(group.stream()).into_iter().next() {
            Some(TokenTree::Group(inside)) if group.delimiter() == Delimiter::None => braces(inside),
            _ => Err(syn::Error::new(group.span(), "expected a body in braces")),
        },
    }
}

/// `fn`, or the keyword of whatever else this is.
fn item_keyword(item: &TokenStream) -> Option<Ident> {
    const ITEMS: &[&str] =
        &["struct", "enum", "union", "trait", "impl", "mod", "use", "static", "type", "macro_rules", "const", "extern"];
    let mut other = None;
    let mut hash = false;
    for token in item.clone() {
        match token {
            TokenTree::Ident(word) if word == "fn" => return Some(word),
            TokenTree::Ident(word) if other.is_none() && ITEMS.contains(&word.to_string().as_str()) => {
                other = Some(word)
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
            TokenTree::Punct(punct) if punct.as_char() == '#' => hash = true,
            TokenTree::Group(group) if hash && group.delimiter() == Delimiter::Bracket => hash = false,
            // `pub(crate)`, and a visibility that came through a macro.
            TokenTree::Group(group) if matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::None) => {}
            _ => break,
        }
    }
    other
}
