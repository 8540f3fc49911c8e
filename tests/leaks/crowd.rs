//! Calls that are started, polled and dropped in a random order, and what is to be there when all of them are gone.

use crate::{
    calls, ms,
    plan::{Outcome, Weather, up_to, weather},
};
use resilient::{BreakerState, Counts, OperationSnapshot, operation, testing::advance};
use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
};

pub type Call = Pin<Box<dyn Future<Output = Outcome>>>;

/// Polls it; whether it is over.
pub fn poll(call: &mut Call) -> bool {
    let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
    !matches!(polled, Ok(Poll::Pending))
}

/// A runtime for its paused clock and its timers; it never runs, and `advance` moves time past it.
pub fn clock() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// As many calls as [`calls`] says, up to `most` at a time; each is dropped or over in the end.
pub fn come_and_go(most: u64, start: impl Fn() -> Call, mut operator: impl FnMut()) {
    let (mut inside, mut started) = (Vec::new(), 0);
    while started < calls() || !inside.is_empty() {
        let n = inside.len() as u64;
        operator();
        match up_to(10) {
            0..4 if started < calls() && n < most => {
                started += 1;
                let mut call = start();
                // Some are dropped before they are polled at all.
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
}

/// One call to its end.
pub fn finish(mut call: Call) -> bool {
    (0..20).any(|_| {
        advance(ms(10));
        poll(&mut call)
    })
}

pub fn now(name: &str) -> OperationSnapshot {
    operation(name).expect("it has been called").snapshot()
}

/// What a call's first attempt earns in the policies here, and what their budgets hold: so much that what is earned
/// never meets the brim once the test has [drawn](draw) from it, and every token can be accounted for.
const RATIO: f64 = 0.1;
const BURST: f64 = 1_000_000.0;

fn tokens(name: &str) -> f64 {
    now(name).budget.unwrap().tokens
}

/// A bucket starts full, and what it earns while it is full is lost. This draws more than the test will earn, with
/// calls that are repeated and that the breaker does not count.
pub fn draw(name: &str, call: impl Fn() -> bool) -> OperationSnapshot {
    let left = BURST - f64::from(calls()) * RATIO * 1.5;
    weather(Weather::Throttled);
    call();
    for _ in 0..calls() {
        if tokens(name) <= left {
            break;
        }
        call();
    }
    assert!(tokens(name) <= left, "{:?}", now(name));
    weather(Weather::Foul);
    now(name)
}

/// Every gauge as it was before anybody came, and every call accounted for.
pub fn nobody_is_left(name: &str) {
    let now = now(name);
    let Counts { in_flight, .. } = now.counts;
    assert_eq!(in_flight, 0, "calls inside");
    if let Some(bulkhead) = now.bulkhead {
        assert_eq!((bulkhead.in_use, bulkhead.waiting), (0, 0), "permits in use, calls that wait for one");
    }
    if let Some(breaker) = now.breaker {
        assert_eq!(breaker.probes_in_flight, 0, "probe slots");
    }
    let is = &now.counts;
    let refused = is.deadline + is.full + is.open + is.limited + is.expired;
    let ended = is.succeeded + is.failed + is.coalesced + refused + is.dropped + is.panicked;
    assert_eq!(is.calls, ended, "{is:?}");
}

/// Every token is where it went: start + earned − sent.
pub fn every_token_is_accounted_for(name: &str, before: &OperationSnapshot) {
    let (was, is) = (&before.counts, now(name).counts);
    let sent = is.retries - was.retries + is.hedges - was.hedges;
    let first_attempts = is.attempts - was.attempts - sent;
    let expected = before.budget.unwrap().tokens + RATIO * first_attempts as f64 - sent as f64;
    assert!((tokens(name) - expected).abs() < 1e-3, "{} tokens, expected {expected}", tokens(name));
}

/// The breaker can still be closed, by as many probes as it says.
pub fn the_breaker_closes(name: &str, call: impl Fn() -> bool) {
    weather(Weather::Calm);
    for _ in 0..100 {
        if now(name).breaker.unwrap().state == BreakerState::Closed {
            break;
        }
        advance(ms(150));
        call();
    }
    assert_eq!(now(name).breaker.unwrap().state, BreakerState::Closed);
    weather(Weather::Foul);
}

/// The test did what it says: there was some of everything.
pub fn there_was_some_of_everything(counted: &[(&str, u64)]) {
    let little = u64::from(calls() / 2_000);
    assert!(counted.iter().all(|(_, n)| *n >= little), "{counted:?}");
}
