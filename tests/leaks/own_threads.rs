//! `blocking = thread`: a caller walks away, and the body comes back when it likes.

use crate::{
    calls,
    crowd::{clock, now, there_was_some_of_everything},
    ms,
    plan::{Outcome, Plan, Run, Weather, up_to, weather},
};
use resilient::{
    Forced, operation, resilient,
    testing::{advance, isolated_blocking},
};
use std::{
    panic::catch_unwind,
    sync::{Arc, Condvar, Mutex},
    thread::yield_now,
};

const THREADS: u32 = 4;

/// What a body that hangs waits for.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<u64>, Condvar)>);

impl Gate {
    fn hang(&self) {
        let (rounds, opened) = &*self.0;
        let rounds = rounds.lock().unwrap();
        let now = *rounds;
        advance(ms(100));
        drop(opened.wait_while(rounds, |rounds| *rounds == now).unwrap());
    }

    fn open(&self) {
        let (rounds, opened) = &*self.0;
        *rounds.lock().unwrap() += 1;
        opened.notify_all();
    }
}

#[resilient(
    name = "own.threads",
    read,
    timeout_ms = 60,
    deadline_ms = 300,
    retries = 1,
    retry(cap_ms = 25),
    retry_budget(active),
    breaker("own.threads", window = 20, min_calls = 10, failure_rate = 0.9, open_ms = 100),
    bulkhead(4, max_wait_ms = 40),
    rate_limit("1_000/s"),
    blocking = thread,
    fallback = value(())
)]
fn call(gate: Gate, plan: Plan) -> Outcome {
    if matches!(plan.run, Run::Hangs) {
        gate.hang();
    }
    plan.ends()
}

/// The threads of the pool, by their name, of which Linux keeps 15 bytes.
fn threads() -> Option<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    Some(names.filter(|name| "resilient own.threads".starts_with(name.trim_end())).count() as u32)
}

#[test]
fn bodies_that_were_left_behind_give_back_their_permit_and_their_thread() {
    let runtime = clock();
    let _inside = runtime.enter();
    isolated_blocking(|| {
        let gate = Gate::default();
        // A thread is handed from one to the other twice per call.
        for _ in 0..calls() / 4 {
            let _ = catch_unwind(|| call(gate.clone(), Plan::random()));
            match up_to(20) {
                0..3 => gate.open(),
                3..8 => advance(ms(up_to(60))),
                8 if up_to(20) == 0 => {
                    let operator = operation("own.threads").unwrap();
                    operator.limit(1 + up_to(8) as u32);
                    operator.force(Forced::Open);
                    let _ = catch_unwind(|| call(gate.clone(), Plan::random()));
                    operator.automatic();
                    operator.limit(THREADS);
                }
                _ => {}
            }
        }
        while now("own.threads").bulkhead.unwrap().in_use > 0 {
            gate.open();
            yield_now();
        }
        let is = now("own.threads").counts;
        let little = u64::from(calls() / 1_000);
        there_was_some_of_everything(&[
            ("succeeded", is.succeeded),
            ("failed", is.failed),
            ("left behind", is.left_behind),
            ("timed out", is.timed_out),
            ("panicked", is.panicked),
        ]);
        assert!(is.full + is.open > little / 10, "{is:?}");
        // A body that panicked with nobody there was a call that had ended already.
        assert_eq!(is.in_flight, 0);
        let budget = now("own.threads").budget.unwrap();
        assert_eq!((budget.tokens, budget.burst), (3.0, 3));
        if let Some(threads) = threads() {
            // While the limit was 8 there may have been that many.
            assert!((1..=8).contains(&threads), "{threads} threads");
        }
        // All its permits are to be had, and nothing more.
        weather(Weather::Still);
        advance(ms(10_000));
        for _ in 0..THREADS {
            let _ = call(gate.clone(), Plan::random());
            operation("own.threads").unwrap().reset();
        }
        assert_eq!(now("own.threads").bulkhead.unwrap().in_use, THREADS);
        let full = now("own.threads").counts.full;
        let _ = call(gate.clone(), Plan::random());
        assert_eq!(now("own.threads").counts.full, full + 1);
        while now("own.threads").bulkhead.unwrap().in_use > 0 {
            gate.open();
            yield_now();
        }
    });
}
