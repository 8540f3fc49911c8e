//! Several threads at one gate, by the real clock, while an operator moves its limit.

use crate::{
    calls,
    crowd::{nobody_is_left, now, there_was_some_of_everything},
};
use resilient::{Rejected, operation, resilient};
use std::{
    panic::{catch_unwind, resume_unwind},
    sync::{
        Barrier,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

const PERMITS: u32 = 2;

#[derive(Debug, resilient::Classify)]
enum Fault {
    #[transient]
    Broken,
    #[rejected]
    Rejected(Rejected),
}

static INSIDE: AtomicU32 = AtomicU32::new(0);

#[resilient(
    name = "at.the.gate",
    read,
    timeout = none,
    deadline_ms = 10_000,
    retries = 1,
    retry(base_ms = 1, cap_ms = 1),
    retry_budget(active),
    breaker("at.the.gate", window_ms = 1_000, failure_rate = 0.9, scope = attempt),
    bulkhead(2, max_wait_ms = 5, max_queue = 2)
)]
fn call(n: u32) -> Result<(), Fault> {
    INSIDE.fetch_add(1, Ordering::Relaxed);
    // Gives way while it is inside, so that the others find the gate taken.
    thread::yield_now();
    INSIDE.fetch_sub(1, Ordering::Relaxed);
    match n % 50 {
        0 => resume_unwind(Box::new("scripted")),
        1 => Err(Fault::Broken),
        _ => Ok(()),
    }
}

#[test]
fn threads_that_wait_for_each_other_leave_nobody_waiting() {
    let start = Barrier::new(6);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                start.wait();
                for n in 0..calls() / 4 {
                    let _ = catch_unwind(|| call(n));
                    if n % 100 == 0 {
                        operation("at.the.gate").unwrap().limit(1 + n / 100 % 3);
                    }
                }
            });
        }
    });
    operation("at.the.gate").unwrap().limit(PERMITS);
    assert_eq!(INSIDE.load(Ordering::Relaxed), 0);
    nobody_is_left("at.the.gate");
    let now = now("at.the.gate");
    let budget = now.budget.unwrap();
    assert_eq!((budget.tokens, budget.burst), (3.0, 3));
    there_was_some_of_everything(&[
        ("succeeded", now.counts.succeeded),
        ("panicked", now.counts.panicked),
        ("queued", now.counts.queued),
    ]);
}
