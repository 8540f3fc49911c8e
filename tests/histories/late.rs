//! Polls that come late, and waits that last longer than what was asked before them.

use crate::{
    clock::ms,
    dep::{F, HANG, S},
    world::waiting,
};
use resilient::{
    BreakerState::{Closed, Open},
    RejectedKind,
    testing::advance,
};

#[test]
fn a_call_whose_deadline_passed_in_line_at_the_rate_limit_does_not_start() {
    waiting!(timeout_ms = 60, deadline_ms = 150, rate_limit("10/s", burst = 1, max_wait_ms = 120)).async_story(
        async |world| {
            world.call([S]).await.ends(S);
            let mut late = world.start([S]);
            advance(ms(150));
            assert!(late.poll());
            late.end().await.ends(RejectedKind::Expired).runs(0);
            assert_eq!(world.counts().expired, 1);
            // Its turn came back to the limit, which has the one permit that 150 ms bring.
            world.call([S]).await.ends(S).at(0);
        },
    );
}

#[test]
fn a_second_copy_that_is_due_and_cut_at_once_does_not_start() {
    waiting!(timeout_ms = 60, hedge = 10ms).async_story(async |world| {
        let mut late = world.start([HANG]);
        advance(ms(60));
        assert!(late.poll());
        late.end().await.ends(RejectedKind::TimedOut { limit_ms: 60 }).runs(1);
        world.tokens(10.0);
    });
}

/// Its slot is taken back while it waits, and then it would run as a probe of which nobody hears.
#[test]
fn a_probe_that_waited_for_a_rate_permit_past_its_lease_counts_all_the_same() {
    waiting!(
        timeout_ms = 20,
        rate_limit("10/s", burst = 1, max_wait_ms = 200),
        breaker("dep", window = 1, open_ms = 50, open_jitter = 0.0, probes = 1)
    )
    .async_story(async |world| {
        world.call([F]).await.ends(F);
        world.is(Open);
        world.pass(50).await;
        let mut probe = world.start([S]);
        assert_eq!(world.breaker().probes_in_flight, 1);
        world.pass(25).await;
        // Its lease, 20 ms and 1 ms for its timer, is over: the slot is the next one's.
        let next = world.start([S]);
        world.pass(25).await;
        assert!(probe.poll());
        probe.end().await.ends(S).runs(1);
        world.is(Closed);
        next.drop();
    });
}

#[test]
fn a_rate_permit_comes_back_when_the_breaker_opens_during_the_wait_for_it() {
    waiting!(
        timeout_ms = 60,
        rate_limit("10/s", burst = 1, max_wait_ms = 200),
        breaker("dep", window = 1, open_ms = 60, open_jitter = 0.0, probes = 1)
    )
    .async_story(async |world| {
        let mut first = world.start([F.takes(50)]);
        let mut waits = world.start([S]);
        world.pass(50).await;
        assert!(first.poll());
        world.is(Open).pass(50).await;
        assert!(waits.poll());
        waits.end().await.ends(RejectedKind::Open).runs(0);
        world.pass(10).await;
        world.call([S]).await.ends(S).at(0);
        world.is(Closed);
    });
}
