//! Second copies.

use crate::{
    dep::{Dep, S},
    world::waiting,
};
use resilient::BreakerState::Closed;

/// Losers that are dropped look like failures to a breaker around the copies.
#[test]
fn t61_losers_open_nothing() {
    waiting!(read, timeout_ms = 100, hedge = 20ms, breaker("dep", window = 6, failure_rate = 0.05), retry_budget = 1.0)
        .async_story(async |world| {
            for _ in 0..6 {
                world.call(Dep::does(&[S.takes(60), S])).await.ends(S).runs(2);
            }
            world.is(Closed).window(6, 0);
        });
}
