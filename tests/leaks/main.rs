//! Nothing is lost: after a hundred thousand calls that ended in every way a call can end, each permit, each place in a
//! queue, each probe slot, the gauge of calls inside and every token is where it has to be.
//!
//! Where time matters it is a clock that only the test moves, and chance follows one seed.
//!
//! `RESILIENT_LEAK_CALLS=1000000 cargo test --release --test leaks` is the long form.
#![warn(clippy::all)]

mod all_guards;
mod coalesced;
mod crowd;
mod keyed;
mod own_threads;
mod plan;
mod refusing;
mod threads;

const fn ms(millis: u64) -> std::time::Duration {
    std::time::Duration::from_millis(millis)
}

/// Calls per test.
fn calls() -> u32 {
    std::env::var("RESILIENT_LEAK_CALLS").map_or(100_000, |calls| calls.parse().expect("a number of calls"))
}
