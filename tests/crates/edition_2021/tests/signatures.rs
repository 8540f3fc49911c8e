//! The shared signatures in edition 2021.
#![deny(warnings)]
#![warn(clippy::all, clippy::pedantic)]

#[path = "../../shared.rs"]
mod shared;
