//! How often a call is tried, when, and why no more.

use crate::{
    clock::ms,
    dep::{Dep, F, HANG, P, PANIC, Q, S, Step, T, fails},
    world::{Both, World, both},
};
use resilient::{
    Hint,
    Stop::{Budget, Exhausted, NoTime, NotRepeatable, Pushback},
    Verdict, snapshot, testing,
};

#[test]
fn rt_01_rt_02_rt_03_rt_13_rt_35_as_many_runs_as_retries_and_one() {
    for (policy, runs) in [
        (both!(read, timeout = none, retries = 5, allow(R34)), 6),
        (both!(read, timeout = none, retries = 2), 3),
        (both!(read, timeout = none, retries = 3, allow(R34)), 4),
    ] {
        policy.story(async |world| {
            world.call([F]).await.ends(F).runs(runs).because(Exhausted);
            let n = world.counts();
            assert_eq!((n.attempts, n.retries, n.failed, n.stopped(Exhausted)), (runs as u64, runs as u64 - 1, 1, 1));
        });
    }
}

#[test]
fn rt_05_rt_06_a_success_ends_it() {
    both!(read, timeout = none, retries = 3, allow(R34)).story(async |world| {
        world.call([F, F, S]).await.ends(S).runs(3).because(None);
        world.call([F, F, F, S]).await.ends(S).runs(4).because(None);
        world.tokens(10.0 - 5.0 + 0.1);
    });
}

/// `Ended::ends` looks at the run that the error came from.
#[test]
fn rt_07_rt_18_the_last_failure_is_returned_untouched() {
    both!(read, timeout = none, retries = 3, allow(R34)).story(async |world| {
        world.call([F, T, F, T]).await.ends(T).runs(4);
    });
}

#[test]
fn rt_10_rt_11_between_attempts_there_is_a_wait_and_after_the_last_none() {
    let policy = both!(read, timeout = none, retries = 2, retry(base_ms = 500, factor = 1, jitter = none), allow(R15));
    policy.story(async |world| {
        world.call([F]).await.ends(F).starts([0, 500, 1_000]).at(1_000);
    });
    both!(timeout = none).story(async |world| {
        world.call([F]).await.ends(F).runs(1).at(0);
    });
}

#[test]
fn rt_22_attempts_are_numbered_from_one() {
    both!(read, timeout = none, retries = 2).story(async |world| {
        let call = world.call([F]).await;
        assert_eq!(call.visits.iter().map(|visit| visit.attempt).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    });
}

#[test]
fn rt_30_rt_33_rt_37_rt_38_an_answer_is_not_asked_for_twice() {
    both!(read, timeout = none, retries = 2).story(async |world| {
        world.call([P]).await.ends(P).runs(1).because(NotRepeatable);
        world.call([F, P]).await.ends(P).runs(2).because(NotRepeatable);
    });
}

#[test]
fn rt_54_rt_56_nothing_starts_at_or_past_the_deadline() {
    both!(read, timeout = none, deadline_ms = 1_000, retries = 2).sync_story(async |world| {
        world.call([F.takes(1_500)]).await.ends(F).runs(1).because(NoTime).at(1_500);
        world.call([F.takes(1_000)]).await.ends(F).runs(1).because(NoTime).at(1_000);
    });
}

#[test]
fn rt_59_an_attempt_that_overruns_the_deadline_is_the_last() {
    both!(read, timeout = none, deadline_ms = 100, retries = 2, retry(base_ms = 1, jitter = none), allow(R15))
        .sync_story(async |world| {
            world.call([F, F.takes(120)]).await.ends(F).runs(2).because(NoTime);
        });
}

#[test]
fn rt_61_rt_62_rt_63_a_dropped_call_runs_no_more() {
    let policy = both!(read, timeout = none, retries = 2, retry(base_ms = 100, jitter = none), allow(R15));
    policy.async_story(async |world| {
        // Before it was ever polled.
        let dep = Dep::from([S]);
        drop((policy.waiting)(&dep));
        assert!(dep.visits().is_empty() && snapshot().is_empty());
        // During the first run, and during the wait after it: the token of a retry that was not sent comes back.
        world.start([HANG]).drop();
        let waiting = world.start([F]);
        world.tokens(9.0);
        waiting.drop();
        world.pass(1_000).await;
        assert_eq!(world.runs(), 2);
        world.tokens(10.0);
        assert_eq!(world.counts().dropped, 2);
    });
}

#[test]
fn px_08_a_retry_that_no_longer_fits_is_not_waited_for() {
    both!(read, timeout_ms = 40, deadline_ms = 100, retries = 1, retry(base_ms = 90, jitter = none), allow(R07, R15))
        .story(async |world| {
            world.call([F.takes(10)]).await.ends(F).runs(1).because(NoTime).at(10);
            // The token was not even asked for.
            world.tokens(10.0);
        });
}

#[test]
fn px_09_a_hint_beyond_the_deadline_ends_it_at_once_and_travels_on() {
    both!(read, timeout_ms = 40, deadline_ms = 100, retries = 1, retry(retry_after_cap_ms = 100_000), allow(R07))
        .story(async |world| {
            let call = world.call([Q.hint(60_000)]).await.ends(Q.hint(60_000)).runs(1).because(NoTime).at(0);
            assert_eq!(call.error().hint(), Hint::After(ms(60_000)));
        });
}

#[test]
fn a_hint_beyond_its_cap_ends_it_and_travels_on() {
    both!(read, timeout = none, retries = 1).story(async |world| {
        world.call([Q.hint(1_001)]).await.ends(Q.hint(1_001)).runs(1).because(Pushback).at(0);
        world.call([Q.hint(1_000), S]).await.ends(S).runs(2);
    });
    both!(read, timeout = none, retries = 1, retry(retry_after_cap_ms = 50)).story(async |world| {
        world.call([Q.hint(51)]).await.ends(Q.hint(51)).runs(1).because(Pushback);
        world.call([Q.hint(50), S]).await.ends(S).runs(2);
    });
}

#[test]
fn px_10_a_hint_lengthens_the_wait_by_at_most_a_tenth_and_never_shortens_it() {
    both!(read, timeout_ms = 60, deadline_ms = 1_000, retries = 1, retry_budget = 1.0, retry(base_ms = 20)).story(
        async |world| {
            let mut waits = Vec::new();
            for n in 0..100 {
                testing::seed(n);
                let call =
                    world.call([fails(Verdict::TRANSIENT.after(ms(50))), S]).await.ends(S).runs(2).between(50..=56);
                waits.push(call.took);
            }
            assert!(waits.iter().any(|wait| *wait > ms(53)), "whoever heard one hint does not come back in step");
        },
    );
    // A backoff that is longer stands.
    both!(read, timeout = none, retries = 1, retry(base_ms = 200, jitter = none), allow(R15)).story(async |world| {
        world.call([F.hint(50), S]).await.ends(S).starts([0, 200]);
    });
}

#[test]
fn px_17_the_budget_bounds_what_an_outage_repeats() {
    for (policy, granted) in [
        (both!(read, timeout = none, retries = 1, retry_budget = 0.1), 19),
        (both!(read, timeout = none, retries = 1, retry_budget(0.1, burst = 1)), 10),
    ] {
        policy.story(async |world| {
            let mut retried = 0;
            for _ in 0..100 {
                let call = world.call([F]).await.ends(F);
                match call.visits.len() {
                    1 => drop(call.because(Budget)),
                    _ => {
                        call.runs(2).because(Exhausted);
                        retried += 1;
                    }
                }
            }
            assert_eq!((retried, world.counts().retries), (granted, granted));
            assert_eq!(world.counts().stopped(Budget), 100 - granted);
        });
    }
}

/// The waits between the runs of one call that fails for ever, in whole milliseconds.
fn waits(policy: Both) -> Vec<u128> {
    let seen = std::cell::RefCell::new(Vec::new());
    policy.sync_story(async |world| {
        let starts = world.call([F]).await.ends(F).offsets();
        *seen.borrow_mut() = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    });
    policy.async_story(async |world| {
        let starts = world.call([F]).await.ends(F).offsets();
        let waits: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits, *seen.borrow());
    });
    seen.into_inner()
}

#[test]
fn bk_09_bk_21_bk_22_bk_26_bk_27_waits_grow_up_to_their_cap() {
    macro_rules! grows {
        ($($retry:tt)*) => {
            waits(both!(read, timeout = none, retries = 14, retry_budget(1.0, burst = 100), retry(jitter = none, $($retry)*), allow(R15, R33, R34)))
        };
    }
    assert!(grows!(base = 1s, cap = 1h).starts_with(&[1_000, 2_000, 4_000]));
    assert!(grows!(base_ms = 500, cap = 1h).starts_with(&[500, 1_000]));
    assert!(grows!(base_ms = 1, cap_ms = 10).starts_with(&[1, 2, 4, 8, 10, 10]));
    assert!(grows!(base = 2s, cap = 30s).starts_with(&[2_000, 4_000, 8_000, 16_000, 30_000, 30_000]));
    assert_eq!(grows!(base_ms = 100, cap_ms = 100_000)[10..], [100_000; 4]);
}

#[test]
fn px_33_bk_14_bk_29_sixty_four_retries_saturate_at_the_cap() {
    let waits = waits(both!(
        read,
        timeout = none,
        retries = 64,
        retry_budget(1.0, burst = 100),
        retry(factor = 10, jitter = none),
        allow(R15, R33, R34)
    ));
    assert_eq!(waits[..4], [25, 250, 1_000, 1_000]);
    assert_eq!((waits.len(), waits.iter().min(), waits.iter().max()), (64, Some(&25), Some(&1_000)));
}

/// The wait before the first retry, over so many seeds.
async fn spread(world: &World, seeds: u64) -> Vec<f64> {
    let mut waits = Vec::new();
    for n in 0..seeds {
        testing::seed(n);
        waits.push(world.call([F, S]).await.ends(S).took.as_secs_f64() * 1_000.0);
    }
    waits
}

#[test]
fn px_34_bk_04_full_jitter_lies_between_zero_and_its_ceiling() {
    both!(read, timeout = none, retries = 1, retry_budget = 1.0, retry(base_ms = 100)).sync_story(async |world| {
        let waits = spread(world, 1_000).await;
        assert!(waits.iter().all(|wait| (0.0..=100.0).contains(wait)));
        let mean = waits.iter().sum::<f64>() / 1_000.0;
        assert!((mean - 50.0).abs() < 2.5, "{mean}");
        assert!(waits.iter().any(|wait| *wait < 1.0) && waits.iter().any(|wait| *wait > 99.0));
    });
}

#[test]
fn equal_jitter_keeps_half_and_decorrelated_jitter_starts_at_its_base() {
    both!(read, timeout = none, retries = 1, retry_budget = 1.0, retry(base_ms = 100, jitter = equal)).sync_story(
        async |world| {
            let waits = spread(world, 200).await;
            assert!(waits.iter().all(|wait| (50.0..=100.0).contains(wait)));
            assert!(waits.iter().any(|wait| *wait < 55.0) && waits.iter().any(|wait| *wait > 95.0));
        },
    );
    both!(read, timeout = none, retries = 1, retry_budget = 1.0, retry(base_ms = 100, jitter = decorrelated))
        .sync_story(async |world| {
            let waits = spread(world, 200).await;
            assert!(waits.iter().all(|wait| (100.0..=300.0).contains(wait)));
            assert!(waits.iter().any(|wait| *wait > 250.0));
        });
}

/// A panic is nobody's to repeat, see T39 of the known mistakes.
#[test]
fn a_panic_is_not_repeated() {
    both!(read, timeout = none, retries = 2).story(async |world| {
        world.call([F, PANIC, S]).await.ends(PANIC).runs(2);
        assert_eq!(world.counts().panicked, 1);
        world.tokens(9.0);
    });
}

/// T37: the token of a retry that was never sent.
#[test]
fn a_retry_that_the_caller_does_not_wait_for_costs_nothing() {
    both!(read, timeout = none, retries = 1, retry(base_ms = 100, jitter = none), allow(R15)).async_story(
        async |world| {
            for _ in 0..100 {
                world.start([F]).drop();
            }
            world.tokens(10.0);
        },
    );
}

#[test]
fn a_budget_may_earn_by_success() {
    const CALLS: [Step; 4] = [S, P, F, S];
    both!(read, timeout = none, retries = 1, retry_budget(0.5, burst = 10, earn = success)).story(async |world| {
        world.call([F]).await;
        world.tokens(9.0);
        world.call([P]).await;
        world.tokens(9.0);
        world.call([S]).await;
        world.tokens(9.5);
        for step in CALLS {
            world.call([step]).await;
        }
        world.tokens(9.5 + 0.5 - 1.0 + 0.5);
    });
}
