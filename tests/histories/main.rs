//! Calls that wait, overlap, are polled late and dropped at any moment: told as stories, and as random histories against a
//! model.
//!
//! The stories are those that the histories, or a reader, found first. The world that they are told in is the one of the
//! conformance tests.
//!
//! `PROPTEST_CASES=20000 cargo test --test histories` looks for longer.

#[path = "../conformance/clock.rs"]
#[allow(dead_code, reason = "it is the conformance tests'")]
mod clock;
#[path = "../conformance/dep.rs"]
#[allow(dead_code, reason = "it is the conformance tests'")]
mod dep;
#[path = "../conformance/ended.rs"]
#[allow(dead_code, reason = "it is the conformance tests'")]
mod ended;
#[path = "../conformance/world.rs"]
#[allow(dead_code, unused_imports, unused_macros, reason = "it is the conformance tests'")]
mod world;

mod everything;
mod flights;
mod hedged;
mod history;
mod late;
mod limits;
mod model;
mod outside;
mod steps;
mod values;
