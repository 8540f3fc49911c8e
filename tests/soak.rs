//! A service that runs for long: its memory is flat.
//!
//! Several threads, each with a runtime of its own and many calls at once, by the real clock and with the process's own
//! guards. `RESILIENT_SOAK_CALLS=50000000 cargo test --release --test soak` is the long form; it watches the memory of
//! the process as well, where the system says what that is (Linux).
#![warn(clippy::all)]

use allocation_counter::measure;
use resilient::{Criticality, Failure, Rejected, operation, resilient, snapshot, with};
use std::{
    fmt,
    future::{Future, poll_fn},
    hint::black_box,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::pin,
    sync::{
        Barrier,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    task::yield_now,
};

const THREADS: u64 = 2;
/// Calls of a thread that are under way at once.
const LANES: u64 = 32;

/// Until every state, map and buffer there can be is there.
const WARM_UP: u64 = 200_000;

/// After that.
fn calls() -> u64 {
    std::env::var("RESILIENT_SOAK_CALLS").map_or(200_000, |calls| calls.parse().expect("a number of calls"))
}

#[derive(Clone, Debug, resilient::Classify)]
enum Fault {
    #[transient]
    Broken,
    #[permanent]
    Unknown,
    #[rejected]
    Guard(Rejected),
}

type Outcome = Result<u64, Fault>;

/// A body of this number answers at once.
const ANSWERS: u64 = 500 * 8;

/// Mostly an answer; rarely everything else.
async fn body(n: u64) -> Outcome {
    match n / 8 % 1_000 {
        0 => tokio::time::sleep(Duration::from_millis(50)).await,
        1..30 => yield_now().await,
        30..35 => return Err(Fault::Broken),
        35 => return Err(Fault::Unknown),
        36 => resume_unwind(Box::new("scripted")),
        _ => {}
    }
    Ok(n)
}

#[resilient(
    read,
    timeout_ms = 5,
    deadline_ms = 50,
    retries = 1,
    retry(base_ms = 1, cap_ms = 2),
    retry_budget(0.1, floor_per_sec = 10),
    breaker("soak.all", window_ms = 1_000, min_calls = 50, slow_ms = 4, open_ms = 1, scope = attempt),
    bulkhead(16, max_wait_ms = 2, order = newest),
    rate_limit("3_000_000/s", max_wait_ms = 1),
    hedge = p95,
    fallback = default
)]
async fn all(n: u64) -> Outcome {
    body(n).await
}

#[resilient(
    read,
    timeout_ms = 5,
    deadline_ms = 20,
    breaker("soak.by.{customer}", window = 20, open_ms = 1),
    bulkhead(2, name = "soak.by.{customer}"),
    retries = 1,
    retry(base_ms = 1, cap_ms = 1),
    retry_budget(0.1, name = "soak.by.{customer}"),
    rate_limit("1_000/s", name = "soak.by.{customer}"),
    name = "soak.keyed"
)]
async fn keyed(customer: Customer, n: u64) -> Outcome {
    black_box(customer);
    body(n).await
}

/// One of more customers than there are states, whose names are all of one length.
#[derive(Clone, Copy)]
struct Customer(u64);

impl fmt::Display for Customer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08}", self.0)
    }
}

#[resilient(
    timeout_ms = 5,
    breaker("soak.cached", window = 20, consecutive = 5, open_ms = 1),
    fallback(cached, max_entries = 100, key = (n / 8 % 500))
)]
async fn cached(n: u64) -> Outcome {
    body(n).await
}

#[resilient(read, timeout_ms = 5, bulkhead(adaptive), coalesce(key = (key)), name = "soak.coalesced")]
async fn coalesced(key: u64, n: u64) -> Outcome {
    if key == 0 {
        yield_now().await;
    }
    body(n).await
}

#[resilient(read, timeout = none, retries = 1, retry(base_ms = 1, cap_ms = 1), retry_budget(active), breaker = "soak.sync")]
fn sync(n: u64) -> Outcome {
    match n / 8 % 10_000 {
        30 => Err(Fault::Broken),
        _ => Ok(n),
    }
}

/// One of the calls, to its end or to where it is dropped.
async fn call(n: u64) {
    // Numbers in a row, in no order that a lane or a body could be in step with.
    let n = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    match n % 8 {
        0 => drop(keyed(Customer(n / 8 % 20_011), n).await),
        1 => drop(cached(n).await),
        2 => drop(coalesced(n / 8 % 3, n).await),
        3 => drop(sync(n)),
        4 => drop(with(Criticality::Sheddable, all(n)).await),
        // Dropped after its first poll, wherever it is then.
        5 => drop(pin!(all(n)).as_mut().poll(&mut Context::from_waker(Waker::noop()))),
        6 => drop(resilient::spawn(all(n)).await),
        _ => drop(all(n).await),
    }
}

static MADE: AtomicU64 = AtomicU64::new(0);

/// So many calls on this thread, from number `first` on.
fn work(runtime: &Runtime, first: u64, calls: u64) {
    runtime.block_on(async {
        let lanes: Vec<_> = (0..LANES).map(|lane| tokio::spawn(travel(first + lane, first + calls))).collect();
        for lane in lanes {
            lane.await.expect("a lane goes on whatever its calls do");
        }
    });
}

async fn travel(mut n: u64, end: u64) {
    while n < end {
        let mut call = pin!(call(n));
        // A panic of the call's ends here.
        poll_fn(|cx| catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))).unwrap_or(Poll::Ready(()))).await;
        MADE.fetch_add(1, Ordering::Relaxed);
        // Gives way, so that the others are under way meanwhile.
        if n % 7 == 0 {
            yield_now().await;
        }
        n += LANES;
    }
}

/// The life of one thread: the bytes that each of its rounds left behind, and the memory of the process at its end.
///
/// What one thread allocates another may free, so only the sum over all threads says something.
fn live(thread: u64, meet: &Barrier) -> (Vec<i64>, Vec<u64>) {
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let (warm_up, each) = (WARM_UP / THREADS, calls() / THREADS / ROUNDS);
    let first = thread * (warm_up + each * ROUNDS);
    work(&runtime, first, warm_up);
    // More customers than there is room for, until the maps have the size at which they clean up instead of growing.
    runtime.block_on(async {
        for n in 0..40_000 {
            let _ = keyed(Customer(n), ANSWERS).await;
        }
    });
    let (mut left, mut seen) = (Vec::with_capacity(ROUNDS as usize), Vec::with_capacity(ROUNDS as usize));
    for round in 0..ROUNDS {
        meet.wait();
        let info = measure(|| work(&runtime, first + warm_up + round * each, each));
        left.push(info.bytes_current);
        meet.wait();
        seen.extend(resident());
    }
    (left, seen)
}

/// Kilobytes of memory that the process has, where the system says so.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().trim_end_matches(" kB").parse().ok()
}

/// How often the memory is looked at.
const ROUNDS: u64 = 20;

/// What the rounds may leave, however many calls they make: what a map's and a list's room differ by as keys come and go.
const SLACK: i64 = 4 * 1024;

/// Rounds that do not count, at either end: on a full machine a map or a list of timers grows once more, and stays so. What
/// leaks leaks in every round.
const ODD: usize = 4;

#[test]
fn memory_is_flat_and_every_gauge_is_back() {
    let meet = Barrier::new(THREADS as usize);
    let lives: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn({
                    let meet = &meet;
                    move || live(thread, meet)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut rounds: Vec<i64> =
        (0..ROUNDS as usize).map(|round| lives.iter().map(|(left, _)| left[round]).sum()).collect();
    rounds.sort_unstable();
    let live: i64 = rounds[ODD..rounds.len() - ODD].iter().sum();
    let seen = &lives[0].1;
    assert!(live.abs() < SLACK, "{live} bytes more than after the warm-up: {rounds:?}");
    let (least, most) = (seen.iter().min().copied().unwrap_or(0), seen.iter().max().copied().unwrap_or(0));
    println!("{} calls; live bytes {live:+}; resident {least} to {most} kB", MADE.load(Ordering::Relaxed));
    assert!(most - least < 1_024, "resident memory in kB: {seen:?}");

    for operation in snapshot() {
        let (counts, name) = (&operation.counts, operation.operation);
        println!(
            "{name}: {} calls, {} succeeded, {} dropped, {} full, {} open, {} timed out, {} retries, {} hedges, {} coalesced, {} panicked",
            counts.calls,
            counts.succeeded,
            counts.dropped,
            counts.full,
            counts.open,
            counts.timed_out,
            counts.retries,
            counts.hedges,
            counts.coalesced,
            counts.panicked
        );
        assert_eq!(counts.in_flight, 0, "{name}");
        assert!(operation.bulkhead.is_none_or(|gate| gate.in_use + gate.waiting == 0), "{operation:?}");
        assert!(operation.breaker.is_none_or(|breaker| breaker.probes_in_flight == 0), "{operation:?}");
        assert!(operation.keyed.iter().all(|guard| guard.states <= 10_000), "{operation:?}");
    }
    assert!(operation("soak.keyed").unwrap().snapshot().keyed[0].evicted > 0);
}

/// Otherwise the test above proves nothing: eight bytes that one call in a hundred forgets are seen.
#[test]
fn a_leak_would_be_seen() {
    let leaks = |n: u64| {
        if n % 100 == 0 {
            std::mem::forget(black_box(Box::new(n)));
        }
        Ok::<_, Failure<std::io::Error>>(n)
    };
    let info = measure(|| (0..calls() / 2).for_each(|n| drop(leaks(n))));
    assert!(info.bytes_current > SLACK, "{info:?}");
}
