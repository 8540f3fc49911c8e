use super::*;
use crate::time::now;
use rand::{RngExt, SeedableRng, rngs::StdRng};

const MS: Duration = Duration::from_millis(1);

fn histogram() -> (Histogram, Moment) {
    let start = now().after(Duration::from_secs(3_600));
    (Histogram::new(start), start)
}

/// Off by less than 5 %.
fn close(got: Option<Duration>, expected: Duration) -> bool {
    got.is_some_and(|got| (got.as_secs_f64() / expected.as_secs_f64() - 1.0).abs() < 0.05)
}

#[test]
fn a_value_is_within_a_thirtieth_of_every_duration_in_its_bucket() {
    let mut took = Duration::from_micros(1);
    while took < Duration::from_secs(3_600) {
        let middle = value(middle(bucket(took)));
        assert!((middle.as_secs_f64() / took.as_secs_f64() - 1.0).abs() < 0.0323, "{took:?} became {middle:?}");
        assert!(value(end(bucket(took))) > took);
        took = took.mul_f64(1.003);
    }
    assert_eq!((bucket(Duration::ZERO), bucket(Duration::MAX)), (0, BUCKETS - 1));
    assert!(value(end(BUCKETS - 1)) > Duration::from_secs(3_600));
}

#[test]
fn hg_06_no_percentile_before_there_are_enough_samples() {
    let (histogram, at) = histogram();
    for n in 0..20 {
        assert_eq!(histogram.percentile(0.95, 20, at), None, "after {n}");
        histogram.record(MS, at);
    }
    assert!(close(histogram.percentile(0.95, 20, at), MS));
    assert_eq!(histogram.percentile(0.95, 21, at), None, "another question is another answer");
    assert_eq!(Histogram::new(at).percentile(0.95, 0, at), None, "of nothing there is no percentile");
}

#[test]
fn percentiles_agree_with_a_sorted_list() {
    let mut random = StdRng::seed_from_u64(1);
    for size in [1_usize, 2, 10, 100, 1_000] {
        for spread in [1.0, 5.0, 20.0] {
            let (histogram, at) = histogram();
            let mut list: Vec<_> =
                (0..size).map(|_| Duration::from_micros(2).mul_f64((random.random::<f64>() * spread).exp())).collect();
            list.iter().for_each(|took| histogram.record(*took, at));
            list.sort_unstable();
            for p in [0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 1.0] {
                let rank = ((p * size as f64 - 1e-9).ceil() as usize).clamp(1, size);
                let got = histogram.percentile(p, 1, at);
                assert!(close(got, list[rank - 1]), "p{p} of {size}: {got:?}, not {:?}", list[rank - 1]);
            }
        }
    }
}

/// The product-limit estimate of a list of (duration, whether it was cut short), one by one.
fn estimate(mut list: Vec<(Duration, bool)>, p: f64) -> Duration {
    list.sort_unstable();
    let mut goes_on = 1.0;
    for (n, (took, cut)) in list.iter().enumerate() {
        if !cut {
            goes_on *= 1.0 - 1.0 / (list.len() - n) as f64;
            if 1.0 - goes_on + 1e-9 >= p {
                return *took;
            }
        }
    }
    list[list.len() - 1].0
}

#[test]
fn samples_that_were_cut_short_count_for_whoever_took_longer() {
    let mut random = StdRng::seed_from_u64(2);
    for _ in 0..200 {
        let (histogram, at) = histogram();
        // A grid of buckets' own middles, so that the list and the buckets order alike.
        let list: Vec<_> = (0..random.random_range(5..300))
            .map(|_| (value(middle(random.random_range(100..140))), random.random_bool(0.3)))
            .collect();
        for (took, cut) in &list {
            if *cut { histogram.record_censored(*took, at) } else { histogram.record(*took, at) }
        }
        for p in [0.1, 0.5, 0.9, 0.95] {
            let (got, expected) = (histogram.percentile(p, 1, at), estimate(list.clone(), p));
            assert!(close(got, expected), "p{p}: {got:?}, not {expected:?}");
        }
    }
}

#[test]
fn a_percentile_among_those_cut_short_is_no_less_than_any_of_them_had_run() {
    let (histogram, at) = histogram();
    (0..90).for_each(|_| histogram.record(MS * 10, at));
    (0..10).for_each(|n| histogram.record_censored(MS * (50 + n), at));
    assert!(close(histogram.percentile(0.9, 100, at), MS * 10));
    let tail = histogram.percentile(0.95, 100, at).unwrap();
    assert!(tail >= MS * 59 && tail < MS * 64, "{tail:?}");
    for micros in 1..2_000 {
        let ran = Duration::from_micros(micros);
        let histogram = Histogram::new(at);
        histogram.record_censored(ran, at);
        assert!(histogram.percentile(0.5, 1, at).unwrap() >= ran, "{ran:?}");
    }
    // Hedges that lost after 2 ms say nothing about the 10 ms of the others.
    (0..500).for_each(|_| histogram.record_censored(MS * 2, at));
    assert!(close(histogram.percentile(0.5, 100, at), MS * 10));
}

#[test]
fn t60_losers_do_not_make_the_hedge_delay_creep() {
    let mut random = StdRng::seed_from_u64(60);
    for (p, target) in [(0.9, 0.1), (0.95, 0.05)] {
        let (histogram, start) = histogram();
        let mut took = || Duration::from_millis(5).mul_f64((random.random::<f64>() * 4.0).exp());
        let (mut hedges, calls) = (0, 40_000);
        for n in 0..calls {
            let at = start.after(MS * 5 * n);
            let primary = took();
            match histogram.percentile(p, 100, at) {
                Some(delay) if primary > delay => {
                    hedges += 1;
                    let hedge = took();
                    if delay + hedge < primary {
                        histogram.record(hedge, at);
                        histogram.record_censored(delay + hedge, at);
                    } else {
                        histogram.record(primary, at);
                        histogram.record_censored(primary - delay, at);
                    }
                }
                _ => histogram.record(primary, at),
            }
        }
        let rate = f64::from(hedges) / f64::from(calls);
        assert!((0.8 * target..1.2 * target).contains(&rate), "p{p}: {rate} of calls were hedged");
    }
}

#[test]
fn old_samples_fade_by_generations() {
    let (histogram, start) = histogram();
    let at = |s: u64| start.after(Duration::from_secs(s));
    let feed = |took: Duration, s: u64| (0..1_000).for_each(|_| histogram.record(took, at(s)));
    let p95 = |s| histogram.percentile(0.95, 100, at(s));
    feed(MS * 100, 0);
    assert!(close(p95(29), MS * 100));
    assert!(close(p95(30), MS * 100), "the generation before is still seen");
    feed(MS, 30);
    assert!(close(p95(40), MS * 100), "half of all");
    assert!(close(p95(60), MS), "two generations later it is gone");
}

#[test]
fn a_quiet_operation_keeps_its_samples_for_minutes_and_not_for_hours() {
    for asked in [true, false] {
        let (histogram, start) = histogram();
        let at = |s: u64| start.after(Duration::from_secs(s));
        (0..100).for_each(|_| histogram.record(MS, at(0)));
        assert!(!asked || close(histogram.percentile(0.5, 100, at(299)), MS));
        histogram.record(MS, at(300));
        assert!(close(histogram.percentile(0.5, 100, at(301)), MS));
        histogram.record(MS, at(600));
        assert_eq!(histogram.percentile(0.5, 100, at(601)), None, "asked: {asked}");
    }
    let (histogram, start) = histogram();
    (0..100).for_each(|_| histogram.record(MS, start));
    assert_eq!(histogram.percentile(0.5, 1, start.after(Duration::from_secs(3_600))), None);
}

#[test]
fn generations_turn_while_nobody_asks() {
    let (histogram, start) = histogram();
    let at = |s: u64| start.after(Duration::from_secs(s));
    (0..1_600).for_each(|s| histogram.record(MS, at(s)));
    assert!(histogram.percentile(0.5, 300, at(1_600)).is_some());
    assert!(histogram.percentile(0.5, 601, at(1_600)).is_none(), "nothing older than ten minutes");
}

#[test]
fn an_answer_from_the_future_is_not_kept() {
    let (histogram, start) = histogram();
    (0..10).for_each(|_| histogram.record(MS, start));
    assert!(close(histogram.percentile(0.5, 1, start.after(MS * 5_000)), MS));
    (0..90).for_each(|_| histogram.record(MS * 50, start));
    assert!(close(histogram.percentile(0.5, 1, start), MS * 50));
}

#[test]
fn an_answer_is_kept_for_a_tenth_of_a_second() {
    let (histogram, start) = histogram();
    (0..100).for_each(|_| histogram.record(MS, start));
    assert!(close(histogram.percentile(0.5, 100, start), MS));
    (0..900).for_each(|_| histogram.record(MS * 50, start));
    assert!(close(histogram.percentile(0.5, 100, start.after(MS * 99)), MS));
    assert!(close(histogram.percentile(0.5, 100, start.after(MS * 100)), MS * 50));
    // While somebody else looks, the answer before is good enough, and there is no waiting.
    let turn = histogram.turn().unwrap();
    assert!(close(histogram.percentile(0.5, 100, start.after(MS * 500)), MS * 50));
    assert_eq!(histogram.percentile(0.6, 100, start), None);
    drop(turn);
}

#[test]
fn no_clock_and_no_number_panics_or_wedges() {
    let (histogram, start) = histogram();
    (0..100).for_each(|_| histogram.record(MS, start));
    for at in [Moment::NEVER, now(), start] {
        for p in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0, 7.0] {
            histogram.record(Duration::MAX, at);
            histogram.record_censored(Duration::ZERO, at);
            let _ = histogram.percentile(p, 0, at);
            let _ = histogram.percentile(p, u32::MAX, at);
        }
    }
    // Back from the end of time: a new generation grows as ever.
    (0..1_000).for_each(|_| histogram.record(MS, start));
    assert!(close(histogram.percentile(0.5, 100, start), MS));
    let later = start.after(Duration::from_secs(700));
    histogram.record(MS, later);
    assert_eq!(histogram.percentile(0.5, 100, later), None);
}

#[test]
fn threads_lose_no_sample() {
    let (histogram, at) = histogram();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1_000).for_each(|_| histogram.record(MS, at)));
        }
    });
    assert!(histogram.percentile(0.5, 4_000, at).is_some());
    assert!(histogram.percentile(0.5, 4_001, at).is_none());
}
