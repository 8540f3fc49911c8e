//! The attribute's text, split at its commas.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::iter::Peekable;

/// What stands between two commas.
pub struct Entry {
    /// Its first word, where there is one.
    pub key: Option<Ident>,
    /// What follows the key.
    pub form: Form,
    /// All of it.
    pub tokens: TokenStream,
}

/// How an entry goes on after its key.
pub enum Form {
    /// `read`
    Alone,
    /// `retries = 1`
    Equals(TokenStream),
    /// `retry(base_ms = 25)`, and what follows where a comma was forgotten.
    Parens(Group, TokenStream),
    /// Anything else, by its first token.
    Other(TokenTree),
}

impl ToTokens for Entry {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.tokens.clone());
    }
}

impl Entry {
    /// Whether there is nothing but the comma that ends it.
    pub fn is_empty(&self) -> bool {
        matches!(&self.form, Form::Other(TokenTree::Punct(comma)) if comma.as_char() == ',')
    }

    fn read(tokens: TokenStream) -> Self {
        let mut rest = tokens.clone().into_iter().peekable();
        let key = match rest.peek() {
            Some(TokenTree::Ident(key)) => Some(key.clone()),
            _ => None,
        };
        if key.is_some() {
            rest.next();
        }
        Self { key, form: Form::read(rest), tokens }
    }
}

impl Form {
    fn read(mut rest: Peekable<impl Iterator<Item = TokenTree>>) -> Self {
        match rest.next() {
            None => Self::Alone,
            Some(TokenTree::Punct(equals)) if equals.as_char() == '=' => match rest.peek() {
                Some(TokenTree::Punct(next)) if matches!(next.as_char(), '=' | '>') => {
                    Self::Other(TokenTree::Punct(equals))
                }
                _ => Self::Equals(rest.collect()),
            },
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                Self::Parens(group, rest.collect())
            }
            Some(other) => Self::Other(other),
        }
    }
}

/// The entries of a list; a mistake in one does not hide the next.
pub fn split(tokens: TokenStream) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut current = TokenStream::new();
    let mut angles = Angles::default();
    for token in tokens {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' && angles.are_closed() => {
                if current.is_empty() {
                    current.extend([TokenTree::Punct(comma)]);
                }
                entries.push(Entry::read(std::mem::take(&mut current)));
            }
            other => {
                angles.pass(&other);
                current.extend([other]);
            }
        }
    }
    if !current.is_empty() {
        entries.push(Entry::read(current));
    }
    entries
}

/// Follows `path::<A, B>`, whose commas end no entry.
#[derive(Default)]
struct Angles {
    open: usize,
    colons: usize,
}

impl Angles {
    fn are_closed(&self) -> bool {
        self.open == 0
    }

    fn pass(&mut self, token: &TokenTree) {
        let mark = if let TokenTree::Punct(punct) = token { punct.as_char() } else { ' ' };
        match mark {
            '<' if self.open > 0 || self.colons == 2 => self.open += 1,
            '>' => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        self.colons = if mark == ':' { self.colons + 1 } else { 0 };
    }
}

/// What a macro's fragment such as `$e:expr` hid in a group without delimiters.
pub fn peeled(tokens: TokenStream) -> TokenStream {
    let mut rest = tokens.clone().into_iter();
    match (rest.next(), rest.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => peeled(group.stream()),
        _ => tokens,
    }
}

/// The content of `tokens` if they are one pair of parentheses.
pub fn parenthesised(tokens: &TokenStream) -> Option<Group> {
    let mut rest = tokens.clone().into_iter();
    match (rest.next(), rest.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => Some(group),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_between_type_arguments_ends_no_entry() {
        let entries = split("on = judge::<A, Vec<B>>, read, x = a < b, c > d".parse().unwrap());
        let texts: Vec<_> = entries.iter().map(|entry| entry.tokens.to_string().replace(' ', "")).collect();
        assert_eq!(texts, ["on=judge::<A,Vec<B>>", "read", "x=a<b", "c>d"]);
    }

    #[test]
    fn a_comma_after_the_last_entry_begins_no_other_and_one_after_nothing_is_one() {
        let empty = |text: &str| split(text.parse().unwrap()).iter().map(Entry::is_empty).collect::<Vec<_>>();
        assert_eq!(empty("a, b = 1,"), [false, false]);
        assert_eq!(empty("a, , b"), [false, true, false]);
        assert_eq!(empty(","), [true]);
        assert!(empty("").is_empty());
    }
}
