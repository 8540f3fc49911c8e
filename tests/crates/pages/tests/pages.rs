//! The code of the README and of the pages in `docs/` compiles. There is nothing to run.
#![allow(
    dead_code,
    non_local_definitions,
    redundant_semicolons,
    unnameable_test_items,
    unused_imports,
    unused_mut,
    unused_variables,
    clippy::all
)]

mod prelude;

mod pages {
    use super::prelude::{Anything, Cart, Client};

    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}
