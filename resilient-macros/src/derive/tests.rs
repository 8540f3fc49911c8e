use super::*;
use std::str::FromStr;

/// The texts of the errors, in order.
fn faults(input: &str) -> Vec<String> {
    fn collect(tokens: TokenStream, texts: &mut Vec<String>) {
        for token in tokens {
            match token {
                TokenTree::Literal(literal) => {
                    texts.extend(syn::parse_str::<syn::LitStr>(&literal.to_string()).map(|text| text.value()));
                }
                TokenTree::Group(group) => collect(group.stream(), texts),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
    let output = expand(TokenStream::from_str(input).expect("the test's own tokens"));
    syn::parse2::<syn::File>(output.clone()).expect("items, whatever is wrong");
    let mut texts = Vec::new();
    collect(output, &mut texts);
    texts
}

fn squeezed(input: &str) -> String {
    let output = expand(TokenStream::from_str(input).expect("the test's own tokens"));
    output.to_string().split_whitespace().collect()
}

/// A mistake, and what is said about it.
const MISTAKES: &[(&str, &[&str])] = &[
    (
        "enum E { Gone, #[transient] Slow, Lost }",
        &[
            "[R27] `Gone` does not say what it means for a caller; put `#[permanent]`, `#[transient]` or another word on it",
            "[R27] `Lost` does not say what it means for a caller; put `#[permanent]`, `#[transient]` or another word on it",
        ],
    ),
    (
        "struct E;",
        &[
            "[R27] `E` does not say what it means for a caller; put `#[permanent]`, `#[transient]` or another word on it",
        ],
    ),
    ("union E { a: u8 }", &["[R27] a union does not know which field it holds; write `impl Classify` by hand"]),
    ("enum E { #[timeout] #[transient] A }", &["[R02] `#[timeout]` stands here already; keep it or `#[transient]`"]),
    ("enum E { #[timeout] #[timeout] A }", &["[R02] `#[timeout]` is written twice; drop one"]),
    ("enum E { #[not_sent] #[not_sent] A }", &["[R02] `#[not_sent]` is written twice; drop one"]),
    (
        "enum E { #[permanent] A(#[classify(delegate)] X) }",
        &["[R02] `#[permanent]` stands here already; keep it or `#[classify(delegate)]`"],
    ),
    (
        "enum E { #[rejected] A(Rejected), #[rejected] B(Rejected) }",
        &["[R02] a `Rejected` becomes one variant; write `#[classify(delegate)]` here"],
    ),
    ("enum E { #[rejected] A }", &["[R27] `#[rejected]` needs exactly one field; write `A(Rejected)`"]),
    (
        "enum E { #[rejected] #[not_sent] A(Rejected) }",
        &["[R27] a `Rejected` knows whether it was sent; drop `#[not_sent]`"],
    ),
    (
        "#[rejected] enum E { A(Rejected) }",
        &["[R27] `#[rejected]` is for one variant; put it on the one that holds a `Rejected`"],
    ),
    ("enum E { #[classify] A }", &["[R27] `classify` needs a word; write `#[classify(delegate)]`"]),
    ("enum E { #[classify()] A }", &["[R27] `classify` needs a word; write `#[classify(delegate)]`"]),
    (
        "enum E { #[classify(delgate)] A(X) }",
        &["[R01] unknown word `delgate` in `classify(…)`; did you mean `delegate`?"],
    ),
    (
        "enum E { #[classify(permanant, odd)] A }",
        &[
            "[R01] unknown word `permanant` in `classify(…)`; did you mean `#[permanent]`?",
            "[R01] unknown word `odd` in `classify(…)`; it takes `delegate`",
        ],
    ),
    ("enum E { #[classify(timeout)] A }", &["[R01] `timeout` is an attribute of its own; write `#[timeout]`"]),
    ("enum E { #[classify(crate = x)] A }", &["[R01] `crate` belongs on the type; write it above `enum` or `struct`"]),
    (
        "#[classify(crate)] #[permanent] struct E;",
        &["[R27] `crate` takes a path; write `#[classify(crate = path::to::resilient)]`"],
    ),
    (
        "enum E { #[classify(delegate)] A, #[classify(delegate)] B(X, Y) }",
        &[
            "[R27] `A` has no field that could answer; write `#[permanent]` or another word",
            "[R27] `B` has 2 fields; put `#[classify(delegate)]` on the one that answers",
        ],
    ),
    (
        "enum E { #[classify(delegate)] B(#[classify(delegate)] X, #[classify(delegate)] Y) }",
        &["[R02] only one field can answer; drop this `#[classify(delegate)]`"],
    ),
    (
        "enum E { #[throttled(retry_after = wiat)] A { wait: Duration } }",
        &["[R27] `A` has no field `wiat`; did you mean `wait`?"],
    ),
    (
        "enum E { #[throttled(retry_after = other)] A { wait: Duration, id: u8 } }",
        &["[R27] `A` has no field `other`; name `wait` or `id`"],
    ),
    ("enum E { #[overloaded(retry_after = 1)] A(Duration) }", &["[R27] `A` has no field `1`; name `0`"]),
    (
        "enum E { #[overloaded(retry_after = 0)] A }",
        &["[R27] `A` has no field `0`; leave `retry_after` out, or add a field of type `Duration`"],
    ),
    (
        "enum E { #[throttled(retry_afer = wait)] A { wait: Duration } }",
        &["[R01] unknown setting `retry_afer` in `throttled(…)`; did you mean `retry_after`?"],
    ),
    ("enum E { #[throttled(2)] A }", &["[R01] unknown setting `2` in `throttled(…)`; it takes `retry_after = field`"]),
    (
        "enum E { #[throttled(retry_after = \"wait\")] A { wait: Duration } }",
        &["[R27] `retry_after` names a field; write `retry_after = wait`, or `retry_after = 0` for the first"],
    ),
    (
        "enum E { #[throttled(retry_after = wait, retry_after = wait)] A { wait: Duration } }",
        &["[R02] `retry_after` is set twice; drop one"],
    ),
    (
        "enum E { #[throttled = 5] A }",
        &["[R27] `throttled` takes no value; write `#[throttled]` or `#[throttled(retry_after = field)]`"],
    ),
    (
        "enum E { #[transient(retry_after = wait)] A { wait: Duration } }",
        &["[R27] `transient` takes no settings; write `#[transient]`"],
    ),
    ("enum E { A(#[transient] X) }", &["[R27] `#[transient]` says nothing on a field; put it on the variant"]),
];

#[test]
fn every_mistake_is_named_and_says_what_to_write_instead() {
    for (input, texts) in MISTAKES {
        assert_eq!(faults(input), *texts, "{input}");
    }
}

#[test]
fn a_mistake_leaves_the_impls_standing() {
    let output = squeezed("enum E { Gone, #[rejected] Refused(Rejected) }");
    assert!(output.contains("impl::resilient::ClassifyforE"), "{output}");
    assert!(output.contains("convert::From<::resilient::Rejected>forE"), "{output}");
}

#[test]
fn only_what_delegates_is_bounded() {
    let output = squeezed("enum E<T, U> { #[classify(delegate)] A(T), #[permanent] B(U), #[classify(delegate)] C(X) }");
    assert!(output.contains("forE<T,U>whereT:::resilient::Classify{"), "{output}");
    let output = squeezed("enum E<T> { #[classify(delegate)] A(T), #[classify(delegate)] B(Box<E<T>>) }");
    assert!(output.contains("forE<T>whereT:::resilient::Classify{"), "{output}");
}

#[test]
fn a_word_on_the_enum_is_for_the_variants_without_one() {
    let output = squeezed("#[timeout] enum E { A, #[permanent] B, #[not_sent] C }");
    assert!(output.contains("Self::A{..}=>::resilient::Verdict::TIMEOUT,"), "{output}");
    assert!(output.contains("Self::B{..}=>::resilient::Verdict::PERMANENT,"), "{output}");
    assert!(output.contains("Self::C{..}=>::resilient::Verdict::TRANSIENT.unsent(),"), "{output}");
}

#[test]
fn another_derive_that_reads_from_is_left_to_write_it() {
    let output = squeezed("enum E { #[rejected] A(#[from] Rejected) }");
    assert!(!output.contains("convert::From"), "{output}");
}

#[test]
fn the_crate_can_be_elsewhere() {
    let output = squeezed("#[classify(crate = crate::prelude)] #[rejected] struct E(Rejected);");
    assert!(output.contains("implcrate::prelude::ClassifyforE"), "{output}");
    assert!(!output.contains("::resilient"), "{output}");
}
