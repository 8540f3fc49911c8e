//! The happy path allocates nothing once it is warm, whatever guards it passes.
//!
//! The guards are the process's own, as in a service: `testing::isolated` would look each operation up instead. Only the
//! calling thread is counted, so that the tests may run side by side.
#![warn(clippy::all, clippy::pedantic)]

use allocation_counter::{AllocationInfo, measure};
use resilient::{Rejected, resilient};
use std::{
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};
use tokio::runtime::{Builder, Runtime};

#[derive(Debug, PartialEq, resilient::Classify)]
enum Error {
    #[transient]
    #[expect(dead_code, reason = "nothing fails here")]
    Blip,
    #[rejected]
    Rejected(Rejected),
}

type Result<T> = std::result::Result<T, Error>;

/// More calls than any window holds.
const WARM: u64 = 100;
/// A cost per so many calls would show.
const CALLS: u64 = 1_000;

async fn plan_b(_: u64, _: &str) -> Result<u64> {
    std::future::ready(Ok(0)).await
}

#[expect(clippy::unnecessary_wraps, reason = "a plan B returns what its function returns")]
fn plan_b_sync(_: u64, _: &str) -> Result<u64> {
    Ok(0)
}

#[resilient(
    read,
    timeout_ms = 1_000,
    deadline_ms = 10_000,
    retries = 2,
    retry_budget = 0.1,
    breaker = "allocation.ready",
    bulkhead = 8,
    fallback = plan_b
)]
async fn ready(n: u64, text: &str) -> Result<u64> {
    std::future::ready(Ok(n + text.len() as u64)).await
}

#[resilient(
    read,
    timeout_ms = 1_000,
    deadline_ms = 10_000,
    retries = 2,
    retry_budget = 0.1,
    breaker = "allocation.pending",
    bulkhead = 8,
    fallback = plan_b
)]
async fn pending_once(n: u64, text: &str) -> Result<u64> {
    let mut pending = true;
    std::future::poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if std::mem::take(&mut pending) { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    Ok(n + text.len() as u64)
}

#[resilient(
    read,
    timeout = none,
    deadline_ms = 10_000,
    retries = 2,
    retry_budget = 0.1,
    breaker = "allocation.sync",
    bulkhead = 8,
    fallback = plan_b_sync
)]
fn sync(n: u64, text: &str) -> Result<u64> {
    Ok(n + text.len() as u64)
}

#[resilient(timeout_ms = 1_000, blocking = cooperative)]
fn cooperative(n: u64) -> Result<u64> {
    Ok(n + u64::from(resilient::remaining().is_some()))
}

#[resilient(read, timeout = none, retry_budget = 0.1, breaker = "allocation.{n}", bulkhead(8, name = "allocation.{n}"))]
fn keyed(n: u64) -> Result<u64> {
    Ok(n)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// What [`CALLS`] calls allocate after [`WARM`] others.
fn allocated(mut call: impl FnMut(u64)) -> AllocationInfo {
    (0..WARM).for_each(&mut call);
    measure(|| (0..CALLS).for_each(&mut call))
}

/// Polls `future` to its end on this thread; the number of polls.
fn polled<F: Future>(future: F) -> (F::Output, u32) {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    let mut polls = 1;
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return (output, polls),
            Poll::Pending => polls += 1,
        }
    }
}

#[test]
fn a_call_that_is_ready_at_once_allocates_nothing() {
    let runtime = runtime();
    let _inside = runtime.enter();
    let info = allocated(|n| assert_eq!(polled(black_box(ready(n, "ab"))), (Ok(n + 2), 1)));
    assert_eq!(info.count_total, 0, "{info:?}");
}

#[test]
fn a_call_that_has_to_wait_allocates_nothing() {
    let runtime = runtime();
    let _inside = runtime.enter();
    let info = allocated(|n| assert_eq!(polled(black_box(pending_once(n, "ab"))), (Ok(n + 2), 2)));
    assert_eq!(info.count_total, 0, "{info:?}");
}

#[test]
fn a_call_on_the_runtime_allocates_nothing() {
    let info = runtime().block_on(async {
        for n in 0..WARM {
            assert_eq!(pending_once(n, "ab").await, Ok(n + 2));
        }
        let mut infos = AllocationInfo::default();
        for n in 0..CALLS {
            let mut call = pin!(pending_once(n, "ab"));
            // `measure` takes a closure, so each poll is measured on its own.
            let outcome = std::future::poll_fn(|cx| {
                let mut polled = Poll::Pending;
                infos += measure(|| polled = call.as_mut().poll(cx));
                polled
            });
            assert_eq!(outcome.await, Ok(n + 2));
        }
        infos
    });
    assert_eq!(info.count_total, 0, "{info:?}");
}

#[test]
fn a_blocking_call_allocates_nothing() {
    let info = allocated(|n| {
        assert_eq!(black_box(sync(n, "ab")), Ok(n + 2));
        assert_eq!(black_box(cooperative(n)), Ok(n + 1));
    });
    assert_eq!(info.count_total, 0, "{info:?}");
}

/// However many guards it selects.
#[test]
fn a_key_costs_its_text_and_the_place_of_its_leases() {
    let info = allocated(|n| assert_eq!(black_box(keyed(n % 10)), Ok(n % 10)));
    assert_eq!(info.count_total, 2 * CALLS, "{info:?}");
}

/// Otherwise the tests above prove nothing.
#[test]
fn the_counter_counts() {
    let info = allocated(|n| drop(black_box(Box::new(n))));
    assert_eq!(info.count_total, CALLS);
}
