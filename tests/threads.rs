//! `blocking = thread`: the body on a thread of its bulkhead, and a caller who does not wait for ever.
//!
//! Time is the test's own. A body that hangs lets more time go by than its caller has, and then waits to be let go, so that nothing here
//! depends on how fast a thread is.

use resilient::{
    Classify, Criticality, IdempotencyKey, OperationSnapshot, Rejected, RejectedKind, Stop, attempt, criticality,
    idempotency_key, last_stop, remaining, resilient, snapshot, testing, within_blocking,
};
use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Barrier, Condvar, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread::{self, yield_now},
    time::Duration,
};

#[derive(Clone, Debug, PartialEq, Classify)]
enum Fault {
    #[transient]
    Broken,
    #[rejected]
    Guard(Rejected),
}

impl Fault {
    fn kind(&self) -> Option<RejectedKind> {
        match self {
            Self::Guard(rejected) => Some(rejected.kind()),
            Self::Broken => None,
        }
    }
}

type Outcome = Result<u32, Fault>;

#[derive(Clone, Copy)]
enum Step {
    Answers,
    Fails,
    /// Answers after so many milliseconds.
    Takes(u64),
    /// Until it is let go.
    Hangs,
    Panics,
    HangsAndPanics,
}
use Step::*;

/// What the bodies call.
#[derive(Clone)]
struct Dep(Arc<Inner>);

struct Inner {
    script: Vec<Step>,
    runs: AtomicU32,
    let_go: Mutex<bool>,
    goes: Condvar,
}

impl Dep {
    fn new(script: &[Step]) -> Self {
        let script = script.to_vec();
        Self(Arc::new(Inner { script, runs: AtomicU32::new(0), let_go: Mutex::new(false), goes: Condvar::new() }))
    }

    /// The number of the run, if it answers.
    fn ask(&self) -> Outcome {
        let run = self.0.runs.fetch_add(1, Ordering::SeqCst);
        match self.0.script[(run as usize).min(self.0.script.len() - 1)] {
            Answers => {}
            Fails => return Err(Fault::Broken),
            Takes(millis) => testing::advance(ms(millis)),
            Hangs => self.hang(),
            Panics => quietly(),
            HangsAndPanics => {
                self.hang();
                quietly();
            }
        }
        Ok(run + 1)
    }

    fn hang(&self) {
        testing::advance(ms(100));
        let let_go = self.0.let_go.lock().unwrap();
        drop(self.0.goes.wait_while(let_go, |let_go| !*let_go).unwrap());
    }

    fn let_go(&self) {
        *self.0.let_go.lock().unwrap() = true;
        self.0.goes.notify_all();
    }

    fn runs(&self) -> u32 {
        self.0.runs.load(Ordering::SeqCst)
    }
}

fn quietly() {
    std::panic::resume_unwind(Box::new("quietly"));
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Guards and a clock of the test's own; the clock stands still until somebody moves it.
fn isolated(test: impl FnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let _clock = runtime.enter();
    testing::isolated_blocking(test);
}

fn now(operation: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|known| known.operation == operation).expect("it was called")
}

fn in_use(operation: &str) -> u32 {
    now(operation).bulkhead.unwrap().in_use
}

/// Waits until every body has ended.
fn at_rest(operation: &str) {
    while in_use(operation) > 0 {
        yield_now();
    }
    assert_eq!(now(operation).counts.in_flight, 0);
}

#[resilient(timeout_ms = 60, bulkhead = 1, blocking = thread, name = "once")]
fn once(dep: Dep) -> Outcome {
    dep.ask()
}

#[resilient(read, timeout_ms = 60, bulkhead = 1, retries = 1, blocking = thread, name = "again")]
fn again(dep: Dep) -> Outcome {
    dep.ask()
}

#[resilient(read, timeout_ms = 60, bulkhead = 2, retries = 1, blocking = thread, name = "again_wide")]
fn again_wide(dep: Dep) -> Outcome {
    dep.ask()
}

#[test]
fn an_answer_in_time_is_returned_and_everything_comes_back() {
    isolated(|| {
        for n in 1..=3 {
            assert_eq!(once(Dep::new(&[Takes(59)])), Ok(1));
            let counts = now("once").counts;
            assert_eq!((counts.succeeded, counts.left_behind, in_use("once")), (n, 0, 0));
        }
        assert_eq!(once(Dep::new(&[Fails])), Err(Fault::Broken));
    });
}

/// TO-12, without its queue.
#[test]
fn to_12_the_caller_walks_away_in_time_and_the_permit_stays_taken_until_the_body_ends() {
    isolated(|| {
        let stuck = Dep::new(&[Hangs]);
        let late = once(stuck.clone()).unwrap_err();
        assert_eq!(late.kind(), Some(RejectedKind::TimedOut { limit_ms: 60 }));
        assert_eq!((in_use("once"), now("once").counts.in_flight, now("once").counts.left_behind), (1, 0, 1));
        let other = Dep::new(&[Answers]);
        assert_eq!(once(other.clone()).unwrap_err().kind(), Some(RejectedKind::Full { limit: 1 }));
        assert_eq!(other.runs(), 0);
        stuck.let_go();
        at_rest("once");
        assert_eq!(once(other), Ok(1));
        // What the body brought in the end is nobody's.
        assert_eq!((stuck.runs(), now("once").counts.succeeded), (1, 1));
    });
}

#[test]
fn a_caller_with_less_time_walks_away_earlier() {
    isolated(|| {
        let stuck = Dep::new(&[Hangs]);
        let late = within_blocking(ms(20), || once(stuck.clone())).unwrap_err();
        assert_eq!(late.kind(), Some(RejectedKind::Deadline));
        stuck.let_go();
        at_rest("once");
    });
}

/// By the clock, however fast the threads are.
#[test]
fn a_body_that_ends_too_late_has_not_answered() {
    isolated(|| {
        for _ in 0..100 {
            assert!(once(Dep::new(&[Takes(60)])).is_err());
            at_rest("once");
        }
        let counts = now("once").counts;
        assert_eq!((counts.timed_out, counts.timeout, counts.left_behind), (100, 100, 100));
    });
}

#[test]
fn a_retry_has_the_permit_that_came_back() {
    isolated(|| {
        assert_eq!(again(Dep::new(&[Fails, Answers])), Ok(2));
        assert_eq!((now("again").counts.retries, in_use("again")), (1, 0));
    });
}

#[test]
fn a_retry_of_what_was_left_behind_needs_a_permit_of_its_own() {
    isolated(|| {
        let stuck = Dep::new(&[Hangs, Answers]);
        assert_eq!(again_wide(stuck.clone()), Ok(2));
        assert_eq!((in_use("again_wide"), now("again_wide").counts.left_behind), (1, 1));
        stuck.let_go();
        at_rest("again_wide");
    });
}

#[test]
fn without_one_the_call_ends_with_what_it_has_and_the_token_comes_back() {
    isolated(|| {
        let stuck = Dep::new(&[Hangs, Answers]);
        let late = again(stuck.clone()).unwrap_err();
        assert_eq!(late.kind(), Some(RejectedKind::TimedOut { limit_ms: 60 }));
        assert_eq!((last_stop(), stuck.runs()), (Some(Stop::Full), 1));
        let now = now("again");
        assert_eq!((now.counts.stopped(Stop::Full), now.counts.retries, now.counts.timeout), (1, 0, 1));
        assert_eq!(now.budget.unwrap().tokens, 10.0);
        stuck.let_go();
        at_rest("again");
    });
}

#[test]
fn a_panic_in_time_goes_on_in_the_caller_and_one_too_late_is_counted() {
    isolated(|| {
        let panic = catch_unwind(AssertUnwindSafe(|| once(Dep::new(&[Panics])))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"quietly"));
        assert_eq!((now("once").counts.panicked, in_use("once")), (1, 0));
        let stuck = Dep::new(&[HangsAndPanics]);
        assert!(once(stuck.clone()).is_err());
        stuck.let_go();
        at_rest("once");
        assert_eq!(now("once").counts.panicked, 2);
        assert_eq!(once(Dep::new(&[Answers])), Ok(1));
    });
}

#[test]
fn the_breaker_hears_of_what_was_left_behind_once() {
    #[resilient(timeout_ms = 60, bulkhead = 4, blocking = thread, breaker("left", window = 4, min_calls = 4))]
    fn left(dep: Dep) -> Outcome {
        dep.ask()
    }
    isolated(|| {
        let stuck = Dep::new(&[Hangs]);
        for _ in 0..3 {
            assert!(left(stuck.clone()).is_err());
        }
        stuck.let_go();
        at_rest("left");
        let breaker = now("left").breaker.unwrap();
        assert_eq!((breaker.calls, breaker.failures), (3, 3));
    });
}

#[test]
fn the_context_goes_along_to_the_thread() {
    #[resilient(write, idempotency_key = key, timeout_ms = 60, retries = 1, bulkhead = 1, blocking = thread)]
    fn tells(key: IdempotencyKey, caller: thread::ThreadId) -> Result<Option<u32>, Fault> {
        assert_ne!(thread::current().id(), caller);
        assert_eq!(idempotency_key(), Some(key));
        assert_eq!((remaining(), criticality()), (Some(ms(60)), Criticality::Critical));
        if attempt() == Some(1) { Err(Fault::Broken) } else { Ok(attempt()) }
    }
    isolated(|| {
        let key = IdempotencyKey::from_parts(["an", "action"]);
        assert_eq!(tells(key, thread::current().id()), Ok(Some(2)));
        assert_eq!((attempt(), remaining()), (None, None));
    });
}

/// The one retry layer is the one next to the failure, also across threads.
#[test]
fn what_an_inner_call_repeated_is_not_repeated_around_it() {
    #[resilient(read, timeout_ms = 600, bulkhead = 1, retries = 2, blocking = thread, name = "outer")]
    fn outer(dep: Dep) -> Outcome {
        again(dep)
    }
    isolated(|| {
        let dep = Dep::new(&[Fails]);
        assert_eq!(outer(dep.clone()), Err(Fault::Broken));
        assert_eq!((dep.runs(), last_stop()), (2, Some(Stop::InnerLayer)));
    });
}

#[test]
fn what_was_served_degraded_on_the_thread_is_in_the_callers_report() {
    #[resilient(timeout_ms = 60, blocking = cooperative, fallback = value(0), name = "degraded")]
    fn degraded(dep: Dep) -> Outcome {
        dep.ask()
    }
    #[resilient(timeout_ms = 60, bulkhead = 2, blocking = thread, name = "page")]
    fn page(dep: Dep) -> Outcome {
        let stock = degraded(Dep::new(&[Fails]));
        dep.ask().and(stock)
    }
    isolated(|| {
        let told = |dep: &Dep| {
            let future = resilient::report(async { page(dep.clone()) });
            let mut future = std::pin::pin!(future);
            match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
                std::task::Poll::Ready((outcome, told)) => (outcome.is_ok(), told.len()),
                std::task::Poll::Pending => panic!("it waits for nothing"),
            }
        };
        assert_eq!(told(&Dep::new(&[Answers])), (true, 1));
        let stuck = Dep::new(&[Hangs]);
        // Nobody was served what a body had in hand that was left behind.
        assert_eq!(told(&stuck), (false, 0));
        stuck.let_go();
        at_rest("page");
    });
}

#[test]
fn every_plan_b_answers_for_what_was_left_behind() {
    #[resilient(timeout_ms = 60, bulkhead = 1, blocking = thread, fallback = default, name = "by_default")]
    fn by_default(dep: Dep) -> Outcome {
        dep.ask()
    }
    fn plan(_: Dep, id: String) -> Outcome {
        Ok(id.len() as u32)
    }
    #[resilient(timeout_ms = 60, bulkhead = 1, blocking = thread, fallback = plan, name = "by_plan")]
    fn by_plan(dep: Dep, id: String) -> Outcome {
        let _ = id;
        dep.ask()
    }
    #[resilient(timeout_ms = 60, bulkhead = 2, blocking = thread, fallback(cached, key = (id)), name = "by_cache")]
    fn by_cache(dep: Dep, id: u32) -> Outcome {
        let _ = id;
        dep.ask()
    }
    isolated(|| {
        let stuck = Dep::new(&[Hangs]);
        assert_eq!(by_default(stuck.clone()), Ok(0));
        assert_eq!(by_plan(stuck.clone(), "four".into()), Ok(4));
        assert_eq!(by_cache(Dep::new(&[Answers]), 7), Ok(1));
        assert_eq!(by_cache(stuck.clone(), 7), Ok(1));
        stuck.let_go();
        ["by_default", "by_plan", "by_cache"].into_iter().for_each(at_rest);
    });
}

#[test]
fn methods_generics_and_functions_without_retries_move_what_they_own() {
    struct Shop(u32);
    impl Shop {
        #[resilient(timeout_ms = 60, bulkhead = 1, blocking = thread, name = "shop")]
        fn view<T: Into<u32> + Send + 'static>(
            self: Arc<Self>,
            id: T,
            more: impl Iterator<Item = u32> + Send + 'static,
        ) -> Outcome {
            Ok(self.0 + id.into() + more.sum::<u32>())
        }
    }
    isolated(|| {
        assert_eq!(Arc::new(Shop(1)).view(2u8, [3, 4].into_iter()), Ok(10));
        assert_eq!(Arc::new(Shop(1)).view(2u16, 3..5), Ok(10));
    });
}

/// On the clock of the wall: nobody moves time here.
#[test]
fn a_real_timeout_ends_a_real_wait() {
    #[resilient(timeout_ms = 5, bulkhead = 1, blocking = thread, name = "threads.real")]
    fn waits(gate: Arc<Barrier>) -> Outcome {
        gate.wait();
        Ok(1)
    }
    let gate = Arc::new(Barrier::new(2));
    assert_eq!(waits(gate.clone()).unwrap_err().kind(), Some(RejectedKind::TimedOut { limit_ms: 5 }));
    gate.wait();
    at_rest("threads.real");
}

/// Eight callers, three permits, some bodies left behind: never more bodies at once than permits, never more threads.
#[test]
fn a_crowd_never_has_more_bodies_or_threads_than_permits() {
    static INSIDE: AtomicU32 = AtomicU32::new(0);
    static THREADS: Mutex<Option<HashSet<thread::ThreadId>>> = Mutex::new(None);
    #[resilient(read, timeout_ms = 1, retries = 1, bulkhead = 3, blocking = thread, name = "threads.crowd")]
    fn crowd(n: u32) -> Outcome {
        assert!(INSIDE.fetch_add(1, Ordering::SeqCst) < 3);
        THREADS.lock().unwrap().get_or_insert_default().insert(thread::current().id());
        // Some are left behind: they wait until their time is over.
        while n % 16 == 0 && remaining().is_some_and(|left| !left.is_zero()) {
            yield_now();
        }
        INSIDE.fetch_sub(1, Ordering::SeqCst);
        Ok(n)
    }
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for n in 0..300 {
                    match crowd(n) {
                        Ok(answer) => assert_eq!(answer, n),
                        Err(fault) => assert!(fault.kind().is_some(), "{fault:?}"),
                    }
                }
            });
        }
    });
    at_rest("threads.crowd");
    let counts = now("threads.crowd").counts;
    assert_eq!((counts.calls, counts.panicked), (2_400, 0));
    assert_eq!(counts.calls, counts.succeeded + counts.failed + counts.full, "{counts:?}");
    assert!(counts.succeeded > 0);
    assert!(THREADS.lock().unwrap().as_ref().unwrap().len() <= 3);
}
