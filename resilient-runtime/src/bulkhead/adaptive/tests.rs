//! The numbers of the published suites, by their ids, and what those suites do not ask.

use super::{gradient2::Average, vegas::Tuning, *};
use crate::{time::now, vectors};

/// Feeds samples that follow each other: every call begins when the one before it has ended.
struct Feed {
    limiter: Limiter,
    at: Moment,
}

impl Feed {
    fn new(kind: Adaptive, bounds: (u32, u32), start: u32) -> Self {
        Self { limiter: Limiter::new(kind, bounds, start), at: now() }
    }

    fn tuned(start: u32, tuning: Tuning) -> Self {
        let mut feed = Self::new(Adaptive::Vegas, (1, 20_000), start);
        feed.limiter.kind = Kind::Vegas(Vegas::new(tuning));
        feed
    }

    fn sample(&mut self, answered: bool, millis: u64, in_flight: u32) -> f64 {
        let took = Duration::from_millis(millis);
        self.at = self.at.after(took).after(Duration::from_millis(1));
        self.limiter.sample(Sample { answered, took, in_flight, at: self.at });
        self.limiter.limit
    }

    fn answered(&mut self, millis: u64, in_flight: u32) -> f64 {
        self.sample(true, millis, in_flight)
    }

    fn failed(&mut self, millis: u64, in_flight: u32) -> f64 {
        self.sample(false, millis, in_flight)
    }

    /// What is told as the limit after each of these answers.
    fn whole(&mut self, samples: &[(u64, u32)]) -> Vec<u32> {
        samples
            .iter()
            .map(|&(millis, in_flight)| {
                self.answered(millis, in_flight);
                self.limiter.limit()
            })
            .collect()
    }

    fn long_run(mut self, millis: f64) -> Self {
        let Kind::Gradient2(gradient) = &mut self.limiter.kind else { panic!("no long run") };
        for _ in 0..10 {
            gradient.long_run.add(millis / 1_000.0);
        }
        self
    }
}

fn assert_near(got: f64, wanted: f64) {
    assert!((got - wanted).abs() < 6e-4, "{got} is not {wanted}");
}

#[test]
fn aimd_moves_by_the_table() {
    for (id, start, min, answered, millis, in_flight, wanted) in [
        ("AD-01", 20, 1, true, 10, 10, 21.0),
        ("AD-02", 30, 1, false, 10, 30, 27.0),
        ("AD-04", 20, 1, true, 10, 9, 20.0),
        ("AD-05", 20, 20, false, 10, 20, 20.0),
        ("AD-06", 20, 1, true, 5_001, 20, 18.0),
        ("AD-06, in time", 20, 1, true, 5_000, 20, 21.0),
    ] {
        vectors::row(id);
        let got = Feed::new(Adaptive::Aimd, (min, 200), start).sample(answered, millis, in_flight);
        assert_near(got, wanted);
        assert!(got.fract() == 0.0, "{id}: {got} is no whole number");
    }
}

#[test]
fn vegas_moves_by_the_table() {
    let halving = |smoothing| Tuning { smoothing, decrease: |limit| limit / 2.0 };
    for (id, mut feed, samples, wanted) in [
        ("AD-10", Feed::new(Adaptive::Vegas, (1, 20), 10), &[(10, 10), (10, 11)][..], &[10, 16][..]),
        ("AD-12", Feed::new(Adaptive::Vegas, (1, 20), 10), &[(10, 10), (14, 14)], &[10, 10]),
        (
            "AD-13",
            Feed::new(Adaptive::Vegas, (1, 20_000), 10_000),
            &[(10_000, 5_000), (10_000, 6_000)],
            &[10_000, 10_024],
        ),
        ("AD-14", Feed::tuned(100, halving(0.5)), &[(10, 100), (20, 100), (20, 100)], &[100, 75, 56]),
        ("AD-15", Feed::tuned(100, halving(1.0)), &[(10, 100), (20, 100), (20, 100)], &[100, 50, 25]),
        // A duration cannot be negative; zero is no sample.
        ("AD-17", Feed::new(Adaptive::Vegas, (1, 20), 10), &[(0, 10), (10, 10), (10, 10)], &[10, 10, 16]),
    ] {
        vectors::row(id);
        assert_eq!(feed.whole(samples), wanted, "{id}");
    }
}

#[test]
fn ad_18_vegas_takes_its_baseline_anew_and_keeps_the_limit() {
    let mut feed = Feed::new(Adaptive::Vegas, (1, 20), 10);
    feed.answered(10, 1);
    // Idle samples move nothing: what the baseline is shows in the first busy one.
    let probed_at = (2..1_000).find(|_| {
        feed.answered(40, 1);
        let Kind::Vegas(vegas) = &feed.limiter.kind else { unreachable!() };
        vegas.baseline == Some(Duration::from_millis(40))
    });
    assert!((150..=300).contains(&probed_at.unwrap()), "30 samples per permit, less up to half: {probed_at:?}");
    assert_near(feed.limiter.limit, 10.0);
    assert_near(feed.answered(40, 10), 16.0);
}

#[test]
fn ad_51_steps_grow_with_the_digits_of_the_limit() {
    assert_eq!([0.0, 100.0, 10_000.0].map(vegas::log10), [1.0, 2.0, 4.0]);
}

#[test]
fn gradient2_moves_by_the_table() {
    let fresh = |start, min| Feed::new(Adaptive::Gradient2, (min, 200), start);
    for (id, mut feed, samples, wanted) in [
        ("AD-20", fresh(20, 4), &[(10, 20); 5][..], &[20.8, 21.6, 22.4, 23.2, 24.0][..]),
        ("AD-21", fresh(20, 4), &[(10, 9), (10, 10), (10, 10)], &[20.0, 20.8, 20.8]),
        ("AD-23", fresh(100, 4).long_run(10.0), &[(20, 100); 4], &[95.850, 91.953, 88.293, 84.853]),
        ("AD-24", fresh(100, 4).long_run(10.0), &[(14, 100); 2], &[100.8, 101.6]),
        (
            "AD-25",
            fresh(100, 4),
            &[(10, 100), (10, 100), (30, 100), (30, 100), (30, 100), (10, 100)],
            &[100.8, 101.6, 99.013, 99.813, 100.613, 101.413],
        ),
        ("AD-26", fresh(22, 20).long_run(10.0), &[(100, 30); 4], &[20.6, 20.0, 20.0, 20.0]),
    ] {
        vectors::row(id);
        for (n, (&(millis, in_flight), wanted)) in samples.iter().zip(wanted).enumerate() {
            let got = feed.answered(millis, in_flight);
            assert!((got - wanted).abs() < 6e-4, "{id}, sample {n}: {got} is not {wanted}");
        }
    }
}

#[test]
fn ad_28_a_long_run_that_is_out_of_date_is_shortened() {
    let mut feed = Feed::new(Adaptive::Gradient2, (4, 200), 100);
    for (millis, wanted) in
        [(100, 100.0), (100, 100.0), (100, 100.0), (10, 73.625), (10, 60.8), (10, 52.25), (10, 46.143)]
    {
        feed.answered(millis, 100);
        let Kind::Gradient2(gradient) = &feed.limiter.kind else { unreachable!() };
        assert_near(gradient.long_run.value * 1_000.0, wanted);
    }
}

#[test]
fn ad_29_the_average_is_plain_first_and_exponential_then() {
    let mut average = Average::new(100);
    for n in 0..10 {
        assert_near(average.add(10.0 + f64::from(n)), 10.0 + f64::from(n) / 2.0);
    }
    assert!((average.add(100.0) - 16.193).abs() < 1e-3);
}

const KINDS: [Adaptive; 3] = [Adaptive::Aimd, Adaptive::Vegas, Adaptive::Gradient2];

#[test]
fn a_burst_of_failures_is_one_piece_of_news() {
    for (kind, wanted) in [(Adaptive::Aimd, 57), (Adaptive::Vegas, 63), (Adaptive::Gradient2, 57)] {
        let mut limiter = Limiter::new(kind, (4, 200), 64);
        let (at, took) = (now(), Duration::from_millis(10));
        for in_flight in (1..=64).rev() {
            limiter.sample(Sample { answered: false, took, in_flight, at });
        }
        assert_eq!(limiter.limit(), wanted, "{kind:?}");
        // A call that was sent after it is the next piece.
        limiter.sample(Sample { answered: false, took, in_flight: 1, at: at.after(took * 2) });
        assert!(limiter.limit() < wanted, "{kind:?}");
    }
}

#[test]
fn a_burst_of_answers_lets_the_limit_grow_once() {
    for kind in KINDS {
        let mut limiter = Limiter::new(kind, (4, 200), 20);
        let (at, took) = (now(), Duration::from_millis(10));
        let limits: Vec<_> = (0..20u64)
            .map(|n| {
                limiter.sample(Sample { answered: true, took, in_flight: 20, at: at.after(Duration::from_micros(n)) });
                limiter.limit
            })
            .collect();
        assert!(limits[19] > 20.0, "{kind:?}");
        assert!(limits[1..].iter().all(|limit| *limit == limits[19]), "{kind:?}: {limits:?}");
    }
}

#[test]
fn calls_one_after_the_other_teach_nothing_about_many_at_once() {
    for kind in KINDS {
        let mut feed = Feed::new(kind, (4, 200), 20);
        for _ in 0..1_000 {
            feed.answered(10, 1);
        }
        assert_near(feed.limiter.limit, 20.0);
    }
}

#[test]
fn a_dependency_that_became_slower_for_good_gets_its_limit_back() {
    for kind in [Adaptive::Vegas, Adaptive::Gradient2] {
        let mut feed = Feed::new(kind, (4, 200), 200);
        for _ in 0..100 {
            feed.answered(10, 200);
        }
        let lowest = (0..20_000).map(|_| feed.answered(40, feed.limiter.limit())).fold(200.0, f64::min);
        assert!(lowest < 150.0, "{kind:?} did not see it: {lowest}");
        assert!(feed.limiter.limit > 190.0, "{kind:?} stays at {}", feed.limiter.limit);
    }
}

#[test]
fn a_call_too_short_for_the_clock_is_no_sample() {
    for kind in [Adaptive::Vegas, Adaptive::Gradient2] {
        let mut feed = Feed::new(kind, (4, 200), 20);
        feed.answered(10, 1);
        assert_near(feed.answered(0, 20), 20.0);
        assert!(feed.answered(10, 20) > 20.0, "{kind:?} takes it for the time of a call");
    }
}

#[test]
fn a_fast_failure_is_no_fast_answer() {
    for kind in [Adaptive::Vegas, Adaptive::Gradient2] {
        let mut feed = Feed::new(kind, (4, 200), 20);
        feed.answered(50, 1);
        for _ in 0..100 {
            feed.failed(1, 1);
        }
        let low = feed.limiter.limit;
        assert!(feed.answered(50, 20) > low, "{kind:?} takes an answer of the usual time for a slow one");
    }
}

#[test]
fn hostile_samples_stay_within_the_bounds() {
    for kind in KINDS {
        for bounds in [(0, 0), (4, 200), (9, 3), (u32::MAX, u32::MAX), (1, u32::MAX)] {
            let mut limiter = Limiter::new(kind, bounds, START);
            let least = bounds.0.max(1);
            let start = now();
            for n in 0..200u64 {
                let took = [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(10), Duration::MAX];
                let at = [start, start.after(Duration::from_secs(n)), Moment::NEVER][n as usize % 3];
                let in_flight = [0, 1, u32::MAX][n as usize / 3 % 3];
                let took = took[n as usize / 9 % 4];
                let limit = limiter.sample(Sample { answered: n % 5 != 0, took, in_flight, at });
                assert!((least..=bounds.1.max(least)).contains(&limit), "{kind:?} {bounds:?}: {limit}");
            }
        }
    }
}

#[test]
fn a_clock_that_jumps_back_does_not_stop_the_limit() {
    let mut limiter = Limiter::new(Adaptive::Aimd, (1, 200), 20);
    let (at, took) = (now(), Duration::from_millis(10));
    let day = Duration::from_secs(86_400);
    for at in [at.after(day), at.after(took), at.after(took * 3)] {
        limiter.sample(Sample { answered: true, took, in_flight: 20, at });
    }
    assert_eq!(limiter.limit(), 22);
}

#[test]
fn new_bounds_keep_what_was_learned_and_a_new_kind_starts_from_the_same_limit() {
    let adaptive = |min, max, kind| Limit::Adaptive { min, max, kind };
    let (limit, mut limiter) = start(adaptive(4, 200, Adaptive::Aimd));
    assert_eq!(limit, START);
    assert_eq!(adopt(&mut limiter, 20, adaptive(4, 10, Adaptive::Aimd)), 10);
    assert_eq!(adopt(&mut limiter, 10, adaptive(4, 200, Adaptive::Vegas)), 10);
    assert_eq!(adopt(&mut limiter, 10, Limit::Fixed(7)), 7);
    assert!(limiter.is_none());
    assert_eq!(adopt(&mut limiter, 7, adaptive(8, 200, Adaptive::Gradient2)), 8);
    assert_eq!(start(adaptive(30, 200, Adaptive::Aimd)).0, 30);
    assert_eq!(start(adaptive(1, 5, Adaptive::Aimd)).0, 5);
}
