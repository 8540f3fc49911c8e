//! What is the user's runs outside of every lock: it may call back.

use crate::{
    dep::{F, Fault, Outcome, S},
    world::both,
};
use resilient::{BreakerState::Closed, Verdict, forget, operation, resilient, snapshot, testing};
use std::sync::atomic::{AtomicBool, Ordering};

fn looks_and_resets(outcome: &Outcome) -> bool {
    for known in snapshot() {
        operation(known.operation).unwrap().reset();
    }
    outcome.is_err()
}

/// A callback that asks the breaker waits for the lock that its caller holds.
#[test]
fn p05_a_judge_may_ask_the_breaker_and_reset_it() {
    both!(timeout = none, breaker("dep", window = 1, ignore_on = looks_and_resets)).story(async |world| {
        world.calls(3, &[F]).await;
        world.calls(3, &[S]).await;
        world.is(Closed);
    });
}

/// An answer that comes back to its own function when it is dropped, as a pooled connection does.
#[derive(Clone, Debug)]
struct Returns(u32);

impl Drop for Returns {
    fn drop(&mut self) {
        assert!(!snapshot().is_empty());
        forget("pool.take");
        if self.0 < 3 {
            let _ = take(self.0 + 1);
        }
    }
}

static BROKEN: AtomicBool = AtomicBool::new(false);

#[resilient(
    read,
    name = "pool.take",
    timeout_ms = 50,
    blocking = cooperative,
    breaker = "pool",
    coalesce,
    fallback(cached, max_entries = 1)
)]
fn take(n: u32) -> Result<Returns, Fault> {
    if BROKEN.load(Ordering::Relaxed) {
        Err(Fault::Failed { verdict: Verdict::TRANSIENT, run: 1 })
    } else {
        Ok(Returns(n))
    }
}

#[test]
fn t65_an_answer_may_come_back_when_it_leaves_the_cache() {
    testing::isolated_blocking(|| {
        for n in 0..4 {
            take(n).unwrap();
        }
        BROKEN.store(true, Ordering::Relaxed);
        assert!(take(9).is_err());
        assert_eq!(snapshot()[0].counts.in_flight, 0);
    });
}
