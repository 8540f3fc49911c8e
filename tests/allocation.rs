//! The happy path, once it is warm, allocates nothing, takes no lock and looks at the clock twice, whatever guards it
//! passes.
//!
//! The guards are the process's own, as in a service: `testing::isolated` would look each operation up instead. Only the
//! calling thread is counted, so that the tests may run side by side.
#![warn(clippy::all, clippy::pedantic)]

use allocation_counter::{AllocationInfo, measure};
use resilient::{
    Rejected, resilient,
    testing::{Cost, cost},
};
use std::{
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
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
    not_at_once().await;
    Ok(n + text.len() as u64)
}

/// Pending once.
async fn not_at_once() {
    let mut pending = true;
    std::future::poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if std::mem::take(&mut pending) { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
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

// ===== a row per guard, and one for all of them =====

/// The same policy over a body that is ready at once, one that is pending once, and one that blocks.
macro_rules! guarded {
    ($name:ident, async { $($only_async:tt)* } $($policy:tt)*) => {
        mod $name {
            use super::{Result, not_at_once, plan_b, plan_b_sync, polled};
            use resilient::resilient;

            #[resilient(read, timeout_ms = 1_000, fallback = plan_b, $($only_async)* $($policy)*)]
            async fn ready(n: u64, text: &str) -> Result<u64> {
                Ok(n + text.len() as u64)
            }

            #[resilient(read, timeout_ms = 1_000, fallback = plan_b, $($only_async)* $($policy)*)]
            async fn pending(n: u64, text: &str) -> Result<u64> {
                not_at_once().await;
                Ok(n + text.len() as u64)
            }

            #[resilient(read, timeout_ms = 1_000, blocking = cooperative, fallback = plan_b_sync, $($policy)*)]
            fn sync(n: u64, text: &str) -> Result<u64> {
                Ok(n + text.len() as u64)
            }

            pub const SHAPES: [(&str, super::Guarded); 3] = [
                (concat!(stringify!($name), ", ready at once"), |n| assert_eq!(polled(ready(n, "ab")), (Ok(n + 2), 1))),
                (concat!(stringify!($name), ", pending once"), |n| assert_eq!(polled(pending(n, "ab")), (Ok(n + 2), 2))),
                (concat!(stringify!($name), ", sync"), |n| assert_eq!(sync(n, "ab"), Ok(n + 2))),
            ];
        }
    };
}

type Guarded = fn(u64);

guarded!(timeout, async {});
guarded!(deadline, async {} deadline_ms = 10_000);
guarded!(budget_per_success, async {} deadline_ms = 10_000, retries = 2, retry_budget(0.1, earn = success, floor_per_sec = 5));
guarded!(budget_active, async {} deadline_ms = 10_000, retries = 2, retry_budget(active));
guarded!(budget_quota, async {} deadline_ms = 10_000, retries = 2, retry_budget(quota));
guarded!(budget_throttle, async {} deadline_ms = 10_000, retries = 2, retry_budget(throttle));
guarded!(time_window, async {} breaker("allocation.time", window_ms = 10_000, slow_ms = 500, consecutive = 5));
guarded!(attempt_scope, async {} deadline_ms = 10_000, retries = 1, breaker("allocation.scope", scope = attempt));
guarded!(waiting_bulkhead, async {} deadline_ms = 10_000, bulkhead(8, max_wait_ms = 100, max_queue = 16, order = newest, max_age_ms = 50));
guarded!(rate_limit, async {} rate_limit("4_000_000_000/s"));
guarded!(hedge_after, async { hedge = 20ms, });
guarded!(hedge_by_percentile, async { hedge = p95, });
/// Everything that costs no lock, twice: guards that one test leaves in another year are no good to the other.
macro_rules! guarded_by_everything {
    ($name:ident, $breaker:literal) => {
        guarded! {
            $name,
            async { hedge = p95, }
            deadline_ms = 10_000,
            retries = 2,
            retry_budget(0.1, burst = 50, floor_per_sec = 1),
            breaker($breaker, window_ms = 10_000, slow_ms = 500, consecutive = 5, scope = attempt),
            bulkhead(8, max_wait_ms = 100, max_queue = 16, order = newest),
            rate_limit("4_000_000_000/s", burst = 1_000_000)
        }
    };
}
guarded_by_everything!(everything, "all.everything");
guarded_by_everything!(idle, "idle.everything");
// What takes a lock, and says so: the log of a strict limit, the ages of a window of calls, an adaptive limit's measure.
guarded!(strict_rate_limit, async {} rate_limit("100_000/s", strict));
guarded!(window_of_ages, async {} breaker("allocation.aged", window_age_ms = 60_000));
guarded!(adaptive_bulkhead, async {} bulkhead(adaptive));

const FREE: [[(&str, Guarded); 3]; 13] = [
    timeout::SHAPES,
    deadline::SHAPES,
    budget_per_success::SHAPES,
    budget_active::SHAPES,
    budget_quota::SHAPES,
    budget_throttle::SHAPES,
    time_window::SHAPES,
    attempt_scope::SHAPES,
    waiting_bulkhead::SHAPES,
    rate_limit::SHAPES,
    hedge_after::SHAPES,
    hedge_by_percentile::SHAPES,
    everything::SHAPES,
];

const ONE_LOCK: [[(&str, Guarded); 3]; 3] =
    [strict_rate_limit::SHAPES, window_of_ages::SHAPES, adaptive_bulkhead::SHAPES];

/// A clock that stands still, so that no machine is too slow for a hedge's delay.
fn standing_still() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// What [`CALLS`] calls cost after [`WARM`] others.
fn costs(mut call: impl FnMut(u64)) -> (AllocationInfo, Cost) {
    let mut counted = Cost::default();
    let info = allocated(|n| counted = cost(|| call(n)));
    (info, counted)
}

#[test]
fn with_any_guard_and_with_all_of_them_a_call_allocates_nothing_and_takes_no_lock() {
    let runtime = standing_still();
    let _inside = runtime.enter();
    for (what, call) in FREE.into_iter().flatten() {
        let (info, counted) = costs(call);
        assert_eq!(info.count_total, 0, "{what}: {info:?}");
        assert_eq!(counted, Cost { clock: 2, locks: 0 }, "{what}");
    }
}

#[test]
fn guards_that_keep_a_log_take_one_lock_and_allocate_nothing() {
    let runtime = standing_still();
    let _inside = runtime.enter();
    for (what, call) in ONE_LOCK.into_iter().flatten() {
        let (info, counted) = costs(call);
        // The log of a strict limit grows to as many grants as its time holds, and no further.
        let growth = if what.starts_with("strict") { 12 } else { 0 };
        assert!(info.count_total <= growth, "{what}: {info:?}");
        assert_eq!(counted, Cost { clock: 2, locks: 1 }, "{what}");
    }
}

/// Ten buckets, a histogram's generation and a budget's floor are all out of date then: the next call pays for none.
#[test]
fn the_first_call_after_a_healthy_minute_costs_what_any_other_does() {
    let runtime = standing_still();
    for (what, call) in idle::SHAPES {
        for idle in [60, 3_600, 24 * 3_600 * 365] {
            runtime.block_on(async {
                (0..WARM).for_each(call);
                tokio::time::advance(Duration::from_secs(idle)).await;
                let mut counted = Cost::default();
                let info = measure(|| counted = cost(|| call(1)));
                assert_eq!(info.count_total, 0, "{what} after {idle} s: {info:?}");
                assert_eq!(counted, Cost { clock: 2, locks: 0 }, "{what} after {idle} s");
            });
        }
    }
}

/// Otherwise the tests above prove nothing.
#[test]
fn the_counters_count() {
    let info = allocated(|n| drop(black_box(Box::new(n))));
    assert_eq!(info.count_total, CALLS);
    let looked = cost(|| {
        black_box(resilient::within_blocking(Duration::from_secs(1), resilient::remaining));
    });
    assert!(looked.clock >= 2, "{looked:?}");
    let asked = cost(|| assert!(resilient::operation("nobody").is_none()));
    assert!(asked.locks >= 1, "{asked:?}");
}
