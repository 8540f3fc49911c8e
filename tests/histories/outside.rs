//! Outside of a tokio runtime: whatever a function may wait for, its first call says so.

use crate::dep::Outcome;
use resilient::resilient;
use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::{Context, Waker},
};

/// What the panic of the first call says; none if it does not panic.
fn says(call: impl Future<Output = Outcome>) -> String {
    let mut call = pin!(call);
    let poll = || call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
    match catch_unwind(AssertUnwindSafe(poll)) {
        Ok(_) => "nothing".into(),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

#[test]
fn a_wait_for_a_permit_a_rate_permit_or_a_second_copy_needs_a_runtime() {
    #[resilient(timeout = none, bulkhead(1, max_wait_ms = 50), name = "outside.queue")]
    async fn queues() -> Outcome {
        Ok("")
    }
    #[resilient(timeout = none, rate_limit("10/s", max_wait_ms = 50), name = "outside.rate")]
    async fn paces() -> Outcome {
        Ok("")
    }
    #[resilient(timeout = none, hedge = 10ms, name = "outside.hedge")]
    async fn hedges() -> Outcome {
        Ok("")
    }
    #[resilient(timeout = none, bulkhead = 1, rate_limit = "10/s", name = "outside.none")]
    async fn waits_for_nothing() -> Outcome {
        Ok("")
    }
    for (said, name) in [(says(queues()), "queue"), (says(paces()), "rate"), (says(hedges()), "hedge")] {
        assert!(said.contains(&format!("`outside.{name}` needs a tokio runtime")), "{name}: {said}");
    }
    assert_eq!(says(waits_for_nothing()), "nothing");
}
