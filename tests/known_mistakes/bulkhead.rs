//! Permits, and limits that move.

use crate::{
    dep::{F, HANG, S},
    ended::full,
    world::{World, both},
};
use futures_util::future::join_all;
use resilient::{BreakerState::Open, RejectedKind::Open as Refused};

fn limit(world: &World) -> u32 {
    world.now().bulkhead.unwrap().limit
}

/// Halving once per failure instead of once per round trip: one hiccup and nothing is left.
#[test]
fn t50_a_burst_of_failures_does_not_end_at_one() {
    both!(timeout = none, bulkhead(adaptive, min = 1, max = 200)).async_story(async |world| {
        // Crowds that fill what there is, until 64 fit.
        world.call([S.takes(10)]).await;
        while limit(world) < 64 {
            join_all((0..limit(world)).map(|_| world.call([S.takes(10)]))).await;
        }
        let before = limit(world);
        join_all((0..before).map(|_| world.call([F.takes(10)]))).await;
        let after = limit(world);
        assert!(after < before && after >= before * 8 / 10, "{before} to {after}");
    });
}

/// A limit that grows with every success has learnt nothing about many at once.
#[test]
fn t51_calls_one_after_the_other_do_not_raise_the_limit() {
    both!(timeout = none, bulkhead(adaptive, min = 1, max = 1_000)).story(async |world| {
        world.call([S.takes(1)]).await;
        let before = limit(world);
        world.calls(1_000, &[S.takes(1)]).await;
        assert_eq!(limit(world), before);
    });
}

/// Whoever was let past the breaker before it queued comes to a dependency that is down.
#[test]
fn t56_a_call_that_queued_before_the_breaker_opened_is_asked_again() {
    both!(timeout = none, breaker("dep", window = 1), bulkhead(1, max_wait_ms = 1_000, max_queue = 8)).async_story(
        async |world| {
            let running = world.start([F.takes(10)]);
            let queued: Vec<_> = (0..8).map(|_| world.start([S])).collect();
            running.end().await.ends(F);
            world.is(Open);
            for call in queued {
                call.end().await.ends(Refused).runs(0);
            }
            world.in_use(0);
        },
    );
}

/// A permit handed to a waiter that has given up is nobody's, until none is left.
#[test]
fn p18_waiters_that_gave_up_keep_no_permit() {
    both!(timeout = none, bulkhead(8, max_wait_ms = 50, max_queue = 16)).async_story(async |world| {
        let holders: Vec<_> = (0..8).map(|_| world.start([S.takes(100)])).collect();
        let mut waiting: Vec<_> = (0..16).map(|_| world.start([S])).collect();
        // Half of them are turned away when their time is up, half leave; later ones leave with a permit handed to them.
        let left = waiting.split_off(8);
        join_all(waiting.into_iter().map(|call| call.end())).await.into_iter().for_each(|end| {
            end.ends(full(8)).runs(0);
        });
        left.into_iter().for_each(|call| call.drop());
        world.pass(30).await;
        let late: Vec<_> = (0..8).map(|_| world.start([S])).collect();
        for holder in holders {
            holder.end().await.ends(S);
        }
        late.into_iter().for_each(|call| call.drop());
        world.in_use(0);
        let all: Vec<_> = (0..8).map(|_| world.start([HANG])).collect();
        world.in_use(8);
        all.into_iter().for_each(|call| call.drop());
    });
}
