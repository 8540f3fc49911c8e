//! The signatures that `#[resilient]` works on: each function here is compiled, called and run again after a failure.
//!
//! The corpus has numbered rows; a test names the ones it covers. A body fails twice and then succeeds, so that its
//! arguments must serve three attempts; where retries make a signature impossible, or are beside the point, it runs
//! once. What the attribute generates is to trigger no lint of rustc or clippy, which is why nothing here is silenced
//! but what the test code itself does on purpose.
//!
//! `tests/crates/signatures_2021` runs these very files in edition 2021, so nothing here needs the syntax of a later one.
#![deny(warnings)]
#![warn(clippy::all, clippy::pedantic)]

extern crate resilient as ren;

mod arguments;
mod coalesced;
mod environment;
mod fallbacks;
mod free;
mod futures;
mod hedged;
mod hygiene;
mod keyed;
mod macros;
mod methods;
mod support;
mod threads;
mod traits;
