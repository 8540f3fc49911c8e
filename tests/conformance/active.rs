//! `retry_budget(active)`: a share of the calls in flight may be repeats, a fifth, and three at least.

use crate::{
    dep::{F, HANG, S},
    world::waiting,
};
use resilient::{
    BreakerState::Closed,
    Stop::{Budget, Exhausted},
};

#[test]
fn px_18_bd_02_bd_04_bd_06_a_fifth_of_what_is_in_flight_may_be_repeats_and_three_at_least() {
    // (id, other calls in flight, calls that fail at once with them, repeats granted)
    for (id, others, failing, granted) in [
        ("PX-18", 0, 5, 3),
        ("BD-04: the floor is all there is at low traffic", 1, 4, 3),
        ("BD-06: what is used up is refused", 6, 9, 3),
        ("BD-02: a share of the calls, the new repeat counted", 16, 9, 5),
    ] {
        waiting!(read, timeout = none, retries = 1, retry_budget(active), breaker("dep", window = 100)).async_story(
            async |world| {
                let _others: Vec<_> = (0..others).map(|_| world.start([HANG])).collect();
                let calls: Vec<_> = (0..failing).map(|_| world.start([F.takes(10), S.takes(1_000)])).collect();
                world.pass(10).await;
                let (mut repeated, mut refused) = (Vec::new(), 0);
                for mut call in calls {
                    if call.poll() {
                        call.end().await.ends(F).runs(1).because(Budget).at(10);
                        refused += 1;
                    } else {
                        repeated.push(call);
                    }
                }
                assert_eq!((repeated.len(), refused), (granted, failing - granted), "{id}");
                for call in repeated {
                    call.end().await.ends(S).runs(2);
                }
                assert_eq!(world.counts().stopped(Budget), (failing - granted) as u64, "{id}");
                world.is(Closed);
            },
        );
    }
}

#[test]
fn bd_01_bd_05_bd_10_beside_another_call_and_its_repeat_there_is_room_for_one_more() {
    waiting!(read, timeout = none, retries = 1, retry_budget(active)).async_story(async |world| {
        world.call([S]).await.ends(S);
        // Nothing is in flight: a floor of three.
        world.tokens(3.0);
        let _other = world.start([HANG]);
        let mut repeats = world.start([F, HANG]);
        world.pass(1_000).await;
        assert!(!repeats.poll());
        assert_eq!(repeats.dep.visits().len(), 2);
        world.tokens(2.0).call([F, S]).await.ends(S).runs(2);
        world.tokens(2.0).call([F]).await.ends(F).runs(2).because(Exhausted);
        // A repeat that ends makes room, however it ended.
        repeats.drop();
        world.tokens(3.0);
    });
}

#[test]
fn bd_07_a_second_copy_is_a_repeat() {
    waiting!(timeout_ms = 200, hedge = 10ms, retry_budget(active)).async_story(async |world| {
        let mut other = world.start([HANG]);
        world.pass(10).await;
        assert!(!other.poll());
        world.tokens(2.0).call([HANG, S]).await.ends(S).runs(2).starts([0, 10]);
        assert_eq!((world.counts().hedges, world.counts().hedges_won), (2, 1));
    });
}

#[test]
fn bd_09_what_is_used_up_stops_new_copies_and_lets_those_in_flight_finish() {
    waiting!(timeout_ms = 1_000, hedge = 20ms, retry_budget(active)).async_story(async |world| {
        let mut calls: Vec<_> = (0..4).map(|_| world.start([S.takes(200)])).collect();
        world.pass(20).await;
        calls.iter_mut().for_each(|call| assert!(!call.poll()));
        world.tokens(0.0);
        let runs: Vec<_> = calls.iter().map(|call| call.dep.visits().len()).collect();
        assert_eq!(runs, [2, 2, 2, 1]);
        for call in calls {
            call.end().await.ends(S);
        }
        world.tokens(3.0);
    });
}
