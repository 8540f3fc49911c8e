//! The body of a function that returns a future by hand, where it is one `async` block: what stands in the block is the
//! attempt.
//!
//! `#[async_trait]` turns every method into such a function before we see it:
//!
//! ```text
//! Box::pin(async move {
//!     if let Some(__ret) = None::<R> { return __ret; }
//!     let __self = self;
//!     let x = x;
//!     let (a, b) = { let __arg2 = __arg2; __arg2 };
//!     let __ret: R = { … };
//!     __ret
//! })
//! ```
//!
//! Its first lines only rename arguments. They move out of the attempt: an argument is taken over once, an attempt
//! happens many times.

use crate::arguments::{Argument, words};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::collections::VecDeque;
use syn::Pat;
use syn::parse::Parser;

/// A body that is one `async` block.
pub struct Unwrapped {
    /// What is called with the block: `Box::pin`, or nothing.
    pub pin: TokenStream,
    /// The name that the block gives to `self`.
    pub this: Option<This>,
    /// The block, without the lines that rename arguments.
    pub block: Group,
}

/// `let mut __self = self;`
pub struct This {
    /// `mut`
    pub mutability: Option<Ident>,
    /// `__self`
    pub name: Ident,
}

impl Unwrapped {
    /// The block in `body`, if that is all there is; patterns that it gives to `arguments` are moved to them.
    pub fn read(body: &Group, arguments: &mut [Argument]) -> Option<Self> {
        let mut tokens: VecDeque<TokenTree> = body.stream().into_iter().collect();
        let mut pin = TokenStream::new();
        let block = match tokens.pop_back()? {
            TokenTree::Group(call) if call.delimiter() == Delimiter::Parenthesis => {
                let callee: Vec<TokenTree> = tokens.into_iter().collect();
                if !is_box_pin(&callee) {
                    return None;
                }
                pin.extend(callee);
                let mut inside: VecDeque<TokenTree> = call.stream().into_iter().collect();
                async_block(inside.pop_back()?, &inside)?
            }
            last => async_block(last, &tokens)?,
        };
        let mut unwrapped = Self { pin, this: None, block };
        unwrapped.take_over(arguments);
        Some(unwrapped)
    }

    /// Moves the lines that rename arguments out of the block.
    fn take_over(&mut self, arguments: &mut [Argument]) {
        let mut tokens: VecDeque<TokenTree> = self.block.stream().into_iter().collect();
        tokens.drain(..edge(&tokens));
        while let Some(line) = Renaming::read(&tokens) {
            if line.source == "self" {
                let Some(TokenTree::Ident(name)) = line.pattern.clone().into_iter().last() else { break };
                let mutability = line.pattern.into_iter().find_map(|token| match token {
                    TokenTree::Ident(word) if word == "mut" => Some(word),
                    _ => None,
                });
                self.this = Some(This { mutability, name });
            } else {
                let taken = arguments.iter_mut().find(|argument| argument.outer.as_ref() == Some(&line.source));
                let (Some(argument), Ok(pat)) = (taken, Pat::parse_multi.parse2(line.pattern)) else { break };
                argument.pat = pat;
                argument.renamed = true;
            }
            tokens.drain(..line.len);
        }
        let span = self.block.span();
        self.block = Group::new(Delimiter::Brace, tokens.into_iter().collect());
        self.block.set_span(span);
    }
}

/// The length of the statement that tells inference the return type; ours does the same.
fn edge(tokens: &VecDeque<TokenTree>) -> usize {
    let end = tokens.iter().position(is_braces).filter(|_| tokens.front().is_some_and(|first| is(first, "if")));
    match end {
        Some(end) if words(tokens.range(..end).cloned().collect(), &mut |word| word == "__ret") => end + 1,
        _ => 0,
    }
}

fn is(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// `Box::pin`, `std::boxed::Box::pin`, `Box::<…>::pin`.
fn is_box_pin(callee: &[TokenTree]) -> bool {
    callee.last().is_some_and(|last| is(last, "pin"))
        && callee.iter().any(|token| is(token, "Box"))
        && callee.iter().all(|token| matches!(token, TokenTree::Ident(_) | TokenTree::Punct(_)))
}

/// The braces of `async { … }` and `async move { … }`.
fn async_block(last: TokenTree, before: &VecDeque<TokenTree>) -> Option<Group> {
    let is_async = match before.len() {
        1 => is(&before[0], "async"),
        2 => is(&before[0], "async") && is(&before[1], "move"),
        _ => false,
    };
    match last {
        TokenTree::Group(block) if is_async && block.delimiter() == Delimiter::Brace => Some(block),
        _ => None,
    }
}

/// A line that gives an argument another name.
struct Renaming {
    pattern: TokenStream,
    source: Ident,
    len: usize,
}

impl Renaming {
    fn read(tokens: &VecDeque<TokenTree>) -> Option<Self> {
        let start = skip_attributes(tokens);
        if !is(tokens.get(start)?, "let") {
            return None;
        }
        let equals = tokens.iter().position(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == '='))?;
        let source = match tokens.get(equals + 1)? {
            TokenTree::Ident(source) => source.clone(),
            TokenTree::Group(block) if block.delimiter() == Delimiter::Brace => renamed_in(block)?,
            _ => return None,
        };
        match tokens.get(equals + 2)? {
            TokenTree::Punct(end) if end.as_char() == ';' => {}
            _ => return None,
        }
        let pattern = tokens.range(start + 1..equals).cloned().collect();
        Some(Self { pattern, source, len: equals + 3 })
    }
}

/// `#[cfg(…)]`s in front of a line; the argument carries the same.
fn skip_attributes(tokens: &VecDeque<TokenTree>) -> usize {
    let mut at = 0;
    while matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == '#') {
        at += 2;
    }
    at
}

/// `x` of `{ let x = x; x }`.
fn renamed_in(block: &Group) -> Option<Ident> {
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    match tokens.as_slice() {
        [first, TokenTree::Ident(a), _, TokenTree::Ident(b), _, TokenTree::Ident(c)]
            if is(first, "let") && a == b && b == c =>
        {
            Some(a.clone())
        }
        _ => None,
    }
}
