//! What a call costs does not depend on how many there were, nor on how long there were none.

use super::*;

/// What one more call and one look cost after `calls` calls and an idle time.
fn cost_after(settings: Settings, calls: u32, idle: Duration, last: Sample) -> u64 {
    let breaker = breaker(Settings { failure_rate: 1.0, slow_rate: 1.0, ..settings });
    (0..calls).for_each(|n| assert!(call(breaker, start(), if n % 10 == 0 { BAD } else { OK })));
    let at = start().after(idle);
    cost::of(|| {
        call(breaker, at, last);
        breaker.snapshot(at);
    })
}

#[test]
fn a_time_window_costs_the_same_after_many_calls_and_after_years() {
    let settings = over(MS * 10_000, 20);
    for last in [OK, BAD] {
        let costs: Vec<_> = [(10, 0), (100_000, 0), (1_000, 1), (1_000, 3_600), (1_000, 3_600 * 24 * 365 * 90)]
            .map(|(calls, secs)| cost_after(settings, calls, Duration::from_secs(secs), last))
            .to_vec();
        // Twice both rings, and the bucket itself.
        assert!(costs.iter().all(|cost| *cost <= 4 * successes::BUCKETS + 1), "{costs:?}");
    }
}

#[test]
fn a_window_of_calls_that_grow_old_forgets_each_call_once() {
    let settings = aged(100, MS * 10_000, 20);
    let breaker = breaker(Settings { failure_rate: 1.0, ..settings });
    let cost = cost::of(|| {
        for n in 0..100_000 {
            // Bursts, and pauses in which all of it grows old.
            call(breaker, start().after(MS * (n + n / 250 * 20_000)), OK);
        }
    });
    assert!(cost <= 2 * 100_000, "{cost}");
    assert!(cost_after(settings, 100_000, Duration::from_secs(1 << 40), OK) <= 101);
}

#[test]
fn a_window_of_calls_costs_nothing_while_it_is_full_of_fast_successes() {
    let breaker = breaker(settings(20, 20));
    assert_eq!(cost::of(|| assert_eq!(feed(breaker, &[OK; 1_000]), 1_000)), 20);
}
