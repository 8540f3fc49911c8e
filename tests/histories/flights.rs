//! Who leads when a leader is gone, and for whom it speaks.

use crate::{
    dep::{Dep, HANG, Outcome, S},
    world::Both,
};
use resilient::{RejectedKind, resilient};

#[resilient(read, timeout = none, deadline_ms = 100, coalesce(key = (dep.id)), name = "flights")]
async fn ask(dep: &Dep) -> Outcome {
    dep.answer().await
}

const ASK: Both = Both { waiting: |dep| Box::pin(ask(dep)), blocking: |_| unreachable!("it is async") };

/// The operation's deadline is an answer to all where a leader had all of it. One that followed first had not.
#[test]
fn a_follower_that_leads_with_the_rest_of_its_time_speaks_for_itself_alone() {
    ASK.async_story(async |world| {
        let leader = world.start([HANG]);
        let mut first = world.start([HANG]);
        world.pass(90).await;
        let mut second = world.start([S.takes(20)]);
        leader.drop();
        assert!(!first.poll());
        world.pass(10).await;
        assert!(first.poll());
        first.end().await.ends(RejectedKind::Deadline).runs(1);
        // It has 90 of its 100 ms.
        assert!(!second.poll());
        second.end().await.ends(S).runs(1);
    });
}

#[test]
fn a_follower_that_is_called_to_lead_too_late_for_itself_leaves_the_lead_to_the_next() {
    ASK.async_story(async |world| {
        let leader = world.start([HANG]);
        let mut first = world.start([S]);
        world.pass(90).await;
        let mut second = world.start([S]);
        leader.drop();
        world.pass(10).await;
        assert!(first.poll());
        first.end().await.ends(RejectedKind::Expired).runs(0);
        assert!(second.poll());
        second.end().await.ends(S).runs(1);
    });
}
