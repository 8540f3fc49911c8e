//! `coalesce`: calls that ask the same thing at the same time share one answer.

use resilient::{
    Classify, Counts, OperationSnapshot, Rejected, RejectedKind, Stop, last_stop, resilient, snapshot, testing, within,
};
use std::{
    future::{Future, pending},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Barrier,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Waker},
    thread::{self, yield_now},
    time::Duration,
};
use tokio::time::sleep;

#[derive(Clone, Debug, PartialEq, Classify)]
enum Fault {
    #[transient]
    Broken,
    #[permanent]
    Unknown,
    #[rejected]
    Guard(Rejected),
}

type Outcome = Result<u32, Fault>;

fn kind(outcome: &Outcome) -> Option<RejectedKind> {
    match outcome {
        Err(Fault::Guard(rejected)) => Some(rejected.kind()),
        _ => None,
    }
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// How often the body ran, and what it does: answers after 20 ms with the number of the run.
#[derive(Default)]
struct Dep {
    runs: AtomicU32,
}

impl Dep {
    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    async fn ask(&self) -> Outcome {
        let run = self.runs.fetch_add(1, Ordering::SeqCst) + 1;
        sleep(ms(20)).await;
        Ok(run)
    }
}

/// Guards of the test's own, and time that passes when there is nothing else to do.
fn isolated<F: Future<Output = ()>>(test: F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(testing::isolated(test));
}

fn now(operation: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|known| known.operation == operation).expect("it was called")
}

fn counts(operation: &str) -> Counts {
    now(operation).counts
}

type Started<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// A call that has started.
fn start<'a>(call: impl Future<Output = Outcome> + 'a) -> Started<'a> {
    let mut call: Started<'a> = Box::pin(call);
    assert!(peek(&mut call).is_none());
    call
}

fn peek(call: &mut Started<'_>) -> Option<Outcome> {
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

#[resilient(
    read,
    timeout_ms = 60,
    retries = 1,
    breaker("view", window = 4),
    bulkhead = 2,
    coalesce(key = (sku)),
    name = "view"
)]
async fn view(dep: &Dep, sku: &str) -> Outcome {
    match sku {
        "broken" => dep.ask().await.and(Err(Fault::Broken)),
        "unknown" => dep.ask().await.and(Err(Fault::Unknown)),
        "stuck" => dep.ask().await.and(pending().await),
        _ => dep.ask().await,
    }
}

/// CA-05.
#[test]
fn ca_05_two_that_ask_the_same_at_once_are_one_run_and_both_are_answered() {
    isolated(async {
        let dep = Dep::default();
        let (one, other) = tokio::join!(view(&dep, "a"), view(&dep, "a"));
        assert_eq!((one, other, dep.runs()), (Ok(1), Ok(1), 1));
        let now = now("view");
        assert_eq!((now.counts.calls, now.counts.succeeded, now.counts.coalesced), (2, 1, 1));
        assert_eq!((now.counts.attempts, now.counts.in_flight), (1, 0));
        // Answered is answered: the next one asks anew.
        assert_eq!(view(&dep, "a").await, Ok(2));
    });
}

#[test]
fn two_that_ask_something_else_are_two_runs() {
    isolated(async {
        let dep = Dep::default();
        let (one, other) = tokio::join!(view(&dep, "a"), view(&dep, "b"));
        assert_eq!((one, other, counts("view").coalesced), (Ok(1), Ok(2), 0));
    });
}

#[test]
fn followers_need_no_permit_and_no_token_and_are_no_sample() {
    isolated(async {
        let dep = Dep::default();
        let mut crowd: Vec<_> = (0..10).map(|_| start(view(&dep, "broken"))).collect();
        let before = now("view").bulkhead.unwrap().in_use;
        let mut outcomes = Vec::new();
        for call in &mut crowd {
            outcomes.push((call.await, last_stop()));
        }
        assert!(outcomes.iter().all(|outcome| *outcome == (Err(Fault::Broken), Some(Stop::Exhausted))), "{outcomes:?}");
        let now = now("view");
        assert_eq!((before, dep.runs(), now.breaker.unwrap().failures), (1, 2, 1));
        assert_eq!((now.counts.coalesced, now.counts.failed, now.counts.stopped(Stop::Exhausted)), (9, 1, 1));
    });
}

#[test]
fn a_leader_that_is_dropped_is_followed_by_who_came_first() {
    isolated(async {
        let dep = Dep::default();
        let leader = start(view(&dep, "a"));
        let (mut first, mut second) = (start(view(&dep, "a")), start(view(&dep, "a")));
        sleep(ms(10)).await;
        drop(leader);
        assert!(peek(&mut second).is_none());
        assert_eq!(dep.runs(), 1);
        assert!(peek(&mut first).is_none());
        assert_eq!((dep.runs(), now("view").bulkhead.unwrap().in_use), (2, 1));
        assert_eq!((first.await, second.await, dep.runs()), (Ok(2), Ok(2), 2));
        assert_eq!((counts("view").dropped, counts("view").coalesced, counts("view").succeeded), (1, 1, 1));
    });
}

/// Its attempt has its whole timeout, whenever it came in.
#[test]
fn who_takes_over_has_its_time_from_then_on() {
    isolated(async {
        let dep = Dep::default();
        let leader = start(view(&dep, "stuck"));
        let follower = start(view(&dep, "stuck"));
        sleep(ms(50)).await;
        drop(leader);
        let begun = tokio::time::Instant::now();
        assert_eq!(kind(&within(ms(65), follower).await), Some(RejectedKind::TimedOut { limit_ms: 60 }));
        // It came in without a limit: two whole attempts and a backoff.
        assert!(begun.elapsed() >= ms(120));
    });
}

#[test]
fn a_leader_that_panics_is_followed() {
    #[resilient(read, timeout_ms = 60, coalesce(key = (id)), name = "panics")]
    async fn panics(dep: &Dep, id: u32) -> Outcome {
        let _ = id;
        let run = dep.ask().await?;
        if run == 1 {
            std::panic::resume_unwind(Box::new("quietly"));
        }
        Ok(run)
    }
    isolated(async {
        let dep = Dep::default();
        let mut leader = start(panics(&dep, 1));
        let follower = start(panics(&dep, 1));
        sleep(ms(20)).await;
        assert!(catch_unwind(AssertUnwindSafe(|| peek(&mut leader))).is_err());
        assert_eq!((follower.await, counts("panics").panicked), (Ok(2), 1));
    });
}

#[test]
fn a_leader_whose_caller_has_no_more_time_is_followed() {
    isolated(async {
        let dep = Dep::default();
        let leader = async { within(ms(10), view(&dep, "a")).await };
        let (leader, follower) = tokio::join!(leader, view(&dep, "a"));
        assert_eq!((kind(&leader), follower), (Some(RejectedKind::Deadline), Ok(2)));
    });
}

#[test]
fn a_deadline_of_the_operation_is_an_answer_to_all() {
    #[resilient(read, timeout = none, deadline_ms = 10, coalesce(key = (id)), name = "late")]
    async fn late(dep: &Dep, id: u32) -> Outcome {
        let _ = id;
        dep.ask().await
    }
    isolated(async {
        let dep = Dep::default();
        let leader = start(late(&dep, 1));
        sleep(ms(5)).await;
        let begun = tokio::time::Instant::now();
        let (leader, follower) = tokio::join!(leader, late(&dep, 1));
        // It would have had five more milliseconds.
        assert!(begun.elapsed() < ms(8));
        assert_eq!((kind(&leader), kind(&follower)), (Some(RejectedKind::Deadline), Some(RejectedKind::Deadline)));
        assert_eq!((dep.runs(), counts("late").deadline), (1, 1));
    });
}

#[test]
fn a_follower_waits_no_longer_than_its_own_caller_and_takes_nobody_along() {
    isolated(async {
        let dep = Dep::default();
        let mut leader = start(view(&dep, "a"));
        let begun = tokio::time::Instant::now();
        assert_eq!(kind(&within(ms(5), async { view(&dep, "a").await }).await), Some(RejectedKind::Deadline));
        assert!(begun.elapsed() <= ms(7));
        drop(start(view(&dep, "a")));
        assert!(peek(&mut leader).is_none());
        assert_eq!((leader.await, dep.runs()), (Ok(1), 1));
        assert_eq!((counts("view").deadline, counts("view").dropped, counts("view").coalesced), (1, 1, 0));
    });
}

#[test]
fn who_comes_without_time_neither_leads_nor_follows() {
    isolated(async {
        let dep = Dep::default();
        assert_eq!(kind(&within(ms(0), view(&dep, "a")).await), Some(RejectedKind::Expired));
        let _leader = start(view(&dep, "a"));
        assert_eq!(kind(&within(ms(0), view(&dep, "a")).await), Some(RejectedKind::Expired));
        assert_eq!((dep.runs(), counts("view").expired), (1, 2));
    });
}

#[test]
fn a_rejection_is_an_answer_to_all() {
    #[resilient(read, timeout_ms = 60, bulkhead(1, name = "narrow"), coalesce, name = "narrow.view")]
    async fn narrow(sku: u32) -> Outcome {
        sleep(ms(20)).await;
        Ok(sku)
    }
    isolated(async {
        let (one, other) = tokio::join!(narrow(1), narrow(2));
        assert_eq!((one, kind(&other)), (Ok(1), Some(RejectedKind::Full { limit: 1 })));
    });
}

/// The answer of one is the plan B of none: each has its own.
#[test]
fn plan_b_answers_each_for_itself() {
    #[resilient(read, timeout_ms = 60, coalesce(key = (sku)), fallback(own, error), name = "planned")]
    async fn planned(dep: &Dep, sku: u32, who: u32) -> Outcome {
        let _ = (sku, who);
        dep.ask().await.and(Err(Fault::Broken))
    }
    async fn own(_: &Dep, _: u32, who: u32, error: &Fault) -> Outcome {
        assert_eq!(*error, Fault::Broken);
        Ok(who)
    }
    isolated(async {
        let dep = Dep::default();
        let (one, other) = tokio::join!(planned(&dep, 1, 10), planned(&dep, 1, 11));
        assert_eq!((one, other, dep.runs()), (Ok(10), Ok(11), 1));
        assert_eq!(counts("planned").fallback, 2);
    });
}

/// The dependency answered: no plan B for a follower either.
#[test]
fn an_answer_that_is_no_failure_is_none_for_followers() {
    #[resilient(read, timeout_ms = 60, coalesce(key = (id)), fallback = default, name = "unknown")]
    async fn unknown(dep: &Dep, id: u32) -> Outcome {
        let _ = id;
        dep.ask().await.and(Err(Fault::Unknown))
    }
    isolated(async {
        let dep = Dep::default();
        let (one, other) = tokio::join!(unknown(&dep, 1), unknown(&dep, 1));
        assert_eq!((one, other), (Err(Fault::Unknown), Err(Fault::Unknown)));
    });
}

/// The outer call does not repeat what the leader of its inner call repeated.
#[test]
fn what_the_leader_repeated_its_followers_have_repeated() {
    #[resilient(read, timeout_ms = 600, retries = 2, name = "outer")]
    async fn outer(dep: &Dep) -> Outcome {
        view(dep, "broken").await
    }
    isolated(async {
        let dep = Dep::default();
        let (one, other) = tokio::join!(outer(&dep), outer(&dep));
        assert_eq!((one, other, dep.runs()), (Err(Fault::Broken), Err(Fault::Broken), 2));
        assert_eq!(counts("outer").stopped(Stop::InnerLayer), 2);
    });
}

#[test]
fn a_kept_answer_and_a_shared_one_have_one_key() {
    struct Shop(u32, Dep);
    impl Shop {
        #[resilient(timeout_ms = 60, coalesce, fallback(cached, key = (self.0, sku)), name = "shop")]
        async fn view(&self, sku: String) -> Outcome {
            let run = self.1.ask().await?;
            if run > 2 { Err(Fault::Broken) } else { Ok(100 * self.0 + run + sku.len() as u32) }
        }
    }
    isolated(async {
        let (one, two) = (Shop(1, Dep::default()), Shop(2, Dep::default()));
        let sku = || "sku".to_owned();
        let (a, b, c) = tokio::join!(one.view(sku()), one.view(sku()), two.view(sku()));
        assert_eq!((a, b, c), (Ok(104), Ok(104), Ok(204)));
        assert_eq!(one.view(sku()).await, Ok(105));
        // From the third run on it fails, and both have the answer before.
        let (a, b) = tokio::join!(one.view(sku()), one.view(sku()));
        assert_eq!((a, b, one.1.runs()), (Ok(105), Ok(105), 3));
    });
}

#[test]
fn instantiations_of_a_generic_function_do_not_mix() {
    #[resilient(read, timeout_ms = 60, coalesce, name = "generic")]
    async fn generic<T: Clone + Send + Sync + 'static + From<u8>>(id: u32) -> Result<T, Fault> {
        sleep(ms(20)).await;
        let _ = id;
        Ok(T::from(7))
    }
    isolated(async {
        let (one, other) = tokio::join!(generic::<u32>(1), generic::<u64>(1));
        assert_eq!((one, other, counts("generic").attempts), (Ok(7), Ok(7), 2));
    });
}

#[test]
fn a_coalesced_future_can_be_sent() {
    fn sent(_: &impl Send) {}
    let dep = Dep::default();
    sent(&view(&dep, "a"));
}

/// Real threads: the leader answers when all of them have come in.
#[test]
fn threads_that_ask_the_same_at_once_share_a_run() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[resilient(read, timeout = none, coalesce, bulkhead = 1, name = "coalesce.threads")]
    fn ask(id: u32) -> Outcome {
        RUNS.fetch_add(1, Ordering::SeqCst);
        while counts("coalesce.threads").calls < 8 {
            yield_now();
        }
        Ok(id)
    }
    thread::scope(|scope| {
        let callers: Vec<_> = (0..8).map(|_| scope.spawn(|| ask(7))).collect();
        callers.into_iter().for_each(|caller| assert_eq!(caller.join().unwrap(), Ok(7)));
    });
    // One that was counted in time may have come to the flight too late; without a flight seven would find it full.
    let runs = RUNS.load(Ordering::SeqCst);
    assert_eq!(u64::from(runs) + counts("coalesce.threads").coalesced, 8);
}

/// A leader that is lost gives its permit back before it calls the next: with one permit, nobody finds it taken.
#[test]
fn who_takes_over_finds_the_permit_of_the_lost_leader() {
    #[resilient(read, timeout = none, coalesce(key = (round)), bulkhead = 1, name = "coalesce.lost")]
    fn ask(round: u32, lost: Arc<AtomicU32>) -> Outcome {
        while counts("coalesce.lost").calls < u64::from(3 * (round + 1)) {
            yield_now();
        }
        if lost.fetch_add(1, Ordering::SeqCst) < 2 {
            std::panic::resume_unwind(Box::new("quietly"));
        }
        Ok(round)
    }
    for round in 0..100 {
        let (lost, start) = (Arc::new(AtomicU32::new(0)), Barrier::new(3));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    start.wait();
                    let outcome = catch_unwind(AssertUnwindSafe(|| ask(round, lost.clone())));
                    assert!(outcome.is_err() || outcome.is_ok_and(|outcome| outcome == Ok(round)));
                });
            }
        });
        assert_eq!(counts("coalesce.lost").in_flight, 0);
    }
}
