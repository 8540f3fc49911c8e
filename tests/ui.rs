//! What must not compile, and what it says: one file per mistake in `tests/ui`, named after its rule and the mistake.
//!
//! What rustc itself says of a mistake near the attribute has a name without a rule. A pair of mistakes is in one file
//! where each could hide the other; the rest of the pairs are in `resilient-macros/src/tests/faults.rs`.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the expected messages anew. They hold for the toolchain of
//! `rust-toolchain.toml`; texts that are ours do not differ between toolchains, rustc's own do. None
//! depends on whether the standard library's source is installed.

#[test]
fn a_wrong_policy_does_not_compile_and_the_message_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
