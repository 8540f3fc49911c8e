//! All faults of one attribute, each on its own token.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use resilient_policy::Rule;
use std::fmt::Display;

/// The faults found so far. Nothing returns early on one: a reader wants to see them all.
#[derive(Default)]
pub struct Errors(Vec<syn::Error>);

impl Errors {
    /// A fault at the place of one token.
    pub fn at(&mut self, rule: Rule, span: Span, text: impl Display) {
        self.0.push(syn::Error::new(span, format!("[{rule}] {text}")));
    }

    /// A fault under all of `tokens`.
    pub fn over(&mut self, rule: Rule, tokens: &impl ToTokens, text: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens, format!("[{rule}] {text}")));
    }

    /// One more place of the fault before: it is shown after that one, wherever it stands.
    pub fn also(&mut self, rule: Rule, span: Span, text: impl Display) {
        let also = syn::Error::new(span, format!("[{rule}] {text}"));
        match self.0.last_mut() {
            Some(fault) => fault.combine(also),
            None => self.0.push(also),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` for each fault, in the order in which they stand in the source.
    pub fn to_tokens(&self) -> TokenStream {
        let mut sorted: Vec<_> = self.0.iter().collect();
        sorted.sort_by_key(|fault| fault.span().start());
        sorted.into_iter().map(syn::Error::to_compile_error).collect()
    }

    /// Each fault's text, and the source text that it points at.
    #[cfg(test)]
    pub fn listed(&self) -> Vec<(String, String)> {
        let places = self.0.iter().flat_map(|fault| fault.clone().into_iter());
        places.map(|place| (place.to_string(), place.span().source_text().unwrap_or_default())).collect()
    }
}

/// The word of `among` that was probably meant by `written`, if one is near enough: by a slip or two, or because it
/// begins like that and is being typed.
pub fn nearest<'a>(written: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = written.chars().count();
    let allowed = (letters / 3).max(1);
    let words: Vec<_> = among.into_iter().collect();
    let by_slip =
        words.iter().map(|word| (distance(written, word), *word)).filter(|(distance, _)| *distance <= allowed);
    let begun = || words.iter().filter(|word| letters >= 3 && word.starts_with(written)).min_by_key(|word| word.len());
    by_slip.min_by_key(|(distance, _)| *distance).map(|(_, word)| word).or_else(|| begun().copied())
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

/// A type or a path as a person writes it; as tokens it is full of spaces.
pub fn written(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, tight) in [(" :: ", "::"), (" < ", "<"), ("< ", "<"), (" >", ">"), (" ,", ","), ("& ", "&")] {
        text = text.replace(spaced, tight);
    }
    text
}

/// `` `a`, `b` or `c` ``.
pub fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    listed(words, "or")
}

/// `` `a`, `b` and `c` ``.
pub fn listed<'a>(words: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let words: Vec<_> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((one, [])) => one.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_another_word_does_not() {
        let words = ["timeout", "timeout_ms", "retries", "read"];
        assert_eq!(nearest("timout", words), Some("timeout"));
        assert_eq!(nearest("timout_ms", words), Some("timeout_ms"));
        assert_eq!(nearest("retires", words), Some("retries"));
        assert_eq!(nearest("tim", words), Some("timeout"));
        assert_eq!(nearest("frobnicate", words), None);
        assert_eq!(nearest("", words), None);
    }

    #[test]
    fn a_list_reads_like_a_sentence() {
        assert_eq!(one_of(["a"]), "`a`");
        assert_eq!(one_of(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
