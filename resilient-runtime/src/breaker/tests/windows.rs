//! Windows of time, and calls that grow old.

use super::*;

/// Calls at so many milliseconds; after each, the calls and the failures in the window.
fn run(breaker: &'static Breaker, calls: &[(u64, Sample)]) -> Vec<(u32, u32)> {
    let at = start();
    calls
        .iter()
        .map(|(ms, sample)| {
            let at = at.after(Duration::from_millis(*ms));
            assert!(call(breaker, at, *sample));
            let now = breaker.snapshot(at);
            (now.calls, now.failures)
        })
        .collect()
}

fn seen(breaker: &Breaker, ms: u64) -> (u32, u32) {
    let now = breaker.snapshot(start().after(Duration::from_millis(ms)));
    (now.calls, now.failures)
}

#[test]
fn cb_12_cb_15_cb_16_the_oldest_call_leaves_a_full_window_of_calls() {
    let history = |size, calls: &[Sample]| {
        let breaker = breaker(settings(size, size));
        breaker.force(Some(Forced::Closed));
        let seen = |sample: &Sample| {
            call(breaker, start(), *sample);
            let now = breaker.snapshot(start());
            (now.calls, now.failures, now.slow)
        };
        calls.iter().map(seen).collect::<Vec<_>>()
    };
    let twelve = history(10, &[[OK; 2].as_slice(), &[BAD; 6], &[OK; 4]].concat());
    assert_eq!(twelve.last(), Some(&(10, 6, 0)));
    assert_eq!(history(4, &[BAD, OK, OK, OK, OK]), [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 0), (4, 0, 0)]);
    assert_eq!(history(2, &[SLOW_BAD, SLOW, OK, OK]), [(1, 1, 1), (2, 1, 2), (2, 0, 1), (2, 0, 0)]);
}

#[test]
fn cb_40_a_success_completes_the_rate_of_a_time_window() {
    let breaker = breaker(over(MS * 20_000, 5));
    assert_eq!(feed(breaker, &[BAD, BAD, BAD, OK, OK, OK]), 5);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn cb_42_cb_43_cb_44_cb_45_buckets_leave_whole() {
    let breaker = breaker(over(MS * 5_000, 100));
    let calls = [(0, BAD), (100, OK), (200, OK), (1_200, OK), (2_200, OK), (3_200, BAD), (4_200, OK)];
    assert_eq!(run(breaker, &calls), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 2), (7, 2)]);
    assert_eq!(run(breaker, &[(5_200, OK), (6_200, OK), (11_200, OK)]), [(5, 1), (5, 1), (1, 0)]);
}

#[test]
fn where_a_bucket_of_a_second_would_forget_ours_of_half_a_second_remembers() {
    let breaker = breaker(over(MS * 5_000, 100));
    // Buckets of a second drop both calls of the first second at 5 s; ours, the first at 5 s and the second at 5.5 s.
    run(breaker, &[(100, BAD), (600, OK)]);
    assert_eq!([4_999, 5_000, 5_499, 5_500].map(|ms| seen(breaker, ms)), [(2, 1), (1, 0), (1, 0), (0, 0)]);
}

#[test]
fn cb_47_a_look_sees_that_the_window_has_emptied() {
    let breaker = breaker(over(MS * 5_000, 100));
    run(breaker, &[(0, BAD), (100, OK), (800, SLOW)]);
    assert_eq!(seen(breaker, 5_800), (0, 0));
}

#[test]
fn cb_48_one_bucket_of_ten_leaves_per_tenth_of_the_span() {
    let breaker = breaker(over(MS * 10_000, 100));
    run(breaker, &std::array::from_fn::<_, 10, _>(|n| (n as u64 * 1_000, OK)));
    assert_eq!([10_000, 11_000].map(|ms| seen(breaker, ms)), [(9, 0), (8, 0)]);
}

#[test]
fn cb_49_failures_leave_with_their_buckets() {
    let breaker = breaker(over(MS * 10_000, 100));
    let looks: Vec<_> = [BAD, BAD, OK, OK, OK]
        .into_iter()
        .zip(0..)
        .map(|(first, n)| {
            run(breaker, &[(n * 2_000, first), (n * 2_000, OK)]);
            seen(breaker, (n + 1) * 2_000)
        })
        .collect();
    assert_eq!(looks, [(2, 1), (4, 2), (6, 2), (8, 2), (8, 1)]);
    assert_eq!(seen(breaker, 12_000), (6, 0));
}

#[test]
fn cb_50_the_boundary_is_exclusive() {
    for settings in [over(MS * 10_000, 100), aged(20, MS * 10_000, 20)] {
        let breaker = breaker(settings);
        run(breaker, &[(0, OK), (0, OK)]);
        assert_eq!(breaker.snapshot(start().after(MS * 10_000 - Duration::from_nanos(1))).calls, 2);
        assert_eq!([10_000, 10_001].map(|ms| seen(breaker, ms)), [(0, 0); 2]);
    }
}

#[test]
fn cb_52_a_short_window_empties_as_exactly_as_a_long_one() {
    let breaker = breaker(over(MS * 100, 100));
    run(breaker, &[(0, OK), (0, OK)]);
    assert_eq!([99, 100].map(|ms| seen(breaker, ms)), [(2, 0), (0, 0)]);
}

#[test]
fn cb_53_one_failure_of_five_is_a_fifth() {
    let breaker = breaker(over(MS * 10_000, 100));
    assert_eq!(run(breaker, &[(0, BAD), (0, OK), (0, OK), (0, OK), (0, OK)]).last(), Some(&(5, 1)));
}

#[test]
fn cb_54_two_failures_within_the_span_open_it_and_further_apart_do_not() {
    let by_rate = Settings { failure_rate: 1.0, ..over(MS * 200, 2) };
    let in_a_row = Settings { consecutive: Some(2), ..over(MS * 200, 100) };
    let by_age = Settings { consecutive: Some(2), ..aged(100, MS * 200, 100) };
    for settings in [by_rate, in_a_row, by_age] {
        let breaker = breaker(settings);
        run(breaker, &[(0, BAD), (201, BAD)]);
        assert_eq!(state(breaker), BreakerState::Closed);
        assert!(call(breaker, start().after(MS * 250), BAD));
        assert_eq!(state(breaker), BreakerState::Open);
    }
}

#[test]
fn cb_55_no_verdict_before_enough_calls() {
    let breaker = breaker(over(MS * 200, 3));
    run(breaker, &[(0, BAD), (10, OK)]);
    assert_eq!(state(breaker), BreakerState::Closed);
    assert!(call(breaker, start().after(MS * 20), BAD));
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn cb_57_cb_58_the_oldest_bucket_drops_and_the_rate_is_of_what_is_left() {
    let breaker = breaker(Settings { failure_rate: 0.6, ..over(MS * 30_000, 10) });
    run(breaker, &[(0, OK); 15]);
    (1..10).for_each(|n| drop(run(breaker, &[(n * 3_000, OK), (n * 3_000, BAD)])));
    assert_eq!(seen(breaker, 29_999), (33, 9));
    run(breaker, &[(30_000, BAD)]);
    assert_eq!(seen(breaker, 30_000), (19, 10));
    run(breaker, &[(30_000, BAD), (30_000, BAD), (30_000, BAD)]);
    assert_eq!((seen(breaker, 30_000), state(breaker)), ((22, 13), BreakerState::Closed));
    assert!(call(breaker, start().after(MS * 30_000), BAD));
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn t9_a_window_below_a_second_is_exact() {
    let breaker = breaker(over(MS * 900, 4));
    (0..1_000).for_each(|_| assert!(call(breaker, start(), OK)));
    run(breaker, &[(899, BAD)]);
    assert_eq!(seen(breaker, 899), (1_001, 1));
    assert_eq!(state(breaker), BreakerState::Closed);
}

#[test]
fn t10_t11_a_burst_in_one_moment_opens_it_at_its_first_calls() {
    let breaker = breaker(over(MS * 1_000, 20));
    assert_eq!(feed(breaker, &[BAD; 1_000]), 20);
}

#[test]
fn successes_that_grow_old_let_failures_open_it() {
    for settings in [over(MS * 1_000, 4), aged(100, MS * 1_000, 4)] {
        let breaker = breaker(settings);
        run(breaker, &[(0, OK), (0, OK), (0, OK), (0, OK), (500, BAD), (500, BAD), (500, OK)]);
        assert_eq!(state(breaker), BreakerState::Closed);
        // Two failures of eight, then of four.
        assert!(call(breaker, start().after(MS * 1_000), OK));
        assert_eq!(state(breaker), BreakerState::Open);
    }
}

#[test]
fn t17_failures_of_yesterday_do_not_count_where_calls_have_an_age_limit() {
    let day = 86_400_000;
    let forgetful = breaker(aged(20, MS * 60_000, 4));
    assert_eq!(run(forgetful, &[(0, BAD), (0, BAD), (0, BAD), (day, BAD)]).last(), Some(&(1, 1)));
    let unlimited = breaker(settings(20, 4));
    run(unlimited, &[(0, BAD), (0, BAD), (0, BAD)]);
    assert!(call(unlimited, start().after(MS * 86_400_000), BAD));
    assert_eq!(state(unlimited), BreakerState::Open);
}

#[test]
fn a_clock_that_jumps_back_does_no_harm() {
    let year = MS * 86_400_000 * 365;
    for settings in [over(MS * 1_000, 4), aged(20, MS * 1_000, 4)] {
        let breaker = breaker(settings);
        let at = start();
        for at in [at.after(year), at.after(year * 100), at] {
            assert!(call(breaker, at, OK));
        }
        // At most one success from the future still counts: of four or five calls, half have failed by now.
        let needed = (1..=3).find(|_| call(breaker, at, BAD) && state(breaker) == BreakerState::Open);
        assert!(needed.is_some_and(|failures| failures >= 2), "{needed:?}");
    }
}

#[test]
fn a_run_longer_than_the_window_still_opens_it_and_is_forgotten_by_age() {
    let settings = Settings { consecutive: Some(5), failure_rate: 1.0, ..aged(3, MS * 1_000, 4) };
    let breaker = breaker(settings);
    run(breaker, &[(0, BAD), (0, BAD), (0, BAD), (0, BAD), (1_000, BAD), (1_000, BAD), (1_000, BAD), (1_000, BAD)]);
    assert_eq!(state(breaker), BreakerState::Closed);
    assert!(call(breaker, start().after(MS * 1_001), BAD));
    assert_eq!(state(breaker), BreakerState::Open);
}
