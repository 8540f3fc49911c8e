//! Retries and what they may cost.

use crate::{
    dep::{F, HANG, S},
    world::both,
};

/// A ratio made into a whole number of calls per token: .6 becomes all of them.
#[test]
fn t25_a_ratio_is_what_it_says() {
    macro_rules! ratios {
        ($($ratio:literal => $retries:literal),+) => {$(
            both!(read, timeout = none, retry_budget($ratio, burst = 10), retry(base_ms = 1)).story(async |world| {
                world.calls(1_000, &[F]).await;
                // What it was full of, and what all calls but the first brought: a full one takes no more.
                assert_eq!(world.counts().retries, 10 + $retries, "{}", $ratio);
            });
        )+};
    }
    ratios!(0.3 => 299, 0.7 => 699, 0.9 => 899);
}

/// A refill in steps makes up for every step of a long rest, inside a lock.
#[test]
fn t27_the_first_call_after_a_long_rest_is_not_slow() {
    both!(read, timeout = none, retry_budget(0.1, burst = 10, floor_per_sec = 1)).story(async |world| {
        world.calls(20, &[F]).await;
        let before = world.counts().retries;
        // A century, of three billion seconds. In steps this test would not end.
        world.pass(100 * 365 * 86_400_000).await;
        world.call([F, S]).await.ends(S).runs(2);
        assert_eq!(world.counts().retries, before + 1);
        world.tokens(9.0);
    });
}

/// A token kept beside the calls instead of in them is given back for another one, or lost.
#[test]
fn t35_a_dropped_retry_gives_back_its_own_token_and_no_other() {
    both!(read, timeout = none, retry_budget(0.001, burst = 2), retry(base_ms = 100, jitter = equal)).async_story(
        async |world| {
            let (one, mut two) = (world.start([F]), world.start([F, HANG]));
            world.tokens(0.001);
            // No token is left for a third.
            world.call([F]).await.ends(F).because(resilient::Stop::Budget);
            world.pass(150).await;
            // The second runs its retry, the first is still in its wait.
            assert!(!two.poll());
            one.drop();
            world.tokens(1.002);
            two.drop();
            world.tokens(1.002);
        },
    );
}

/// A quota that only refunds what its own retries cost stays empty once it was drained.
#[test]
fn p09_a_drained_budget_is_filled_by_successes() {
    both!(read, timeout = none, retry_budget(0.1, burst = 10, earn = success)).story(async |world| {
        world.calls(20, &[F]).await;
        world.tokens(0.0);
        world.calls(1_000, &[S]).await;
        world.tokens(10.0).call([F, S]).await.ends(S).runs(2);
    });
}
