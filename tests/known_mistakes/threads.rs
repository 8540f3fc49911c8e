//! Bodies on threads of their own count as any other.

use crate::{
    clock::{ms, paused},
    dep::{Fault, Outcome, S},
    ended::timed_out,
    world::waiting,
};
use resilient::{resilient, snapshot, testing};
use std::cell::Cell;

#[resilient(timeout_ms = 60, blocking = thread, bulkhead(adaptive, min = 4, max = 200))]
fn hangs() -> Outcome {
    // By the test's clock the caller has left when it answers.
    testing::advance(ms(200));
    Ok("late")
}

/// A guard on one kind of function that learns nothing on the other.
#[test]
fn m6_an_adaptive_limit_hears_of_timeouts_on_threads_too() {
    let limit = || snapshot()[0].bulkhead.unwrap().limit;
    let policy = waiting!(timeout_ms = 60, bulkhead(adaptive, min = 4, max = 200));
    let seen = Cell::new(0);
    policy.async_story(async |world| {
        for _ in 0..5 {
            world.call([S.takes(200)]).await.ends(timed_out(60));
        }
        seen.set(limit());
    });
    let expected = seen.get();
    assert!(expected < 20, "{expected}");
    let runtime = paused();
    let _clock = runtime.enter();
    testing::isolated_blocking(|| {
        for _ in 0..5 {
            assert!(matches!(hangs(), Err(Fault::Rejected(_))));
        }
        assert_eq!(limit(), expected);
    });
}
