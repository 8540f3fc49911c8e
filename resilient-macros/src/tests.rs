//! The whole line, from text to text.

mod expansions;
mod faults;
mod garbage;
mod sweep;
mod values;

use crate::errors::Errors;
use proc_macro2::TokenStream;

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Each fault of `#[resilient(args)] item`, and the source text that it points at.
fn faults(args: &str, item: &str) -> Vec<(String, String)> {
    let mut errors = Errors::default();
    let guarded = crate::guard(tokens(args), &tokens(item), &mut errors);
    assert_eq!(guarded.is_ok(), errors.is_empty(), "{args}");
    errors.listed()
}

/// The same on an async function that could be anything.
fn on_async(args: &str) -> Vec<(String, String)> {
    faults(args, "async fn view(id: u64) -> Result<Stock, E> { todo!() }")
}

/// The ids alone.
fn ids(faults: &[(String, String)]) -> Vec<&str> {
    faults.iter().map(|(text, _)| &text[1..4]).collect()
}

/// What is emitted, formatted.
fn expansion(args: &str, item: &str) -> String {
    let expanded = crate::run(tokens(args), tokens(item));
    let file = syn::parse2(expanded.clone()).unwrap_or_else(|error| panic!("{error}: {expanded}"));
    prettyplease::unparse(&file)
}
