//! What nobody sends on purpose: the longest and the shortest times, numbers at their ends, clocks that jump by years and
//! back, and a million keys. Nothing panics, nothing spins, no breaker tries its dependency early, and memory is bounded.
//!
//! `RESILIENT_KEYS=1000000 RESILIENT_POLICIES=100000 cargo test --release --test floods` is the long form.
#![warn(clippy::all)]

use allocation_counter::measure;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient::{
    BreakerState, Classify, Criticality, Forced, OperationSnapshot, Rejected, RejectedKind, Site, Verdict, call,
    call_blocking, operation,
    policy::{
        Adaptive, Allowed, Breaker, Bulkhead, Earn, Hedge, HedgeDelay, Jitter, Limit, Order, Policy, RateLimit, Retry,
        RetryBudget, Rule, Safety, Scope, Timeout, Window, first_fault,
    },
    resilient, snapshot,
    testing::{advance, isolated_blocking},
    with, within, within_blocking,
};
use std::{
    cell::Cell,
    future::{Future, pending},
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};

#[derive(Clone, Debug, PartialEq)]
enum Fault {
    Failed(Verdict),
    Rejected(RejectedKind),
}

impl Classify for Fault {
    fn classify(&self) -> Verdict {
        match self {
            Self::Failed(verdict) => *verdict,
            Self::Rejected(_) => Verdict::OVERLOADED,
        }
    }
}

impl From<Rejected> for Fault {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected.kind())
    }
}

type Outcome = Result<(), Fault>;

const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

fn env(name: &str, short: u32) -> u32 {
    std::env::var(name).map_or(short, |long| long.parse().expect("a number"))
}

fn paused() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

fn poll<F: Future + ?Sized>(future: &mut Pin<&mut F>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

// ===== policies at their ends =====

/// Chance, for policies and for what their calls meet.
struct Dice(StdRng);

impl Dice {
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }

    /// The times at which other libraries overflow, and those that are hardly there.
    fn time(&mut self) -> Duration {
        self.one(&[
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_millis(1),
            Duration::from_millis(60),
            Duration::from_secs(3_600),
            YEAR * 1_000,
            Duration::from_millis(u64::MAX),
            Duration::from_secs(u64::MAX),
            Duration::MAX,
        ])
    }

    fn count(&mut self) -> u32 {
        self.one(&[0, 1, 2, 20, 1_000, u32::MAX - 1, u32::MAX])
    }

    fn share(&mut self) -> f64 {
        self.one(&[f64::MIN_POSITIVE, 1e-9, 0.05, 0.5, 1.0])
    }

    fn factor(&mut self) -> f64 {
        self.one(&[0.0, 1.0, 2.0, 1e300, f64::MAX, f64::INFINITY])
    }

    fn maybe<T>(&mut self, some: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.one(&[true, false]).then(|| some(self))
    }

    fn breaker(&mut self) -> Breaker {
        let window = if self.one(&[true, false]) {
            // A window of 4 billion calls is one of 4 billion bits, which is a size and no extreme.
            Window::Count { size: self.one(&[1, 2, 20, 1_000]), max_age: self.maybe(Self::time) }
        } else {
            Window::Time { span: self.time() }
        };
        Breaker {
            name: "extreme",
            window,
            min_calls: self.maybe(Self::count),
            failure_rate: self.share(),
            slow: self.maybe(Self::time),
            slow_rate: self.share(),
            consecutive: self.maybe(Self::count),
            open: self.time(),
            open_jitter: self.one(&[0.0, 0.5, 1.0]),
            open_factor: self.one(&[1.0, 2.0, 1e300]),
            open_cap: self.time(),
            probes: self.one(&[1, 3, 1_000]),
            passes: None,
            probe_timeout: self.maybe(Self::time),
            scope: self.one(&[Scope::Call, Scope::Attempt]),
        }
    }

    fn bulkhead(&mut self) -> Bulkhead {
        let kind = self.one(&[Adaptive::Aimd, Adaptive::Vegas, Adaptive::Gradient2]);
        let adaptive = Limit::Adaptive { min: self.one(&[1, 4]), max: self.one(&[4, u32::MAX]), kind };
        Bulkhead {
            limit: if self.one(&[true, false]) { Limit::Fixed(self.count()) } else { adaptive },
            name: None,
            max_wait: self.time(),
            max_queue: self.maybe(Self::count),
            order: self.one(&[Order::Fifo, Order::Newest]),
            max_age: self.maybe(Self::time),
        }
    }

    fn budget(&mut self) -> RetryBudget {
        let ratio = RetryBudget::Ratio {
            ratio: self.share(),
            burst: self.count(),
            floor_per_sec: self.count(),
            earn: self.one(&[Earn::Call, Earn::Success]),
            name: None,
        };
        self.one(&[ratio, RetryBudget::Throttle, RetryBudget::Quota, RetryBudget::Active, RetryBudget::DEFAULT])
    }

    fn policy(&mut self) -> Policy {
        Policy {
            safety: Safety::Read,
            timeout: self.maybe(Self::time).map_or(Timeout::None, Timeout::After),
            deadline: self.maybe(Self::time),
            retries: self.count(),
            retry: Retry {
                base: self.time(),
                cap: self.time(),
                factor: self.factor(),
                jitter: self.one(&[Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated]),
                retry_after_cap: self.maybe(Self::time),
                only_unsent: false,
                overloaded: self.one(&[true, false]),
            },
            retry_budget: self.maybe(Self::budget),
            breaker: self.maybe(Self::breaker),
            bulkhead: self.maybe(Self::bulkhead),
            rate_limit: self.maybe(|dice| RateLimit {
                permits: dice.count(),
                per: dice.time(),
                burst: dice.maybe(Self::count),
                max_wait: dice.time(),
                name: None,
                strict: dice.one(&[true, false]),
            }),
            hedge: self.maybe(|dice| Hedge {
                delay: if dice.one(&[true, false]) {
                    HedgeDelay::After(dice.time())
                } else {
                    HedgeDelay::Percentile(dice.one(&[0.01, 0.5, 0.999_999]))
                },
                min_samples: dice.one(&[1, 2, u32::MAX]),
            }),
            allow: Allowed::of(&[
                Rule::R07,
                Rule::R13,
                Rule::R15,
                Rule::R16,
                Rule::R17,
                Rule::R20,
                Rule::R21,
                Rule::R33,
                Rule::R34,
            ]),
            ..Policy::NEW
        }
    }

    /// One that the rules let pass.
    fn sound(&mut self) -> Policy {
        loop {
            let policy = self.policy();
            if first_fault(&policy).is_none() {
                return policy;
            }
        }
    }

    fn verdict(&mut self) -> Verdict {
        let wait = self.time();
        self.one(&[
            Verdict::TRANSIENT,
            Verdict::TIMEOUT,
            Verdict::THROTTLED.after(wait),
            Verdict::OVERLOADED.after(wait),
            Verdict::PERMANENT,
        ])
    }
}

/// A dependency that fails so often and answers then; it counts the runs.
struct Dep {
    runs: Cell<u32>,
    fails: u32,
    verdict: Verdict,
    hangs: bool,
}

impl Dep {
    fn new(dice: &mut Dice) -> Self {
        let hangs = dice.one(&[true, false, false]);
        Self { runs: Cell::new(0), fails: dice.one(&[0, 1, 50]), verdict: dice.verdict(), hangs }
    }

    fn answer(&self) -> Outcome {
        self.runs.set(self.runs.get() + 1);
        assert!(self.runs.get() <= MOST_RUNS, "the call does not end");
        if self.runs.get() <= self.fails { Err(Fault::Failed(self.verdict)) } else { Ok(()) }
    }
}

/// 50 failures, an answer, and a second copy of each.
const MOST_RUNS: u32 = 102;

fn leaked(policy: Policy) -> &'static Site {
    let policy: &'static Policy = Box::leak(Box::new(policy));
    Box::leak(Box::new(Site::named("extreme", policy)))
}

fn nobody_is_left(policy: &Policy) {
    let Some(operation) = operation("extreme") else { return };
    let now = operation.snapshot();
    assert_eq!(now.counts.in_flight, 0, "{policy:?}");
    assert!(now.bulkhead.is_none_or(|gate| gate.in_use + gate.waiting == 0), "{policy:?}");
    assert!(now.breaker.is_none_or(|breaker| breaker.probes_in_flight == 0), "{policy:?}");
    assert!(now.budget.is_none_or(|budget| budget.tokens.is_finite()), "{policy:?}");
}

#[test]
fn no_policy_that_the_rules_let_pass_panics_or_spins_whatever_its_numbers() {
    let runtime = paused();
    let _inside = runtime.enter();
    let mut dice = Dice(StdRng::seed_from_u64(1));
    let (mut answered, mut failed, mut left) = (0, 0, 0);
    for _ in 0..env("RESILIENT_POLICIES", 10_000) {
        let policy = dice.sound();
        isolated_blocking(|| {
            let site = leaked(policy);
            for _ in 0..4 {
                let dep = Dep::new(&mut dice);
                let body = async || {
                    if dep.hangs {
                        pending::<()>().await;
                    }
                    dep.answer()
                };
                let limit = dice.time();
                let class = dice.one(&[Criticality::CriticalPlus, Criticality::Critical, Criticality::Sheddable]);
                let mut calling = pin!(within(limit, with(class, call(site, body))));
                // Nothing but time makes it go on; where it is asked without need it waits and does nothing.
                let mut polls = 0;
                let over = loop {
                    match poll(&mut calling) {
                        Poll::Ready(outcome) => break Some(outcome),
                        Poll::Pending if polls == 250 => break None,
                        Poll::Pending => polls += 1,
                    }
                    advance(dice.time());
                };
                match over {
                    Some(Ok(())) => answered += 1,
                    Some(Err(_)) => failed += 1,
                    None => left += 1,
                }
            }
            nobody_is_left(&policy);
        });
        isolated_blocking(|| {
            let sync = Policy { hedge: None, ..policy };
            if first_fault(&sync).is_none() {
                let site = leaked(sync);
                for _ in 0..4 {
                    let dep = Dep::new(&mut dice);
                    match within_blocking(dice.time(), || call_blocking(site, || dep.answer())) {
                        Ok(()) => answered += 1,
                        Err(_) => failed += 1,
                    }
                    advance(dice.time());
                    nobody_is_left(&sync);
                }
            }
        });
    }
    assert!(answered > 1_000 && failed > 1_000 && left > 100, "{answered} answered, {failed} failed, {left} left");
}

#[test]
fn no_attempt_has_a_number_for_which_there_is_no_wait() {
    let mut dice = Dice(StdRng::seed_from_u64(2));
    for round in 0..20_000 {
        let retry = Retry {
            base: dice.time(),
            cap: dice.time(),
            factor: dice.factor(),
            jitter: dice.policy().retry.jitter,
            ..Retry::NEW
        };
        for n in [0, 1, 31, 32, 63, 64, 1_023, 1_024, u32::MAX - 1, u32::MAX] {
            for throttled in [false, true] {
                let (least, most) = retry.spread(n, dice.time(), throttled);
                assert!(least <= most || most == retry.cap, "{retry:?} before retry {n}: {least:?} to {most:?}");
                assert!(most <= retry.cap.max(retry.base), "{retry:?} before retry {n}: {most:?}");
            }
        }
        // Whose sum is found without counting to four billion.
        if round < 100 {
            assert!(retry.longest(u32::MAX) >= retry.longest(1), "{retry:?}");
        }
    }
}

#[test]
fn four_billion_retries_end_with_the_budget_or_with_the_time() {
    #[resilient(
        read,
        timeout = none,
        deadline_ms = 200,
        retries = 4_294_967_295,
        name = "time",
        retry(base_ms = 1, cap_ms = 1),
        retry_budget(1.0, burst = 4_294_967_295),
        allow(R07, R33)
    )]
    fn time(runs: &Cell<u32>) -> Outcome {
        runs.set(runs.get() + 1);
        advance(Duration::from_millis(1));
        Err(Fault::Failed(Verdict::TRANSIENT))
    }
    #[resilient(
        read, timeout = none, retries = 4_294_967_295, name = "budget", retry(base_ms = 1, cap_ms = 1), allow(R33, R34)
    )]
    async fn budget(runs: &Cell<u32>) -> Outcome {
        runs.set(runs.get() + 1);
        Err(Fault::Failed(Verdict::TRANSIENT))
    }
    let runtime = paused();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        let runs = Cell::new(0);
        assert!(time(&runs).is_err());
        assert!((80..200).contains(&runs.get()), "{runs:?}");
        let runs = Cell::new(0);
        let mut call = pin!(budget(&runs));
        while poll(&mut call).is_pending() {
            advance(Duration::from_millis(1));
        }
        // Ten tokens, and what the call itself has earned.
        assert_eq!(runs.get(), 11);
    });
}

// ===== clocks =====

macro_rules! every_guard {
    ($name:literal { $($more:tt)* } $($function:tt)+) => {
        #[resilient(
            name = $name,
            read,
            timeout_ms = 60,
            deadline_ms = 1_000,
            retries = 1,
            retry(base_ms = 1, cap_ms = 1),
            retry_budget(0.1, burst = 5, floor_per_sec = 1),
            breaker($name, window_ms = 10_000, min_calls = 5, consecutive = 5, open_ms = 1_000, open_jitter = 0.0, passes = 1, probes = 1),
            $($more)*
        )]
        $($function)+
    };
}

every_guard! {
    "jump" { bulkhead(4, max_wait_ms = 100), rate_limit("1_000/s", max_wait_ms = 10, strict), hedge = p95 }
    async fn jump(outcome: Outcome) -> Outcome {
        outcome
    }
}

every_guard! {
    "jump.sync" { blocking = cooperative, bulkhead(4, max_wait_ms = 100), rate_limit("1_000/s") }
    fn jump_sync(outcome: Outcome) -> Outcome {
        outcome
    }
}

type Guarded = fn(Outcome) -> Outcome;

const FAILS: Outcome = Err(Fault::Failed(Verdict::TRANSIENT));

/// Both kinds of function, each to its end within a few milliseconds.
fn both() -> [(&'static str, Guarded); 2] {
    let waiting = |outcome| {
        let mut call = pin!(jump(outcome));
        for _ in 0..50 {
            if let Poll::Ready(outcome) = poll(&mut call) {
                return outcome;
            }
            advance(Duration::from_millis(1));
        }
        panic!("the call waits for more than its milliseconds");
    };
    [("jump", waiting), ("jump.sync", jump_sync)]
}

fn now(name: &str) -> OperationSnapshot {
    operation(name).expect("it has been called").snapshot()
}

fn state(name: &str) -> BreakerState {
    now(name).breaker.unwrap().state
}

fn trip(name: &str, call: Guarded) {
    for _ in 0..20 {
        if state_or_closed(name) == BreakerState::Open {
            return;
        }
        let _ = call(FAILS);
    }
    panic!("it does not open: {:?}", now(name));
}

fn state_or_closed(name: &str) -> BreakerState {
    operation(name).map_or(BreakerState::Closed, |now| now.snapshot().breaker.unwrap().state)
}

const OPEN: Outcome = Err(Fault::Rejected(RejectedKind::Open));

#[test]
fn a_clock_that_jumps_ahead_makes_a_breaker_due_and_nothing_else_of_it() {
    let runtime = paused();
    let _inside = runtime.enter();
    for (name, call) in both() {
        isolated_blocking(|| {
            for jump in [YEAR, YEAR * 100, YEAR * 200] {
                trip(name, call);
                assert_eq!(call(Ok(())), OPEN);
                advance(Duration::from_millis(999));
                assert_eq!(call(Ok(())), OPEN, "{name}: a probe before its time");
                advance(jump);
                assert_eq!(call(Ok(())), Ok(()), "{name} {jump:?} later");
                assert_eq!(state(name), BreakerState::Closed);
                // The windows are empty, the rate and the permits are whole.
                for _ in 0..100 {
                    assert_eq!(call(Ok(())), Ok(()));
                }
            }
            let now = now(name);
            assert!(now.budget.unwrap().tokens <= 5.0);
            assert_eq!(now.counts.limited, 0);
        });
    }
}

/// At the end of time nothing moves any more, and nothing panics.
#[test]
fn a_clock_that_has_run_out_stands_still() {
    let runtime = paused();
    let _inside = runtime.enter();
    for (name, call) in both() {
        isolated_blocking(|| {
            let _ = call(Ok(()));
            advance(Duration::MAX);
            for outcome in [Ok(()), FAILS].into_iter().cycle().take(100) {
                // There is no later than now, so there is no time left.
                assert_eq!(call(outcome), Err(Fault::Rejected(RejectedKind::Expired)));
            }
            operation(name).unwrap().force(Forced::Open);
            operation(name).unwrap().automatic();
            advance(Duration::MAX);
            assert_eq!(now(name).counts.in_flight, 0);
        });
    }
}

/// tokio's clock cannot run backwards, but a thread may leave a runtime whose paused clock is ahead for one whose clock
/// is not: to the library the same.
#[test]
fn a_clock_that_goes_back_tries_nothing_early_and_stops_nobody_for_good() {
    for back in [Duration::from_secs(1), Duration::from_secs(3_600), YEAR] {
        for (name, call) in both() {
            let (ahead, behind) = (paused(), paused());
            ahead.block_on(tokio::time::advance(back));
            isolated_blocking(|| {
                {
                    let _clock = ahead.enter();
                    for _ in 0..100 {
                        assert_eq!(call(Ok(())), Ok(()));
                    }
                    // What the calls above have taken of the rate.
                    advance(Duration::from_secs(1));
                    trip(name, call);
                }
                let _clock = behind.enter();
                assert_eq!(call(Ok(())), OPEN, "{name}: tried early, {back:?} back");
                // Half the open time passes: nobody's probe is due, whichever clock one asks.
                advance(Duration::from_millis(500));
                assert_eq!(call(Ok(())), OPEN, "{name}: tried early, {back:?} back");
                // An operator who sees it does not have to wait for a year.
                operation(name).unwrap().reset();
                // The rate goes on from an empty bucket: no burst, and no wait for the time that is gone.
                let _ = call(Ok(()));
                advance(Duration::from_millis(10));
                assert_eq!(call(Ok(())), Ok(()), "{name}: nobody gets through, {back:?} back");
                advance(Duration::from_secs(30));
                for n in 0..100 {
                    assert_eq!(call(Ok(())), Ok(()), "{name}: call {n}, {back:?} back");
                }
                // Failures count on this clock, too.
                trip(name, call);
                advance(Duration::from_millis(1_001));
                assert_eq!(call(Ok(())), Ok(()));
                assert_eq!(state(name), BreakerState::Closed);
                assert_eq!(now(name).counts.in_flight, 0);
            });
        }
    }
}

// ===== keys =====

macro_rules! four_guards {
    ($name:literal, $state:literal, { $($more:tt)* } $($function:tt)+) => {
        #[resilient(
            name = $name,
            read,
            timeout_ms = 60,
            deadline_ms = 1_000,
            retries = 1,
            retry(base_ms = 1, cap_ms = 1),
            retry_budget(0.1, name = $state),
            breaker($state, window = 20),
            bulkhead(2, name = $state, max_wait_ms = 10),
            rate_limit("100/s", name = $state),
            $($more)*
        )]
        $($function)+
    };
}

four_guards! {
    "flood", "flood.{key}", { fallback(cached, max_entries = 100, key = (key)) }
    async fn flooded(key: u32) -> Outcome {
        let _ = key;
        Ok(())
    }
}

four_guards! {
    "flood.sync", "flood.sync.{key}", { blocking = cooperative }
    fn flooded_sync(key: u32) -> Outcome {
        let _ = key;
        Ok(())
    }
}

#[test]
fn a_million_keys_cost_bounded_memory_and_bounded_series() {
    let runtime = paused();
    let _inside = runtime.enter();
    // All of one length, so that one key's text is as long as another's.
    const FIRST: u32 = 100_000_000;
    const WARM_UP: u32 = 60_000;
    let keys = env("RESILIENT_KEYS", 30_000);
    let waiting: fn(u32) -> Outcome = |key| match poll(&mut pin!(flooded(key))) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("{key} waits"),
    };
    for (name, call) in [("flood", waiting), ("flood.sync", flooded_sync as fn(u32) -> Outcome)] {
        isolated_blocking(|| {
            let send = |keys: std::ops::Range<u32>| {
                for key in keys {
                    assert_eq!(call(FIRST + key), Ok(()), "{key}");
                    // A rate that was used is whole again after 10 ms, and is not forgotten before.
                    advance(Duration::from_millis(1));
                }
            };
            // Every state there can be, and the maps at their full size.
            send(0..WARM_UP);
            let info = measure(|| send(WARM_UP..WARM_UP + keys));
            assert!(info.bytes_current < 16 * 1_024, "{name}: {info:?}");
            let now = snapshot();
            assert_eq!(now.len(), 1, "series");
            assert_eq!(now[0].keyed.len(), 4);
            for guard in &now[0].keyed {
                assert_eq!((guard.states, guard.overflowed), (10_000, 0), "{name}: {guard:?}");
                assert_eq!(guard.evicted, u64::from(WARM_UP + keys) - 10_000, "{name}: {guard:?}");
            }
            assert!(format!("{now:?}").len() < 10_000);
        });
    }
}
