use super::*;
use crate::{time::now, vectors};
use rand::{RngExt, SeedableRng, rngs::StdRng};

const MS: u64 = 1_000_000;

const NEW: RateLimit = RateLimit {
    permits: 1,
    per: Duration::from_millis(100),
    burst: None,
    max_wait: Duration::ZERO,
    name: None,
    strict: false,
};

/// A limiter, and the moment it was made.
fn limiter(settings: RateLimit) -> (&'static RateLimiter, Moment) {
    let start = now().after(Duration::from_secs(3_600));
    (Box::leak(Box::new(RateLimiter::new(&settings))), start)
}

fn per_ms(permits: u32, per: u64, burst: u32) -> RateLimit {
    RateLimit { permits, per: Duration::from_millis(per), burst: Some(burst), ..NEW }
}

fn after(start: Moment, ms: u64) -> Moment {
    start.after(Duration::from_millis(ms))
}

/// One attempt that may not wait: 0, or the milliseconds until a permit.
fn wait(limiter: &'static RateLimiter, at: Moment) -> u64 {
    match limiter.reserve(at, Moment::NEVER) {
        Ok(permit) => {
            assert!(permit.ready_at() <= at);
            permit.spend();
            0
        }
        Err(refused) => refused.retry_after.unwrap().as_millis() as u64,
    }
}

/// One attempt that waits as long as it must: the milliseconds it was told to.
fn queue(limiter: &'static RateLimiter, at: Moment) -> u64 {
    let permit = limiter.reserve(at, Moment::NEVER).unwrap();
    let wait = permit.ready_at().since(at).as_millis() as u64;
    permit.spend();
    wait
}

#[test]
fn rl_rows_without_waiting() {
    struct Row {
        id: &'static str,
        settings: RateLimit,
        /// Those rows start with one permit, and ours with a full bucket: taken before the first line.
        first: usize,
        /// At so many milliseconds, the waits that attempts in a row are told; 0: granted.
        lines: &'static [(u64, &'static [u64])],
    }
    let smooth = |permits, per, burst| per_ms(permits, per, burst);
    let rolling = |permits, per| RateLimit { strict: true, ..per_ms(permits, per, permits) };
    let rows = [
        Row { id: "RL-07", settings: rolling(2, 100), first: 0, lines: &[(0, &[0, 0, 100]), (50, &[50]), (100, &[0])] },
        // Where a refusal does not count, the two of @0 are all that is in the way.
        Row {
            id: "RL-08",
            settings: rolling(2, 100),
            first: 0,
            lines: &[(0, &[0, 0, 100]), (50, &[50, 50]), (120, &[0]), (190, &[0, 30])],
        },
        Row {
            id: "RL-09",
            settings: rolling(4, 100),
            first: 0,
            lines: &[(0, &[0, 0, 0, 0, 100]), (50, &[50]), (100, &[0, 0, 0, 0, 100]), (200, &[0, 0, 0, 0, 100])],
        },
        Row {
            id: "RL-10",
            settings: rolling(4, 100),
            first: 0,
            lines: &[(0, &[0, 0, 0, 0, 100]), (50, &[50]), (75, &[25]), (100, &[0, 0, 0]), (200, &[0, 0, 0, 0, 100])],
        },
        Row {
            id: "RL-12",
            settings: rolling(2, 100),
            first: 0,
            lines: &[(0, &[0, 0, 100]), (550, &[0]), (1_050, &[0, 0, 100])],
        },
        Row {
            id: "RL-14",
            settings: smooth(2, 100, 2),
            first: 1,
            lines: &[(0, &[0, 50]), (50, &[0, 50]), (100, &[0, 50])],
        },
        Row {
            id: "RL-15",
            settings: smooth(2, 100, 2),
            first: 1,
            lines: &[(0, &[0, 50]), (50, &[0, 50]), (120, &[0]), (190, &[0, 10]), (210, &[0, 40]), (290, &[0, 10])],
        },
        Row {
            id: "RL-17",
            settings: smooth(4, 100, 4),
            first: 3,
            lines: &[(0, &[0, 25]), (50, &[0, 0, 25]), (75, &[0, 25]), (100, &[0, 25]), (200, &[0, 0, 0, 0, 25])],
        },
        Row {
            id: "RL-19",
            settings: smooth(2, 100, 2),
            first: 1,
            lines: &[(0, &[0, 50]), (550, &[0, 0, 50]), (1_050, &[0, 0, 50])],
        },
        Row { id: "RL-20", settings: smooth(1, 100, 1), first: 0, lines: &[(100, &[0, 100]), (200, &[0, 100])] },
        Row {
            id: "CO-37",
            settings: smooth(3, 1_000, 3),
            first: 0,
            lines: &[(0, &[0, 0, 0, 333]), (1_000, &[0, 0, 0])],
        },
        Row {
            id: "RL-34: a refusal reserves nothing",
            settings: smooth(1, 100, 1),
            first: 0,
            lines: &[(0, &[0, 100, 100, 100]), (99, &[1, 1]), (100, &[0, 100])],
        },
    ];
    for Row { id, settings, first, lines } in rows {
        vectors::row(id);
        let (limiter, start) = limiter(settings);
        (0..first).for_each(|_| assert_eq!(wait(limiter, start), 0, "{id}"));
        for (at, waits) in lines {
            let got: Vec<_> = waits.iter().map(|_| wait(limiter, after(start, *at))).collect();
            assert_eq!(got, *waits, "{id} @{at}");
        }
    }
}

#[test]
fn rl_rows_with_waiting() {
    let patient = |settings| limiter(RateLimit { max_wait: Duration::from_secs(60), ..settings });
    // (id, settings, at, how many take a permit, the wait of the last)
    type Line = (u64, usize, u64);
    let rows: [(&str, RateLimit, &[Line]); 4] = [
        (
            "RL-29",
            per_ms(1, 500, 1),
            // @9100 three wait 1 s, not 900 ms: ours are never closer than 500 ms, and lie on no grid.
            &[(0, 7, 3_000), (800, 3, 3_700), (2_300, 1, 2_700), (3_500, 3, 3_000), (9_100, 3, 1_000), (11_000, 1, 0)],
        ),
        ("RL-30", per_ms(1, 200, 1), &[(0, 3, 400), (550, 2, 250), (2_210, 2, 200)]),
        // The window of the five moves with them: the second five wait a whole one.
        (
            "RL-32",
            RateLimit { strict: true, ..per_ms(5, 1_000, 5) },
            &[(300, 3, 0), (1_550, 10, 1_000), (2_210, 2, 1_340)],
        ),
        ("seven that come together wait as long as seven in a row", per_ms(1, 100, 1), &[(0, 7, 600)]),
    ];
    for (id, settings, lines) in rows {
        vectors::row(id);
        let (limiter, start) = patient(settings);
        for (at, takers, last) in lines {
            let waits: Vec<_> = (0..*takers).map(|_| queue(limiter, after(start, *at))).collect();
            assert_eq!(waits.last(), Some(last), "{id} @{at}: {waits:?}");
            assert!(waits.is_sorted(), "{id}: moments are promised in order");
        }
    }
}

#[test]
fn rl_22_rl_23_one_waits_for_the_next_period_and_the_one_after_is_refused() {
    let settings = RateLimit { max_wait: Duration::from_millis(100), ..per_ms(1, 100, 1) };
    let (limiter, start) = limiter(settings);
    let at = after(start, 100);
    assert_eq!((queue(limiter, at), queue(limiter, at)), (0, 100));
    for _ in 0..3 {
        let refused = limiter.reserve(at, Moment::NEVER).unwrap_err();
        assert_eq!(refused.retry_after, Some(Duration::from_millis(200)));
    }
    assert_eq!(queue(limiter, after(start, 610)), 0);
}

#[test]
fn rl_24_three_at_once_three_a_period_later_and_no_more() {
    let settings = RateLimit { max_wait: Duration::from_millis(12), strict: true, ..per_ms(3, 10, 3) };
    let (limiter, start) = limiter(settings);
    let waits: Vec<_> = (1..=9)
        .map(|ns| {
            let at = start.after(Duration::from_nanos(ns));
            let permit = limiter.reserve(at, Moment::NEVER).ok()?;
            let wait = permit.ready_at().since(at).as_nanos() as u64;
            permit.spend();
            Some(wait)
        })
        .collect();
    let later = Some(10 * MS - 3);
    assert_eq!(waits, [Some(0), Some(0), Some(0), later, later, later, None, None, None]);
}

#[test]
fn rl_27_a_waiter_that_leaves_gives_its_place_back_if_nobody_stands_behind_it() {
    let settings = RateLimit { max_wait: Duration::from_secs(1), ..per_ms(1, 100, 1) };
    for strict in [false, true] {
        let (limiter, start) = limiter(RateLimit { strict, ..settings });
        limiter.reserve(start, Moment::NEVER).unwrap().spend();
        let line: Vec<_> = (0..3).map(|_| limiter.reserve(start, Moment::NEVER).unwrap()).collect();
        // The last first: each is the last in line.
        line.into_iter().rev().for_each(|permit| permit.give_back(after(start, 10)));
        assert_eq!(queue(limiter, after(start, 20)), 80, "strict: {strict}");

        let [first, second] = [20, 20].map(|at| limiter.reserve(after(start, at), Moment::NEVER).unwrap());
        first.give_back(after(start, 30));
        second.spend();
        let third = limiter.reserve(after(start, 30), Moment::NEVER).unwrap();
        assert!(third.ready_at() >= after(start, 400), "the second was promised 300 ms");
        third.spend();
    }
}

#[test]
fn rl_35_t55_a_wait_that_is_too_long_is_refused_at_once_with_its_length() {
    let settings = RateLimit { max_wait: Duration::from_millis(300), ..per_ms(1, 10_000, 1) };
    let (limiter, start) = limiter(settings);
    limiter.reserve(start, Moment::NEVER).unwrap().spend();
    let refused = limiter.reserve(start, Moment::NEVER).unwrap_err();
    assert_eq!(refused.retry_after, Some(Duration::from_secs(10)));
}

#[test]
fn nobody_is_told_to_wait_for_the_deadline_or_past_it() {
    let settings = RateLimit { max_wait: Duration::from_secs(1), ..per_ms(1, 100, 1) };
    let (limiter, start) = limiter(settings);
    limiter.reserve(start, after(start, 1)).unwrap().spend();
    for deadline in [0, 50, 100] {
        let refused = limiter.reserve(start, after(start, deadline)).unwrap_err();
        assert_eq!(refused.retry_after, Some(Duration::from_millis(100)));
    }
    assert!(limiter.try_now(start).is_none());
    assert_eq!(limiter.reserve(start, after(start, 101)).unwrap().ready_at(), after(start, 100));
}

#[test]
fn a_permit_given_back_at_once_is_there_for_the_next() {
    for strict in [false, true] {
        let (limiter, start) = limiter(RateLimit { strict, ..per_ms(2, 100, 2) });
        let [first, second] = [(); 2].map(|()| limiter.try_now(start).unwrap());
        assert!(limiter.try_now(start).is_none());
        first.give_back(start);
        limiter.try_now(start).unwrap().spend();
        second.give_back(start);
        limiter.try_now(start).unwrap().spend();
        assert!(limiter.try_now(start).is_none(), "strict: {strict}");
    }
}

#[test]
fn a_dropped_reservation_gives_itself_back() {
    let start = now();
    let limiter: &'static RateLimiter = Box::leak(Box::new(RateLimiter::new(&per_ms(1, 1_000_000, 1))));
    drop(limiter.try_now(start).unwrap());
    assert!(limiter.try_now(now().after(Duration::from_millis(100))).is_some());
}

/// What a limiter must answer: every grant in a list, and a bucket that is moved forward step by step.
struct Model {
    interval: i128,
    burst: i128,
    per: u64,
    permits: Option<usize>,
    max_wait: u64,
    /// What is in the bucket at `since`, in intervals' worth of time; negative: promised.
    level: i128,
    since: u64,
    grants: Vec<u64>,
}

impl Model {
    fn level(&self, at: u64) -> i128 {
        (self.level + i128::from(at) - i128::from(self.since)).min(self.burst * self.interval)
    }

    /// `Ok` with its moment, or the wait it would have had.
    fn reserve(&mut self, at: u64) -> Result<u64, u64> {
        let short = (self.interval - self.level(at.max(self.since))).max(0);
        let paced = at.max(self.since).max(at) as i128 + short;
        let window = self.permits.and_then(|permits| self.grants.len().checked_sub(permits));
        let ready =
            window.map_or(0, |first| self.grants[first] + self.per).max(if short == 0 { at } else { paced as u64 });
        if ready > at + self.max_wait {
            return Err(ready - at);
        }
        let drawn = ready.max(self.since);
        (self.level, self.since) = (self.level(drawn) - self.interval, drawn);
        self.grants.push(ready);
        Ok(ready)
    }
}

#[test]
fn a_limiter_answers_like_a_plain_list_of_grants_over_random_histories() {
    let mut random = StdRng::seed_from_u64(3);
    for round in 0..400 {
        let permits = random.random_range(1..8_u32);
        let interval = random.random_range(1..50_u64) * MS;
        let (burst, strict) = (random.random_range(1..8), round % 2 == 0);
        let max_wait = random.random_range(0..4) * 20 * MS;
        let settings = RateLimit {
            permits,
            per: Duration::from_nanos(interval * u64::from(permits)),
            burst: Some(burst),
            max_wait: Duration::from_nanos(max_wait),
            strict,
            ..NEW
        };
        let (limiter, start) = limiter(settings);
        let mut model = Model {
            interval: interval.into(),
            burst: burst.into(),
            per: interval * u64::from(permits),
            permits: strict.then_some(permits as usize),
            max_wait,
            level: i128::from(burst) * i128::from(interval),
            since: 0,
            grants: Vec::new(),
        };
        let mut at = 0;
        for _ in 0..200 {
            at += if random.random_bool(0.5) { 0 } else { random.random_range(0..60 * MS) };
            let now = start.after(Duration::from_nanos(at));
            let expected = model.reserve(at);
            match limiter.reserve(now, Moment::NEVER) {
                Ok(permit) => {
                    assert_eq!(Ok(permit.ready_at().since(start).as_nanos() as u64), expected, "{settings:?} @{at}");
                    permit.spend();
                }
                Err(refused) => {
                    let wait = refused.retry_after.unwrap().as_nanos() as u64;
                    assert_eq!(Err(wait), expected, "{settings:?} @{at}");
                }
            }
        }
    }
}

/// The most grants in any window of `span`.
fn most_within(grants: &[u64], span: u64) -> usize {
    let within = |first: usize| grants[first..].iter().take_while(|at| **at - grants[first] < span).count();
    (0..grants.len()).map(within).max().unwrap_or(0)
}

#[test]
fn whoever_gives_back_when_and_in_which_order_no_window_sees_more_than_the_rate() {
    let mut random = StdRng::seed_from_u64(11);
    for round in 0..600 {
        let permits = random.random_range(1..6_u32);
        let interval = random.random_range(5..30_u64) * MS;
        let (burst, strict) = (random.random_range(1..5), round % 2 == 0);
        let settings = RateLimit {
            permits,
            per: Duration::from_nanos(interval * u64::from(permits)),
            burst: Some(burst),
            max_wait: Duration::from_nanos(random.random_range(0..3) * interval),
            strict,
            ..NEW
        };
        let (limiter, start) = limiter(settings);
        let (mut held, mut spent, mut at) = (Vec::new(), Vec::new(), 0);
        for _ in 0..300 {
            at += if random.random_bool(0.6) { 0 } else { random.random_range(0..interval) };
            let now = start.after(Duration::from_nanos(at));
            if random.random_bool(0.6) {
                held.extend(limiter.reserve(now, Moment::NEVER));
            } else if !held.is_empty() {
                let permit = held.swap_remove(random.random_range(0..held.len()));
                if random.random_bool(0.5) {
                    permit.give_back(now);
                } else {
                    spent.push(permit.ready_at().since(start).as_nanos() as u64);
                    permit.spend();
                }
            }
        }
        for permit in held {
            spent.push(permit.ready_at().since(start).as_nanos() as u64);
            permit.spend();
        }
        spent.sort_unstable();
        for intervals in [1, 2, 3, 5, 10, 50] {
            let most = most_within(&spent, intervals * interval);
            assert!((most as u64) < u64::from(burst) + intervals, "{settings:?}: {most} in {intervals} intervals");
        }
        if strict {
            assert!(most_within(&spent, interval * u64::from(permits)) <= permits as usize, "{settings:?}");
        }
    }
}

#[test]
fn a_rate_that_no_nanosecond_divides_is_full_after_its_time_and_no_fuller() {
    for (permits, burst) in [(3, 3), (7, 7), (333, 333), (999_983, 1_000)] {
        let (limiter, start) = limiter(RateLimit { permits, burst: Some(burst), per: Duration::from_secs(1), ..NEW });
        for second in 0..3 {
            let at = after(start, second * 1_000);
            let got = (0..=burst).filter(|_| limiter.try_now(at).map(Reservation::spend).is_some()).count();
            assert_eq!(got, burst as usize, "{permits}/s in second {second}");
        }
    }
}

#[test]
fn strict_limits_beyond_the_log_are_kept_in_shorter_windows() {
    let settings = RateLimit { permits: 25_000, burst: Some(25_000), strict: true, ..NEW };
    let (limiter, start) = limiter(settings);
    let take = |at| std::iter::from_fn(|| limiter.try_now(at).map(Reservation::spend)).count();
    let third = Duration::from_nanos(33_333_334);
    assert_eq!([take(start), take(start.after(third)), take(start.after(third * 2))], [8_333; 3]);
    assert_eq!(take(start.after(Duration::from_millis(99))), 0);
}

#[test]
fn no_setting_and_no_clock_panics_floods_or_wedges() {
    let durations = [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(1), Duration::from_secs(u64::MAX)];
    let moments = |start: Moment| [start, Moment::NEVER, now(), start.after(Duration::from_nanos(u64::MAX / 2)), start];
    for permits in [0, 1, 3, 1_000_000_007, u32::MAX] {
        for per in durations.into_iter().chain([Duration::MAX, Duration::from_nanos(u64::MAX)]) {
            for burst in [None, Some(0), Some(1), Some(u32::MAX)] {
                for max_wait in [Duration::ZERO, Duration::MAX] {
                    for strict in [false, true] {
                        let settings = RateLimit { permits, per, burst, max_wait, strict, name: None };
                        let (limiter, start) = limiter(settings);
                        assert!(limiter.try_now(start).is_some(), "{settings:?}");
                        for at in moments(start) {
                            let _ = limiter.reserve(at, Moment::NEVER).map(Reservation::spend);
                            let _ = limiter.reserve(at, start).map(|permit| permit.give_back(start));
                            drop(limiter.try_now(at));
                            limiter.is_idle(at);
                        }
                        limiter.recycle(&settings, start);
                    }
                }
            }
        }
    }
}

#[test]
fn a_clock_that_goes_back_starts_from_an_empty_bucket() {
    for strict in [false, true] {
        let settings = RateLimit { strict, ..per_ms(10, 1_000, 10) };
        let (limiter, start) = limiter(settings);
        let take = |at| std::iter::from_fn(|| limiter.try_now(at).map(Reservation::spend)).count();
        let late = start.after(Duration::from_secs(3_000));
        assert_eq!(take(late), 10);
        // Fifty minutes back: no flood, and no fifty minutes of silence.
        assert_eq!(take(after(start, 10_000)), 0);
        assert_eq!(take(after(start, 11_000)), 10, "strict: {strict}");
        // Far forward is only a long pause.
        assert_eq!(take(start.after(Duration::from_secs(1 << 30))), 10);
    }
}

#[test]
fn a_slow_threads_clock_takes_nothing_from_the_limit() {
    for strict in [false, true] {
        let (limiter, start) = limiter(RateLimit { strict, ..per_ms(4, 100, 4) });
        let take = |ms| usize::from(limiter.try_now(after(start, ms)).map(Reservation::spend).is_some());
        // Each sees a bucket of a little less, and what they leave is there for the next by the right clock.
        let got: usize = (0..8).map(|back| take(50 - back)).sum();
        assert!(got <= 4);
        assert_eq!(got + (0..4).map(|_| take(50)).sum::<usize>(), 4, "strict: {strict}");
    }
}

#[test]
fn a_slow_threads_permit_is_found_again_when_it_comes_back() {
    let (limiter, start) = limiter(RateLimit { strict: true, ..per_ms(8, 100, 100) });
    let held: Vec<_> = (0..8).map(|back| limiter.try_now(after(start, 50 - back)).unwrap()).collect();
    assert!(limiter.try_now(after(start, 50)).is_none());
    held.into_iter().for_each(|permit| permit.give_back(after(start, 50)));
    assert_eq!((0..9).filter(|_| wait(limiter, after(start, 50)) == 0).count(), 8);
}

#[test]
fn at_the_end_of_the_clock_there_is_no_flood() {
    for strict in [false, true] {
        // An interval of ten days ends after it, since the epoch is about a day old.
        let (limiter, _) = limiter(RateLimit { strict, ..per_ms(5, 50 * 86_400_000, 5) });
        let got = (0..100).filter(|_| limiter.try_now(Moment::NEVER).map(Reservation::spend).is_some()).count();
        assert!(got <= 5, "{got}");
    }
}

#[test]
fn written_settings_are_adopted_and_what_was_granted_still_counts() {
    let (limiter, start) = limiter(per_ms(1, 100, 1));
    assert_eq!(wait(limiter, start), 0);
    limiter.adopt(&per_ms(1, 20, 1));
    assert_eq!(wait(limiter, start), 100);
    assert_eq!((wait(limiter, after(start, 100)), wait(limiter, after(start, 100))), (0, 20));
}

#[test]
fn an_idle_limiter_is_as_good_as_new() {
    for strict in [false, true] {
        let settings = RateLimit { strict, ..per_ms(2, 100, 2) };
        let (limiter, start) = limiter(settings);
        assert!(limiter.is_idle(start));
        assert_eq!([wait(limiter, start), wait(limiter, start)], [0, 0]);
        assert!(!limiter.is_idle(after(start, 99)));
        assert!(limiter.is_idle(after(start, 100)));
        limiter.recycle(&settings, after(start, 100));
        assert_eq!([wait(limiter, after(start, 100)), wait(limiter, after(start, 100))], [0, 0]);
    }
    let (limiter, start) = limiter(RateLimit { strict: true, ..per_ms(2, 100, 4) });
    assert_eq!(wait(limiter, start), 0);
    assert!(!limiter.is_idle(after(start, 60)), "the bucket is full, but the window still counts it");
}

#[test]
fn threads_together_get_what_one_would() {
    for strict in [false, true] {
        let (limiter, start) = limiter(RateLimit { strict, ..per_ms(100, 1_000, 100) });
        let granted = std::thread::scope(|scope| {
            let asks: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        (0..1_000).filter(|_| limiter.try_now(start).map(Reservation::spend).is_some()).count()
                    })
                })
                .collect();
            asks.into_iter().map(|ask| ask.join().unwrap()).sum::<usize>()
        });
        assert_eq!(granted, 100);
    }
}

/// A thread that leaves a runtime whose paused clock is ahead, or that looked at the clock before another made the state.
#[test]
fn a_clock_behind_the_one_it_was_used_under_is_a_clock_that_goes_on() {
    for strict in [false, true] {
        let (limiter, made) = limiter(RateLimit { strict, ..per_ms(2, 1_000, 2) });
        assert_eq!([wait(limiter, made), wait(limiter, made)], [0, 0]);
        let behind = now();
        assert!(behind < made);
        // No burst, and no wait for the hour that the clock went back: the bucket is empty, and the log is of now.
        let first = if strict { 1_000 } else { 500 };
        assert_eq!([wait(limiter, behind), wait(limiter, after(behind, first))], [first, 0]);
    }
}
