//! When a closed breaker opens.

use super::*;

/// The call after which each history opens a breaker: `S` succeeds, `F` fails.
#[test]
fn cb_01_to_cb_32_a_history_opens_it_at_the_call_that_completes_the_condition() {
    let rate = |failure_rate, settings| Settings { failure_rate, ..settings };
    let in_a_row = |n| Settings { consecutive: Some(n), ..settings(100, 100) };
    let alternating = "SF".repeat(20);
    let rows = [
        ("CB-01, by a success", settings(4, 4), "SFFS", Some(4)),
        ("CB-02, the window slides", settings(4, 4), "SFSSF", Some(5)),
        ("CB-04", rate(0.75, settings(4, 4)), "FFFF", Some(4)),
        ("CB-05", rate(0.8, settings(10, 10)), "FFSFFFSFFF", Some(10)),
        ("CB-06", rate(1.0, settings(2, 2)), "FF", Some(2)),
        ("CB-07", settings(4, 4), "SSSSSSFSF", Some(9)),
        ("CB-20", settings(100, 10), "FFFFFFFFFF", Some(10)),
        ("CB-21", in_a_row(1), "F", Some(1)),
        ("CB-22", in_a_row(3), "FSFF", None),
        ("CB-22", in_a_row(3), "FSFFF", Some(5)),
        ("CB-24", rate(0.75, settings(4, 4)), &alternating, None),
        ("CB-25", in_a_row(2), &alternating, None),
        ("CB-27", in_a_row(6), "FFFFFSFFFFF", None),
        ("CB-27", in_a_row(6), "FFFFFSFFFFFF", Some(12)),
        ("CB-30, the rate is inclusive, as in PX-24", settings(4, 4), "SFSF", Some(4)),
        ("CB-31", settings(20, 3), "FFF", Some(3)),
        ("CB-32", settings(20, 1), "F", Some(1)),
    ];
    for (row, settings, history, opens) in rows {
        let breaker = breaker(settings);
        let sample = |outcome| if outcome == 'F' { BAD } else { OK };
        let opened_at = history.chars().map(sample).position(|sample| {
            assert!(call(breaker, start(), sample), "{row}");
            state(breaker) == BreakerState::Open
        });
        assert_eq!(opened_at.map(|place| place + 1), opens, "{row}: {history}");
    }
}

#[test]
fn cb_04_cb_05_cb_09_so_many_failures_of_a_full_window_as_the_rate_says() {
    for (size, rate, needed) in [(3, 0.5, 2), (4, 0.5, 2), (5, 0.5, 3), (20, 0.5, 10), (10, 0.75, 8), (10, 0.8, 8)] {
        for failures in 0..=size {
            let breaker = breaker(Settings { failure_rate: rate, ..settings(size, size) });
            feed(breaker, &vec![BAD; failures as usize]);
            feed(breaker, &vec![OK; (size - failures) as usize]);
            let opens = state(breaker) == BreakerState::Open;
            assert_eq!(opens, failures >= needed, "{failures} of {size} at {rate}");
        }
    }
}

#[test]
fn px_25_the_rate_is_that_of_a_full_window() {
    let breaker = breaker(settings(20, 20));
    feed(breaker, &[[BAD; 10].as_slice(), &[OK; 9]].concat());
    assert_eq!(state(breaker), BreakerState::Closed);
    feed(breaker, &[OK]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn t1_any_history_of_successes_is_forgotten_within_one_window() {
    for history in [0, 10, 100, 10_000] {
        let breaker = breaker(settings(10, 10));
        feed(breaker, &vec![OK; history]);
        let needed = (1..=10).find(|_| feed(breaker, &[BAD]) == 1 && state(breaker) == BreakerState::Open);
        assert_eq!(needed, Some(if history == 0 { 10 } else { 5 }), "after {history} successes");
    }
}

#[test]
fn cb_130_slow_calls_open_it_too() {
    let breaker = breaker(Settings { failure_rate: 1.0, ..settings(5, 5) });
    feed(breaker, &[SLOW_BAD, SLOW, BAD, OK, SLOW]);
    assert_eq!(state(breaker), BreakerState::Open);
}

#[test]
fn cb_29_what_is_not_counted_is_not_in_the_denominator() {
    let breaker = breaker(Settings { failure_rate: 0.6, ..settings(20, 3) });
    for _ in 0..5 {
        assert_eq!(feed(breaker, &[OK, BAD, Sample::Neutral, Sample::Throttled]), 4);
    }
    let now = breaker.snapshot(start());
    assert_eq!((now.state, now.calls, now.failures), (BreakerState::Closed, 10, 5));
}

#[test]
fn an_open_breaker_says_when_to_come_back_and_admits_at_that_moment() {
    let (breaker, until) = opened(settings(4, 4));
    let early = start().after(MS * 800);
    assert_eq!(breaker.admit(early, None).unwrap_err().retry_after, Some(MS * 200));
    assert_eq!(breaker.peek(early).unwrap_err().retry_after, Some(MS * 200));
    assert_eq!(breaker.snapshot(early).open_for, Some(MS * 200));
    assert!(breaker.peek(until).is_ok());
    assert_eq!(breaker.snapshot(until).open_for, Some(Duration::ZERO));
    assert_eq!(state(breaker), BreakerState::Open);
    let probe = breaker.admit(until, None);
    assert!(probe.is_ok_and(|ticket| ticket.is_probe()));
    assert_eq!(state(breaker), BreakerState::HalfOpen);
}

#[test]
fn px_26_the_open_time_is_stretched_by_at_most_its_jitter() {
    let at = start();
    let times: Vec<_> = (0..200).map(|_| opened(Settings { open_jitter: 0.5, ..settings(4, 4) }).1.since(at)).collect();
    let (shortest, longest) = (*times.iter().min().unwrap(), *times.iter().max().unwrap());
    assert!(shortest >= MS * 1_000 && longest <= MS * 1_500);
    assert!(longest - shortest > MS * 200);
}

#[test]
fn cb_64_the_open_time_grows_per_reopening_up_to_its_cap_and_starts_again_after_a_close() {
    let grown = Settings { probes: 1, open_factor: 2.0, open_cap: MS * 3_000, ..settings(4, 4) };
    let (breaker, mut until) = opened(grown);
    let mut waits = Vec::new();
    for sample in [BAD, BAD, BAD, OK] {
        assert!(call(breaker, until, sample));
        if let Some(next) = due(breaker) {
            waits.push(next.since(until).as_secs());
            until = next;
        }
    }
    assert_eq!(waits, [2, 3, 3]);
    (0..4).for_each(|_| assert!(call(breaker, until, BAD)));
    assert_eq!(due(breaker).unwrap().since(until), MS * 1_000);
}

#[test]
fn with_no_open_time_the_next_call_is_a_probe() {
    let (breaker, until) = opened(Settings { open: Duration::ZERO, ..settings(4, 4) });
    assert_eq!(until, start());
    assert!(breaker.admit(until, None).unwrap().is_probe());
}

#[test]
fn t5_late_failures_do_not_lengthen_the_open_time() {
    let breaker = breaker(settings(4, 4));
    let late: Vec<_> = (0..20).map(|_| breaker.admit(start(), None).unwrap()).collect();
    feed(breaker, &[BAD; 4]);
    let until = due(breaker).unwrap();
    late.into_iter().for_each(|ticket| ticket.record(BAD, start().after(MS * 900)));
    assert_eq!(due(breaker), Some(until));
}

#[test]
fn every_attempt_counts_where_the_scope_is_the_attempt_until_it_opens() {
    let breaker = breaker(settings(4, 4));
    let at = start();
    let ticket = breaker.admit(at, None).unwrap();
    for _ in 0..4 {
        assert!(ticket.allows_retry());
        ticket.sample(BAD, at);
    }
    assert_eq!(state(breaker), BreakerState::Open);
    assert!(!ticket.allows_retry());
    ticket.sample(BAD, at);
    ticket.record(Sample::Neutral, at);
    assert_eq!(breaker.snapshot(at).calls, 0);
}

#[test]
fn a_healthy_window_is_not_written_to() {
    let breaker = breaker(settings(4, 4));
    feed(breaker, &[OK; 4]);
    let word = breaker.word.load(Ordering::Acquire);
    assert_eq!(word & (CLOSED | EASY | TIMED), CLOSED | EASY);
    // With the lock held, a call that wanted it would hang.
    let held = breaker.lock();
    assert!(call(breaker, start(), OK));
    drop(held);
}

#[test]
fn a_fast_success_in_a_time_window_takes_no_lock() {
    let breaker = breaker(over(MS * 1_000, 4));
    let at = start();
    let fast = |at| {
        let held = breaker.lock();
        assert!(call(breaker, at, OK));
        drop(held);
    };
    (0..100).for_each(|n| fast(at.after(MS * 10 * n)));
    // Nor with failures in the window, as long as there are too few for it to complete the condition.
    let late = at.after(MS * 1_000);
    assert!(call(breaker, late, BAD));
    fast(late);
    assert_eq!(breaker.snapshot(late).calls, 92);
}

#[test]
fn cb_122_threads_lose_no_success_and_no_failure() {
    let breaker = breaker(Settings { failure_rate: 1.0, ..over(MS * 10_000, u32::MAX) });
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for n in 0..10_000 {
                    // They cross bucket after bucket, each thread elsewhere, all within one window.
                    let at = start().after(Duration::from_micros(n * 400 + thread * 1_000_000));
                    assert!(call(breaker, at, if n % 100 == 0 { BAD } else { OK }));
                }
            });
        }
    });
    let now = breaker.snapshot(start().after(MS * 9_999));
    assert_eq!((now.calls, now.failures), (40_000, 400));
}

#[test]
fn t15_an_open_breaker_stops_the_calls() {
    let breaker = breaker(settings(2, 2));
    assert_eq!(feed(breaker, &[BAD; 10]), 2);
}

#[test]
fn hostile_numbers_neither_panic_nor_lock_up() {
    use resilient_policy::Window::{Count, Time};
    let moments = [Moment::NEVER, start(), now(), Moment::NEVER, start()];
    for window in [
        Count { size: 0, max_age: None },
        Count { size: 3, max_age: Some(Duration::ZERO) },
        Count { size: 3, max_age: Some(Duration::MAX) },
        Time { span: Duration::ZERO },
        Time { span: Duration::from_nanos(7) },
        Time { span: Duration::MAX },
    ] {
        for rate in [0.0, 0.5, f64::NAN, f64::INFINITY, -1.0] {
            for open in [Duration::ZERO, Duration::MAX] {
                let settings = Settings {
                    window,
                    min_calls: Some(0),
                    failure_rate: rate,
                    slow_rate: rate,
                    consecutive: Some(0),
                    open,
                    open_jitter: f64::NAN,
                    open_factor: f64::NEG_INFINITY,
                    open_cap: Duration::MAX,
                    probes: 0,
                    passes: Some(u32::MAX),
                    ..Settings::NEW
                };
                let breaker = breaker(settings);
                for at in moments {
                    for sample in [OK, BAD, SLOW, SLOW_BAD, Sample::Throttled, Sample::Neutral] {
                        call(breaker, at, sample);
                        breaker.snapshot(at);
                    }
                }
                breaker.reset();
                assert!(call(breaker, start(), OK));
            }
        }
    }
}
