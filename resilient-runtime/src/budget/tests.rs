use super::*;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient_policy::Earn;

fn budget(settings: RetryBudget) -> &'static Budget {
    Box::leak(Box::new(Budget::new(settings).unwrap()))
}

fn bucket(ratio: f64, burst: u32) -> &'static Budget {
    budget(RetryBudget::Ratio { ratio, burst, floor_per_sec: 0, earn: Earn::Call, name: None })
}

/// Starts one more retry; the token is still held.
fn retry(budget: &'static Budget, class: Class) -> Option<Token> {
    let mut token = budget.withdraw(class)?;
    token.start();
    Some(token)
}

/// Retries granted to `calls` calls that all want one.
fn granted(budget: &'static Budget, calls: u32) -> u32 {
    (0..calls)
        .filter(|_| {
            budget.called();
            retry(budget, Class::Transient).is_some()
        })
        .count() as u32
}

#[test]
fn px_17_a_tenth_of_calls_and_a_burst_may_repeat() {
    assert_eq!(granted(bucket(0.1, 10), 100), 19);
    assert_eq!(granted(bucket(0.1, 1), 100), 10);
}

#[test]
fn t25_any_ratio_is_kept_to_a_hundredth() {
    for ratio in [0.0154, 0.1, 0.3, 1.0 / 3.0, 0.4, 0.6, 0.7, 0.9, 1.0] {
        let got = f64::from(granted(bucket(ratio, 10), 100_000) - 10) / 100_000.0;
        assert!((got - ratio).abs() <= 0.01 * ratio, "{ratio} gave {got}");
    }
}

#[test]
fn t37_a_token_that_was_not_started_comes_back_in_every_shape() {
    let shapes = [RetryBudget::ratio(0.1), RetryBudget::Throttle, RetryBudget::Quota, RetryBudget::Active];
    for settings in shapes {
        let budget = budget(settings);
        let before = budget.tokens();
        drop(budget.withdraw(Class::Transient).unwrap());
        drop(budget.withdraw(Class::Throttled).unwrap());
        assert_eq!(budget.tokens(), before, "{settings:?}");
    }
    let budget = bucket(0.1, 1);
    drop(budget.withdraw(Class::Transient).unwrap());
    drop(retry(budget, Class::Transient).unwrap());
    assert!(budget.withdraw(Class::Transient).is_none());
}

#[test]
fn t26_one_token_is_granted_once_however_many_threads_ask() {
    for _ in 0..1_000 {
        let budget = bucket(0.1, 1);
        let grants = std::thread::scope(|scope| {
            let asks: Vec<_> = (0..4).map(|_| scope.spawn(|| retry(budget, Class::Transient).is_some())).collect();
            asks.into_iter().map(|ask| ask.join().unwrap()).filter(|granted| *granted).count()
        });
        assert_eq!(grants, 1);
    }
}

#[test]
fn with_earn_success_only_successes_earn_whoever_brings_them() {
    let budget = budget(RetryBudget::Ratio { ratio: 0.5, burst: 2, floor_per_sec: 0, earn: Earn::Success, name: None });
    let [first, second] = [(); 2].map(|()| retry(budget, Class::Transient).unwrap());
    (0..100).for_each(|_| budget.called());
    assert_eq!(budget.tokens(), 0.0);
    first.succeeded();
    drop(second);
    budget.succeeded();
    assert_eq!(budget.tokens(), 1.0);
}

#[test]
fn a6_a_throttle_stops_at_half_and_counts_failures_not_retries() {
    let budget = budget(RetryBudget::Throttle);
    // All attempts fail: 10 → 9, 8, 7, 6 grant; 5 is half.
    let grants: Vec<_> = (0..6)
        .map(|_| {
            budget.attempt_failed();
            retry(budget, Class::Transient).is_some()
        })
        .collect();
    assert_eq!(grants, [true, true, true, true, false, false]);
    (0..10).for_each(|_| budget.succeeded());
    assert!(retry(budget, Class::Transient).is_none(), "5 is not above half");
    budget.succeeded();
    // A retry that succeeds is a success like any other, and costs nothing by itself.
    retry(budget, Class::Transient).unwrap().succeeded();
    assert_eq!(budget.tokens(), 5.2);
    (0..100).for_each(|_| budget.attempt_failed());
    assert_eq!(budget.tokens(), 0.0);
}

#[test]
fn a6_a_throttle_is_off_above_nine_percent_failures_and_on_below() {
    for (one_in, on) in [(10, false), (13, true)] {
        let budget = budget(RetryBudget::Throttle);
        for call in 0..10_000 {
            if call % one_in == 0 { budget.attempt_failed() } else { budget.succeeded() }
        }
        assert_eq!(budget.withdraw(Class::Transient).is_some(), on, "1 in {one_in}");
    }
}

#[test]
fn a_quota_is_35_transient_or_100_throttled_retries_in_a_burst() {
    for (class, most) in
        [(Class::Transient, 35), (Class::Timeout, 35), (Class::Overloaded, 35), (Class::Throttled, 100)]
    {
        let budget = budget(RetryBudget::Quota);
        assert_eq!((0..200).filter(|_| retry(budget, class).is_some()).count(), most, "{class:?}");
    }
}

#[test]
fn a_quota_refunds_the_retry_that_succeeded_and_one_token_for_a_success_without() {
    let budget = budget(RetryBudget::Quota);
    let [failed, succeeded] = [(); 2].map(|()| retry(budget, Class::Transient).unwrap());
    drop(failed);
    assert_eq!(budget.tokens(), 472.0);
    succeeded.succeeded();
    assert_eq!(budget.tokens(), 486.0);
    budget.succeeded();
    assert_eq!(budget.tokens(), 487.0);
    retry(budget, Class::Throttled).unwrap().succeeded();
    assert_eq!(budget.tokens(), 487.0);
    (0..100).for_each(|_| budget.succeeded());
    assert_eq!(budget.tokens(), 500.0);
}

#[test]
fn px_18_bd_rows_of_the_share_of_active_calls() {
    // BD-10: a fifth, and 3 at least; BD-01: nothing in flight, nothing used.
    let budget = budget(RetryBudget::Active);
    assert_eq!((budget.capacity(), budget.tokens()), (3, 3.0));

    // (id, calls in flight, retries asked for, granted)
    for (id, calls, asked, most) in [
        ("PX-18", 5, 5, 3),
        ("BD-04: the floor is all there is at low traffic", 1, 4, 3),
        ("BD-05: beside another call and its retry", 3, 2, 2),
        ("BD-06: what is used up is refused", 15, 9, 3),
        ("BD-02: a share of the calls, the new retry counted", 25, 9, 5),
        ("a hundred", 100, 30, 20),
        ("not quite a hundred", 99, 30, 19),
    ] {
        (0..calls).for_each(|_| budget.called());
        let held: Vec<_> = (0..asked).filter_map(|_| retry(budget, Class::Transient)).collect();
        assert_eq!(held.len(), most, "{id}");
        // BD-09: calls that end take no running retry with them, and its place stays taken.
        (0..calls).for_each(|_| budget.ended());
        assert_eq!(budget.tokens(), (3.0 - most as f64).max(0.0), "{id}");
        drop(held);
        assert_eq!(budget.tokens(), 3.0, "{id}");
    }
}

#[test]
fn what_ends_without_having_been_counted_takes_nobody_elses_place() {
    let budget = budget(RetryBudget::ratio(0.1));
    let old = retry(budget, Class::Transient).unwrap();
    budget.called();
    budget.adopt(RetryBudget::Active);
    (0..3).for_each(|_| budget.ended());
    drop(old);
    assert_eq!((budget.tokens(), budget.capacity()), (3.0, 3));
}

#[test]
fn a_written_shape_replaces_the_default_one_and_starts_full() {
    let budget = budget(RetryBudget::DEFAULT);
    assert_eq!(granted(budget, 5), 5);
    let wider = RetryBudget::Ratio { ratio: 0.2, burst: 20, floor_per_sec: 0, earn: Earn::Call, name: None };
    budget.adopt(wider);
    assert_eq!(budget.tokens(), 5.4, "the first call found it full; tokens stay");
    budget.adopt(RetryBudget::Quota);
    assert_eq!((budget.tokens(), budget.capacity()), (500.0, 500));
    budget.adopt(RetryBudget::Off);
    assert_eq!(budget.capacity(), 500);
    budget.recycle(wider);
    assert_eq!((budget.tokens(), budget.capacity()), (20.0, 20));
}

#[cfg(feature = "testing")]
#[test]
fn t27_the_floor_pays_any_idle_time_in_one_step() {
    use crate::testing::{advance, isolated_blocking};
    use std::time::Duration;
    isolated_blocking(|| {
        let settings = RetryBudget::Ratio { ratio: 0.1, burst: 10, floor_per_sec: 2, earn: Earn::Success, name: None };
        let budget = budget(settings);
        while retry(budget, Class::Transient).is_some() {}
        advance(Duration::from_secs(2));
        assert_eq!((0..9).filter(|_| retry(budget, Class::Transient).is_some()).count(), 4);
        advance(Duration::from_secs(30 * 86_400));
        assert_eq!((0..20).filter(|_| retry(budget, Class::Transient).is_some()).count(), 10);
        advance(Duration::MAX);
        assert_eq!((0..20).filter(|_| retry(budget, Class::Transient).is_some()).count(), 10);
    });
}

#[test]
fn hostile_settings_neither_panic_nor_flood() {
    for ratio in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
        for burst in [0, 1, u32::MAX] {
            for floor_per_sec in [0, u32::MAX] {
                let budget = budget(RetryBudget::Ratio { ratio, burst, floor_per_sec, earn: Earn::Call, name: None });
                (0..10).for_each(|_| budget.called());
                assert_eq!(budget.withdraw(Class::Transient).is_some(), burst > 0);
                assert!(budget.tokens() <= f64::from(burst));
            }
        }
    }
}

/// The shapes in plain words; tokens in millionths.
#[derive(Debug)]
struct Model {
    settings: RetryBudget,
    tokens: i64,
    calls: i64,
    retries: i64,
}

impl Model {
    fn capacity(&self) -> i64 {
        match self.settings {
            RetryBudget::Ratio { burst, .. } => i64::from(burst) * 1_000_000,
            RetryBudget::Throttle => 10_000_000,
            RetryBudget::Quota => 500_000_000,
            _ => 0,
        }
    }

    fn change(&mut self, by: i64) {
        self.tokens = (self.tokens + by).clamp(0, self.capacity());
    }

    /// What a granted token has paid.
    fn withdraw(&mut self, class: Class) -> Option<i64> {
        let price = match (self.settings, class) {
            (RetryBudget::Active, _) => {
                self.retries += 1;
                return (self.retries <= (self.calls / 5).max(3)).then_some(0).or_else(|| {
                    self.retries -= 1;
                    None
                });
            }
            (RetryBudget::Throttle, _) => return (self.tokens > 5_000_000).then_some(0),
            (RetryBudget::Quota, Class::Throttled) => 5_000_000,
            (RetryBudget::Quota, _) => 14_000_000,
            _ => 1_000_000,
        };
        (self.tokens >= price).then(|| {
            self.tokens -= price;
            price
        })
    }

    fn called(&mut self) {
        self.calls += 1;
        if let RetryBudget::Ratio { ratio, earn: Earn::Call, .. } = self.settings {
            self.change((ratio * 1e6).round() as i64);
        }
    }

    fn succeeded(&mut self) {
        match self.settings {
            RetryBudget::Throttle => self.change(100_000),
            RetryBudget::Quota => self.change(1_000_000),
            RetryBudget::Ratio { ratio, earn: Earn::Success, .. } => self.change((ratio * 1e6).round() as i64),
            _ => {}
        }
    }

    fn token_ended(&mut self, paid: i64, started: bool, succeeded: bool) {
        let quota = self.settings == RetryBudget::Quota;
        if succeeded && !quota {
            self.succeeded();
        }
        if !started || (succeeded && quota) {
            self.change(paid);
        }
        if self.settings == RetryBudget::Active {
            self.retries -= 1;
        }
    }
}

#[test]
fn every_shape_answers_like_its_plain_model_over_random_histories() {
    let mut random = StdRng::seed_from_u64(5);
    let ratio = |earn| RetryBudget::Ratio { ratio: 0.3, burst: 4, floor_per_sec: 0, earn, name: None };
    for settings in
        [ratio(Earn::Call), ratio(Earn::Success), RetryBudget::Throttle, RetryBudget::Quota, RetryBudget::Active]
    {
        let budget = budget(settings);
        let mut model = Model { settings, tokens: 0, calls: 0, retries: 0 };
        model.tokens = model.capacity();
        let mut held = Vec::new();
        for step in 0..20_000 {
            match random.random_range(0..8) {
                0 => {
                    budget.called();
                    model.called();
                }
                1 if model.calls > 0 => {
                    budget.ended();
                    model.calls -= 1;
                }
                2 => {
                    budget.succeeded();
                    model.succeeded();
                }
                3 => {
                    budget.attempt_failed();
                    if settings == RetryBudget::Throttle {
                        model.change(-1_000_000);
                    }
                }
                4 | 5 => {
                    let class = if random.random_bool(0.5) { Class::Throttled } else { Class::Transient };
                    let (token, paid) = (budget.withdraw(class), model.withdraw(class));
                    assert_eq!(token.is_some(), paid.is_some(), "{settings:?} at step {step}: {model:?}");
                    held.extend(token.zip(paid));
                }
                _ if !held.is_empty() => {
                    let (mut token, paid) = held.swap_remove(random.random_range(0..held.len()));
                    let (started, succeeded) = (random.random_bool(0.7), random.random_bool(0.3));
                    if started {
                        token.start();
                    }
                    let succeeded = started && succeeded;
                    if succeeded {
                        token.succeeded()
                    } else {
                        drop(token)
                    }
                    model.token_ended(paid, started, succeeded);
                }
                _ => {}
            }
            if settings != RetryBudget::Active {
                assert_eq!(budget.tokens(), model.tokens as f64 / 1e6, "{settings:?} at step {step}");
            }
        }
    }
}
