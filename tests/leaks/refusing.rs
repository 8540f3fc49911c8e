//! Guards that refuse and never wait: the smallest policy with all of them.

use crate::{
    calls,
    crowd::{
        Call, clock, come_and_go, draw, every_token_is_accounted_for, finish, nobody_is_left, now, the_breaker_closes,
        there_was_some_of_everything,
    },
    ms,
    plan::{Outcome, Plan, plan_b, plan_b_sync, up_to},
};
use resilient::{
    resilient,
    testing::{advance, isolated_blocking},
};
use std::panic::catch_unwind;

macro_rules! guarded {
    ({ $($more:tt)* } $($function:tt)+) => {
        #[resilient(
            read,
            timeout_ms = 60,
            deadline_ms = 300,
            retries = 2,
            // Without the cap a throttled call waits up to 1 s, which does not fit before the deadline.
            retry(cap_ms = 25),
            retry_budget(0.1, burst = 1_000_000),
            breaker("leaky", window = 20, min_calls = 10, failure_rate = 0.75, slow_ms = 50, open_ms = 100, probes = 3),
            bulkhead = 8,
            $($more)*
        )]
        $($function)+
    };
}

guarded! {
    { fallback = plan_b }
    async fn waiting(_plan_b: Plan) -> Outcome {
        let plan = Plan::random();
        if plan.nested {
            drop(Box::pin(waiting(plan)).await);
        }
        plan.waits().await;
        plan.ends()
    }
}

guarded! {
    { blocking = cooperative, fallback = plan_b_sync }
    fn blocking(_plan_b: Plan) -> Outcome {
        let plan = Plan::random();
        plan.takes();
        if plan.nested {
            drop(blocking(plan));
        }
        plan.ends()
    }
}

fn nothing_is_missing(before: &resilient::OperationSnapshot, call: impl Fn() -> bool) {
    nobody_is_left("leaky");
    every_token_is_accounted_for("leaky", before);
    let (is, breaker) = (now("leaky").counts, now("leaky").breaker.unwrap());
    there_was_some_of_everything(&[
        ("succeeded", is.succeeded),
        ("failed", is.failed),
        ("timeout", is.timeout),
        ("throttled", is.throttled),
        ("open", is.open),
        ("panicked", is.panicked),
        ("slow", is.slow),
        ("fallback", is.fallback),
        ("retries", is.retries - before.counts.retries),
        ("opened", breaker.opened),
    ]);
    the_breaker_closes("leaky", call);
}

#[test]
fn async_calls_that_end_anyhow_at_any_poll_leave_nothing_behind() {
    let runtime = clock();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        let start = || -> Call { Box::pin(waiting(Plan::random())) };
        let before = draw("leaky", || finish(start()));
        come_and_go(12, start, || {});
        let is = now("leaky").counts;
        there_was_some_of_everything(&[("dropped", is.dropped), ("full", is.full)]);
        nothing_is_missing(&before, || finish(start()));
    });
}

#[test]
fn sync_calls_that_return_or_panic_leave_nothing_behind() {
    isolated_blocking(|| {
        let call = || catch_unwind(|| blocking(Plan::random())).is_ok();
        let before = draw("leaky", call);
        for _ in 0..calls() {
            call();
            advance(ms(up_to(30)));
        }
        nothing_is_missing(&before, call);
    });
}
