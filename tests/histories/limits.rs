//! What a limit that adapts hears of calls that nobody waited for.

use crate::{
    clock::ms,
    dep::{F, HANG, Outcome},
    world::waiting,
};
use resilient::{
    resilient, snapshot,
    testing::{advance, isolated_blocking},
};

#[test]
fn a_call_that_its_caller_dropped_tells_an_adaptive_limit_nothing() {
    waiting!(timeout_ms = 60, bulkhead(adaptive, kind = aimd), breaker("dep")).async_story(async |world| {
        let long = world.start([HANG]);
        let before = world.now().bulkhead.unwrap().limit;
        world.pass(50).await;
        long.drop();
        assert_eq!(world.now().bulkhead.unwrap().limit, before, "cancelled calls are no samples");
        // To the breaker it is a failure: it had run for longer than half its time.
        world.window(1, 1);
        world.call([F]).await;
        assert!(world.now().bulkhead.unwrap().limit < before, "a failure is one");
    });
}

/// Its permit stays with the body, which has nothing more to say when it ends.
#[test]
fn a_timeout_that_leaves_its_body_behind_is_one_to_an_adaptive_limit_too() {
    #[resilient(timeout_ms = 60, bulkhead(adaptive, kind = aimd), blocking = thread, name = "limits.left")]
    fn left(takes: u64) -> Outcome {
        advance(ms(takes));
        Ok("")
    }
    isolated_blocking(|| {
        assert!(left(1).is_ok());
        let before = snapshot()[0].bulkhead.unwrap().limit;
        assert!(left(100).is_err());
        let after = snapshot()[0].bulkhead.unwrap().limit;
        assert!(after < before, "{before} permits, then {after}");
    });
}
