//! A state of each guard per key: what a call took goes back to its own key's state, whoever has it meanwhile.

use crate::{
    crowd::{Call, clock, come_and_go, nobody_is_left, now, poll, there_was_some_of_everything},
    ms,
    plan::{Outcome, Plan, Weather, plan_b, up_to, weather},
};
use resilient::{
    resilient,
    testing::{advance, isolated_blocking},
};
use std::time::Duration;

const KEYS: u64 = 20;

#[resilient(
    name = "keyed",
    read,
    timeout_ms = 60,
    deadline_ms = 300,
    retries = 2,
    retry(cap_ms = 25),
    retry_budget(0.1, name = "keyed.{_key}"),
    breaker("keyed.{_key}", window = 10, failure_rate = 0.75, open_ms = 100, scope = attempt),
    bulkhead(2, name = "keyed.{_key}", max_wait_ms = 40),
    rate_limit("8/s", burst = 4, name = "keyed.{_key}", max_wait_ms = 20),
    hedge = 20ms,
    fallback = plan_b_of
)]
async fn keyed(_key: u64, _plan_b: Plan) -> Outcome {
    let plan = Plan::random();
    plan.waits().await;
    plan.ends()
}

async fn plan_b_of(_: u64, plan: Plan) -> Outcome {
    plan_b(plan).await
}

fn call(key: u64) -> Call {
    Box::pin(keyed(key, Plan::random()))
}

#[test]
fn every_keys_guards_are_whole_in_the_end() {
    let runtime = clock();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        let start = || call(up_to(KEYS));
        come_and_go(24, start, || {
            // Now and then all keys are forgotten, under the calls that hold their states.
            if up_to(20_000) == 0 {
                advance(Duration::from_secs(700));
            }
        });
        nobody_is_left("keyed");
        let is = now("keyed").counts;
        there_was_some_of_everything(&[
            ("succeeded", is.succeeded),
            ("dropped", is.dropped),
            ("panicked", is.panicked),
            ("full", is.full),
            ("limited", is.limited),
            ("queued", is.queued),
            ("open", is.open),
            ("retries", is.retries),
            ("hedges", is.hedges),
        ]);
        for key in 0..KEYS {
            its_gate_is_whole(key);
        }
        let keyed = now("keyed").keyed;
        assert_eq!(keyed.len(), 4);
        assert!(keyed.iter().all(|guard| guard.states == KEYS as usize && guard.overflowed == 0), "{keyed:?}");
    });
}

/// Two are in, two wait, and the fifth is refused; once they are gone, nobody is in.
fn its_gate_is_whole(key: u64) {
    weather(Weather::Calm);
    for _ in 0..20 {
        advance(ms(150));
        let _ = poll(&mut call(key));
    }
    weather(Weather::Still);
    let before = now("keyed").counts;
    let mut crowd: Vec<_> = (0..4).map(|_| call(key)).collect();
    assert!(crowd.iter_mut().all(|call| !poll(call)), "{key}: {:?}", now("keyed"));
    assert!(poll(&mut call(key)) || now("keyed").counts.full > before.full);
    let after = now("keyed").counts;
    assert_eq!((after.attempts - before.attempts, after.queued - before.queued, after.full - before.full), (2, 2, 1));
    drop(crowd);
    nobody_is_left("keyed");
}
