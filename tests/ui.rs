//! What must not compile, and what it says: one file per mistake in `tests/ui`, named after its rule and the mistake.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the expected messages anew. They hold for the toolchain of
//! `rust-toolchain.toml`; texts that are ours do not differ between toolchains, rustc's own do.

#[test]
fn a_wrong_policy_does_not_compile_and_the_message_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
