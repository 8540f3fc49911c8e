//! Every guard at once, those that wait among them, while an operator changes the limit and takes the breaker in hand.

use crate::{
    calls,
    crowd::{
        Call, clock, come_and_go, draw, every_token_is_accounted_for, finish, nobody_is_left, now, poll,
        the_breaker_closes, there_was_some_of_everything,
    },
    ms,
    plan::{Outcome, Plan, Weather, plan_b, plan_b_sync, up_to, weather},
};
use resilient::{
    Criticality, Forced, OperationHandle, OperationSnapshot, operation, resilient,
    testing::{advance, isolated_blocking},
    with,
};
use std::{
    future::Future,
    panic::catch_unwind,
    pin::pin,
    task::{Context, Waker},
};

const PERMITS: u32 = 6;

macro_rules! guarded {
    ($name:literal { $($more:tt)* } $($function:tt)+) => {
        #[resilient(
            name = $name,
            read,
            timeout_ms = 60,
            deadline_ms = 300,
            retries = 2,
            retry(cap_ms = 25),
            breaker(
                $name, window_ms = 2_000, min_calls = 10, failure_rate = 0.75, slow_ms = 50, consecutive = 12,
                open_ms = 100, probes = 3, passes = 2, scope = attempt
            ),
            $($more)*
        )]
        $($function)+
    };
}

macro_rules! waiting {
    ($function:ident, $name:literal, $($budget:tt)+) => {
        guarded! {
            $name {
                retry_budget($($budget)+),
                bulkhead(6, max_wait_ms = 40, max_queue = 6, order = newest),
                rate_limit("150/s", burst = 10, max_wait_ms = 20),
                hedge = 20ms,
                fallback = plan_b,
            }
            async fn $function(_plan_b: Plan) -> Outcome {
                let plan = Plan::random();
                if plan.nested {
                    drop(Box::pin($function(plan)).await);
                }
                plan.waits().await;
                plan.ends()
            }
        }
    };
}

waiting!(by_ratio, "ratio", 0.1, burst = 1_000_000);
waiting!(by_share, "share", active);
waiting!(by_quota, "quota", quota);

guarded! {
    "sync" {
        blocking = cooperative,
        retry_budget(0.1, burst = 1_000_000),
        bulkhead(2, max_wait_ms = 40, max_queue = 6),
        rate_limit("20/s", burst = 5),
        fallback = plan_b_sync,
    }
    fn blocking(_plan_b: Plan) -> Outcome {
        let plan = Plan::random();
        plan.takes();
        if plan.nested {
            drop(blocking(plan));
        }
        plan.ends()
    }
}

fn any_class() -> Criticality {
    match up_to(8) {
        0 => Criticality::CriticalPlus,
        1 => Criticality::Sheddable,
        2 | 3 => Criticality::SheddablePlus,
        _ => Criticality::Critical,
    }
}

/// What an operator may do at any moment; most of the time, nothing.
fn meddle(with: &OperationHandle, permits: u32) {
    match up_to(2_000) {
        0..20 => drop(with.limit(1 + up_to(u64::from(permits) * 2) as u32)),
        20..40 => drop(with.limit(permits)),
        40..43 => drop(with.force(Forced::Open)),
        43..46 => drop(with.force(Forced::Closed)),
        46..49 => drop(with.force(Forced::Observe)),
        49 => drop(with.reset()),
        50..90 => drop(with.automatic()),
        _ => {}
    }
}

fn let_go(of: &OperationHandle, permits: u32) {
    of.automatic();
    of.limit(permits);
}

fn there_was_some(name: &str, before: &OperationSnapshot) {
    let (is, breaker) = (now(name).counts, now(name).breaker.unwrap());
    there_was_some_of_everything(&[
        ("succeeded", is.succeeded),
        ("failed", is.failed),
        ("open", is.open),
        ("limited", is.limited),
        ("panicked", is.panicked),
        ("slow", is.slow),
        ("fallback", is.fallback),
        ("retries", is.retries - before.counts.retries),
        ("opened", breaker.opened),
        ("queued", is.queued),
    ]);
}

/// The gate admits as many as it says, lets as many wait, and is empty again once they are gone.
fn the_gate_is_whole(name: &str, start: impl Fn() -> Call) {
    weather(Weather::Still);
    advance(ms(1_000));
    let mut crowd: Vec<_> = (0..PERMITS + 2).map(|_| start()).collect();
    assert!(crowd.iter_mut().all(|call| !poll(call)));
    let gate = now(name).bulkhead.unwrap();
    assert_eq!((gate.in_use, gate.limit, gate.waiting), (PERMITS, PERMITS, 2));
    drop(crowd);
    nobody_is_left(name);
    weather(Weather::Foul);
}

fn run<F: Future<Output = Outcome> + 'static>(
    name: &'static str,
    call: fn(Plan) -> F,
    tokens_before: impl FnOnce(&dyn Fn() -> bool) -> OperationSnapshot,
    tokens_after: impl FnOnce(&OperationSnapshot),
) {
    let runtime = clock();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        let start = || -> Call { Box::pin(with(any_class(), call(Plan::random()))) };
        let before = tokens_before(&|| finish(start()));
        let operator = operation(name).unwrap();
        come_and_go(16, start, || meddle(&operator, PERMITS));
        let_go(&operator, PERMITS);
        nobody_is_left(name);
        tokens_after(&before);
        there_was_some(name, &before);
        let is = now(name).counts;
        there_was_some_of_everything(&[
            ("dropped", is.dropped),
            ("full", is.full),
            ("timed out", is.timed_out),
            ("hedges", is.hedges),
            ("hedges that won", is.hedges_won),
        ]);
        the_breaker_closes(name, || finish(start()));
        the_gate_is_whole(name, || Box::pin(call(Plan::random())));
    });
}

#[test]
fn with_every_guard_and_an_operator_at_work_every_token_and_every_permit_is_there_in_the_end() {
    run("ratio", by_ratio, |call| draw("ratio", call), |before| every_token_is_accounted_for("ratio", before));
}

fn one_call(name: &str, call: &dyn Fn() -> bool) -> OperationSnapshot {
    call();
    now(name)
}

#[test]
fn a_budget_of_active_calls_is_back_to_its_floor() {
    run(
        "share",
        by_share,
        |call| one_call("share", call),
        |_| {
            let budget = now("share").budget.unwrap();
            // Nobody is in flight: no call that widens the share, no retry and no hedge that uses it.
            assert_eq!((budget.tokens, budget.burst), (3.0, 3));
        },
    );
}

#[test]
fn a_quota_never_holds_more_than_it_says_and_fills_again() {
    run(
        "quota",
        by_quota,
        |call| one_call("quota", call),
        |_| {
            weather(Weather::Calm);
            the_breaker_closes("quota", || finish(Box::pin(by_quota(Plan::random()))));
            weather(Weather::Calm);
            for _ in 0..600 {
                assert!(finish(Box::pin(by_quota(Plan::random()))));
            }
            weather(Weather::Foul);
            assert_eq!(now("quota").budget.unwrap().tokens, 500.0);
        },
    );
}

#[test]
fn sync_calls_that_wait_for_a_permit_leave_nothing_behind() {
    isolated_blocking(|| {
        let one = || {
            let call = async { catch_unwind(|| blocking(Plan::random())).is_ok() };
            let mut call = pin!(with(any_class(), call));
            call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        let call = || {
            advance(ms(200));
            one()
        };
        let before = draw("sync", call);
        let operator = operation("sync").unwrap();
        for _ in 0..calls() {
            meddle(&operator, 2);
            one();
            advance(ms(up_to(10)));
        }
        let_go(&operator, 2);
        nobody_is_left("sync");
        every_token_is_accounted_for("sync", &before);
        there_was_some("sync", &before);
        the_breaker_closes("sync", call);
    });
}
