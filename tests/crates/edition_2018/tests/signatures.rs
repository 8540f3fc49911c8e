//! The shared signatures in edition 2018.
#![deny(warnings)]
#![warn(clippy::all, clippy::pedantic)]

#[path = "../../shared.rs"]
mod shared;
