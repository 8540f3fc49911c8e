//! Calls that share one answer: a leader may be dropped, cut or panic, and a follower may leave, at any poll.

use crate::{
    crowd::{Call, clock, come_and_go, finish, nobody_is_left, now, poll, there_was_some_of_everything},
    ms,
    plan::{Outcome, Plan, Weather, plan_b, up_to, weather},
};
use resilient::{
    resilient,
    testing::{advance, isolated_blocking},
    within,
};

const KEYS: u64 = 3;

#[resilient(
    name = "shared",
    read,
    timeout_ms = 60,
    deadline_ms = 300,
    retries = 1,
    retry(cap_ms = 25),
    breaker("shared", window = 20, min_calls = 10, failure_rate = 0.75, open_ms = 100),
    bulkhead(2, max_wait_ms = 40),
    hedge = 20ms,
    coalesce(key = (_key)),
    fallback = plan_b_of
)]
async fn shared(_key: u64, _plan_b: Plan) -> Outcome {
    let plan = Plan::random();
    plan.waits().await;
    plan.ends()
}

async fn plan_b_of(_: u64, plan: Plan) -> Outcome {
    plan_b(plan).await
}

fn start() -> Call {
    let call = shared(up_to(KEYS), Plan::random());
    // Some callers have less time than the call they follow.
    if up_to(4) == 0 { Box::pin(within(ms(1 + up_to(100)), call)) } else { Box::pin(call) }
}

#[test]
fn calls_that_share_an_answer_leave_no_flight_behind() {
    let runtime = clock();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        come_and_go(24, start, || {});
        nobody_is_left("shared");
        let is = now("shared").counts;
        there_was_some_of_everything(&[
            ("succeeded", is.succeeded),
            ("coalesced", is.coalesced),
            ("dropped", is.dropped),
            ("panicked", is.panicked),
            ("deadline", is.deadline),
            ("full", is.full),
            ("hedges", is.hedges),
        ]);
        // Whoever asks now asks for himself: there is nobody to follow.
        weather(Weather::Calm);
        for key in (0..KEYS).cycle().take(60) {
            advance(ms(150));
            finish(Box::pin(shared(key, Plan::random())));
        }
        let before = now("shared").counts;
        for key in 0..KEYS {
            let mut call: Call = Box::pin(shared(key, Plan::random()));
            assert!(poll(&mut call), "{key} waits for nobody's answer");
        }
        let after = now("shared").counts;
        assert_eq!(after.attempts - before.attempts, KEYS);
        assert_eq!(after.coalesced, before.coalesced);
    });
}
