//! Nothing is lost: after a hundred thousand calls that ended in every way a call can end, each permit, each probe slot,
//! the gauge of calls inside and every token is where it has to be.
//!
//! All of it under a clock that only this test moves, and from one seed.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient::{
    BreakerState, Classify, OperationSnapshot, Rejected, Verdict, resilient, snapshot,
    testing::{advance, isolated_blocking},
};
use std::{
    cell::{Cell, RefCell},
    future::{Future, pending, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

const CALLS: u32 = 100_000;
const RATIO: f64 = 0.1;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[derive(Debug)]
enum Fault {
    Failed(Verdict),
    Rejected,
}

impl Classify for Fault {
    fn classify(&self) -> Verdict {
        match self {
            Self::Failed(verdict) => *verdict,
            Self::Rejected => Verdict::OVERLOADED,
        }
    }
}

impl From<Rejected> for Fault {
    fn from(_: Rejected) -> Self {
        Self::Rejected
    }
}

/// What one run of a body does.
#[derive(Clone, Copy, Debug)]
enum Run {
    Answers,
    Fails(Verdict),
    Hangs,
    Panics,
}

/// A call's plan: how many polls or milliseconds each run waits, and what it does then.
#[derive(Clone, Copy, Debug)]
struct Plan {
    waits: u64,
    run: Run,
    /// Whether the body makes a guarded call itself.
    nested: bool,
}

thread_local! {
    static RANDOM: RefCell<StdRng> = RefCell::new(StdRng::seed_from_u64(1));
    /// Every body is throttled, for as long as [`draw`] is at it.
    static DRAWING: Cell<bool> = const { Cell::new(false) };
    static FAIR: Cell<bool> = const { Cell::new(false) };
}

fn up_to(most: u64) -> u64 {
    RANDOM.with_borrow_mut(|random| random.random_range(0..most))
}

impl Plan {
    fn random() -> Self {
        if DRAWING.get() {
            return Self { waits: 0, run: Run::Fails(Verdict::THROTTLED), nested: false };
        }
        // Fair weather now and then, else the breaker would hardly ever close.
        if up_to(300) == 0 {
            FAIR.set(!FAIR.get());
        }
        if FAIR.get() && up_to(10) > 0 {
            return Self { waits: up_to(2), run: Run::Answers, nested: up_to(20) == 0 };
        }
        let run = match up_to(20) {
            0..8 => Run::Answers,
            8..13 => Run::Fails(Verdict::TRANSIENT),
            13 => Run::Fails(Verdict::TIMEOUT),
            14 => Run::Fails(Verdict::THROTTLED.after(ms(up_to(100)))),
            15 => Run::Fails(Verdict::THROTTLED.after(ms(100_000))),
            16 => Run::Fails(Verdict::PERMANENT),
            17 => Run::Hangs,
            18 => Run::Panics,
            _ => Run::Fails(Verdict::OVERLOADED),
        };
        Self { waits: up_to(4), run, nested: up_to(20) == 0 }
    }

    fn ends(self) -> Result<(), Fault> {
        match self.run {
            Run::Answers | Run::Hangs => Ok(()),
            Run::Fails(verdict) => Err(Fault::Failed(verdict)),
            Run::Panics => resume_unwind(Box::new("scripted")),
        }
    }
}

/// One policy with every guard. The budget is so large that what it earns never meets its brim once the test has drawn
/// from it, so that every token can be accounted for.
macro_rules! guarded {
    ({ $($more:tt)* } $($function:tt)+) => {
        #[resilient(
            read,
            timeout_ms = 60,
            deadline_ms = 300,
            retries = 2,
            // Without the cap a throttled call waits up to 1 s, which does not fit before the deadline.
            retry(cap_ms = 25),
            retry_budget(0.1, burst = 100_000),
            breaker("leaky", window = 20, min_calls = 10, failure_rate = 0.75, slow_ms = 50, open_ms = 100, probes = 3),
            bulkhead = 8,
            fallback = plan_b,
            $($more)*
        )]
        $($function)+
    };
}

mod waiting {
    use super::*;

    guarded! {
        {}
        pub async fn call(_plan_b: Plan) -> Result<(), Fault> {
            let plan = Plan::random();
            polls(plan.waits).await;
            if plan.nested {
                drop(Box::pin(call(plan)).await);
            }
            if matches!(plan.run, Run::Hangs) {
                pending::<()>().await;
            }
            plan.ends()
        }
    }

    async fn plan_b(plan_b: Plan) -> Result<(), Fault> {
        polls(plan_b.waits).await;
        plan_b.ends()
    }

    /// Pending so many times. Nothing wakes it: the test polls whom it likes.
    async fn polls(times: u64) {
        let left = Cell::new(times);
        poll_fn(|_| match left.get() {
            0 => Poll::Ready(()),
            n => {
                left.set(n - 1);
                Poll::Pending
            }
        })
        .await;
    }
}

mod blocking {
    use super::*;

    guarded! {
        { blocking = cooperative }
        pub fn call(_plan_b: Plan) -> Result<(), Fault> {
            let plan = Plan::random();
            advance(ms(plan.waits * 30));
            if plan.nested {
                drop(call(plan));
            }
            plan.ends()
        }
    }

    fn plan_b(plan_b: Plan) -> Result<(), Fault> {
        plan_b.ends()
    }
}

fn now() -> OperationSnapshot {
    snapshot().pop().expect("it has been called")
}

fn tokens() -> f64 {
    now().budget.unwrap().tokens
}

/// The bucket starts full, and what it earns while it is full is lost. This draws more than the test will earn, with
/// calls that are repeated and that the breaker does not count.
fn draw(call: impl Fn() -> bool) {
    let earned = f64::from(CALLS) * RATIO * 1.5;
    DRAWING.set(true);
    for _ in 0..CALLS {
        call();
        if tokens() <= 100_000.0 - earned {
            break;
        }
    }
    assert!(tokens() <= 100_000.0 - earned, "{:?}", now());
    DRAWING.set(false);
}

/// Every guard as it was before anybody came, and every token accounted for.
fn nothing_is_missing(before: &OperationSnapshot, call: impl Fn() -> bool) {
    let after = now();
    let (was, is) = (&before.counts, &after.counts);
    assert_eq!(is.in_flight, 0, "calls inside");
    assert_eq!(after.bulkhead.unwrap().in_use, 0, "permits");
    assert_eq!(after.breaker.unwrap().probes_in_flight, 0, "probe slots");
    let retries = is.retries - was.retries;
    let first_attempts = is.attempts - was.attempts - retries;
    let expected = before.budget.unwrap().tokens + RATIO * first_attempts as f64 - retries as f64;
    assert!((tokens() - expected).abs() < 1e-3, "{} tokens, expected {expected}", tokens());
    let ended = is.succeeded + is.failed + is.deadline + is.full + is.open + is.expired + is.dropped + is.panicked;
    assert_eq!(is.calls, ended, "{is:?}");
    // The test did what it says: there was some of everything.
    let some = [is.succeeded, is.failed, is.timeout, is.throttled, is.open, is.panicked, is.slow, is.fallback, retries];
    assert!(some.iter().all(|n| *n > 100), "{is:?}");
    assert!(after.breaker.unwrap().opened > 100, "{after:?}");

    // And the breaker can still be closed by as many probes as it says.
    for _ in 0..1_000 {
        if now().breaker.unwrap().state == BreakerState::Closed {
            break;
        }
        advance(ms(150));
        call();
    }
    assert_eq!(now().breaker.unwrap().state, BreakerState::Closed);
}

type Call = Pin<Box<dyn Future<Output = Result<(), Fault>>>>;

/// Polls it; whether it is over.
fn poll(call: &mut Call) -> bool {
    let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
    !matches!(polled, Ok(Poll::Pending))
}

#[test]
fn async_calls_that_end_anyhow_at_any_poll_leave_nothing_behind() {
    // For its paused clock and its timers; it never runs, and `advance` moves time past it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        let start = || -> Call { Box::pin(waiting::call(Plan::random())) };
        let finish = || {
            let mut call = start();
            (0..20).any(|_| {
                advance(ms(10));
                poll(&mut call)
            })
        };
        draw(finish);
        let before = now();
        let mut inside = Vec::new();
        let mut started = 0;
        while started < CALLS || !inside.is_empty() {
            let n = inside.len() as u64;
            match up_to(10) {
                0..4 if started < CALLS && n < 12 => {
                    started += 1;
                    let mut call = start();
                    if up_to(50) == 0 || !poll(&mut call) {
                        inside.push(call);
                    }
                }
                4 if n > 0 => drop(inside.swap_remove(up_to(n) as usize)),
                5 => advance(ms(up_to(30))),
                _ if n > 0 => {
                    let at = up_to(n) as usize;
                    if poll(&mut inside[at]) {
                        drop(inside.swap_remove(at));
                    }
                }
                _ => {}
            }
        }
        assert!(now().counts.dropped > 5_000 && now().counts.full > 100, "{:?}", now().counts);
        nothing_is_missing(&before, finish);
    });
}

#[test]
fn sync_calls_that_return_or_panic_leave_nothing_behind() {
    isolated_blocking(|| {
        let call = || catch_unwind(|| blocking::call(Plan::random())).is_ok();
        draw(call);
        let before = now();
        for _ in 0..CALLS {
            call();
            advance(ms(up_to(30)));
        }
        nothing_is_missing(&before, call);
    });
}
