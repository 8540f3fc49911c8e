//! `coalesce`: one run for those who ask the same at the same time. What becomes of a lost leader, of a follower's own
//! deadline and of threads is in `tests/coalesce.rs`.

use crate::{
    dep::{Dep, F, S, Step},
    world::{Both, both},
};

fn view() -> Both {
    both!(
        |dep| read,
        timeout = none,
        breaker("stock.view", window = 4, min_calls = 4),
        bulkhead = 1,
        coalesce(key = (dep.id))
    )
}

fn asks(id: u32, does: Step) -> Dep {
    Dep::from([does.takes(20)]).asked_for(id)
}

#[test]
fn ca_05_two_with_equal_keys_are_one_run_and_both_get_it() {
    view().async_story(async |world| {
        for (does, failures) in [(S, 0), (F, 1)] {
            let (leader, follower) = (world.start(asks(1, does)), world.start(asks(1, does)));
            world.in_use(1);
            let (leader, follower) = (leader.end().await, follower.end().await);
            // A failure is as good an answer; and when it is given, the next one asks anew.
            assert_eq!(follower.outcome, leader.outcome);
            leader.ends(does).runs(1);
            follower.runs(0);
            world.window(1 + failures, failures);
        }
        assert_eq!((world.runs(), world.counts().calls, world.counts().coalesced), (2, 4, 2));
    });
}
