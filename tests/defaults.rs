//! `#[resilient::defaults(…)]`: what a group of functions inherits.

use resilient::{Failure, IdempotencyKey, OperationSnapshot, Rejected, RejectedKind, resilient, snapshot, testing};
use std::{cell::Cell, io, thread, time::Duration};

type Answer = Result<Option<Duration>, Failure<io::Error>>;

fn broken() -> Failure<io::Error> {
    Failure::Inner(io::Error::from(io::ErrorKind::ConnectionReset))
}

const BRIEF: Duration = Duration::from_millis(20);

struct Stock;

#[resilient::defaults(dependency = "stock", timeout_ms = 60, retry_budget = 0.1, breaker("stock", window = 50))]
impl Stock {
    #[resilient(read)]
    async fn view(&self) -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient(read, timeout = BRIEF, breaker = "stock.list")]
    async fn list(&self) -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient(write, idempotency_key = key, bulkhead = 2)]
    async fn reserve(&mut self, key: IdempotencyKey) -> Answer {
        assert_eq!(resilient::idempotency_key(), Some(key));
        if resilient::attempt() == Some(1) { Err(broken()) } else { Ok(None) }
    }

    #[resilient(retries = 0)]
    async fn once(&self) -> Answer {
        Err(broken())
    }

    /// Not annotated: not guarded.
    fn untouched(&self) -> Option<Duration> {
        resilient::remaining()
    }
}

#[resilient::defaults(timeout_ms = 100, dependency = "outer")]
mod nested {
    use super::{Answer, resilient};

    #[cfg_attr(all(), resilient(read))]
    pub async fn outer() -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient::defaults(timeout_ms = 30)]
    pub mod inner {
        use super::Answer;

        #[resilient::resilient]
        pub async fn plain() -> Answer {
            Ok(resilient::remaining())
        }
    }
}

fn operation(name: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|known| known.operation == name).unwrap_or_else(|| panic!("no operation `{name}`"))
}

fn ms(n: u64) -> Option<Duration> {
    Some(Duration::from_millis(n))
}

#[tokio::test(start_paused = true)]
async fn a_function_inherits_what_it_does_not_write() {
    testing::isolated(async {
        assert_eq!(Stock.view().await.unwrap(), ms(60));
        assert_eq!(Stock.list().await.unwrap(), ms(20));
        let (view, list) = (operation("stock.view"), operation("stock.list"));
        assert_eq!((view.dependency, list.dependency), ("stock", "stock"));
        assert_eq!((view.breaker.unwrap().name, list.breaker.unwrap().name), ("stock", "stock.list"));
        assert!(view.budget.is_some());
        assert_eq!(Stock.untouched(), None);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_inherited_budget_repeats_a_write_with_a_key_and_not_what_says_never() {
    testing::isolated(async {
        Stock.reserve(IdempotencyKey::random()).await.unwrap();
        Stock.once().await.unwrap_err();
        assert_eq!(operation("stock.reserve").counts.attempts, 2);
        assert_eq!(operation("stock.once").counts.attempts, 1);
        assert!(operation("stock.once").budget.is_none());
        resilient::verify().expect("one breaker for all of them is no conflict");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn inner_defaults_win_over_outer_ones() {
    testing::isolated(async {
        assert_eq!(nested::outer().await.unwrap(), ms(100));
        assert_eq!(nested::inner::plain().await.unwrap(), ms(30));
        assert_eq!(operation("defaults::nested::inner::plain").dependency, "outer");
    })
    .await;
}

// ===== the newer keys =====

#[derive(Clone, Debug, PartialEq, resilient::Classify)]
enum Fault {
    #[transient]
    Broken,
    #[rejected]
    Rejected(Rejected),
}

type Counted = Result<u32, Fault>;

fn kind(outcome: &Counted) -> Option<RejectedKind> {
    match outcome {
        Err(Fault::Rejected(rejected)) => Some(rejected.kind()),
        _ => None,
    }
}

thread_local! {
    /// How often a body ran, in this thread, which is this test.
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// The number of the run.
fn run() -> u32 {
    RUNS.with(|runs| runs.replace(runs.get() + 1)) + 1
}

struct Shelf {
    shop: u32,
}

#[resilient::defaults(
    dependency = "shelf",
    timeout_ms = 60,
    hedge = 20ms,
    rate_limit("2/min", burst = 2),
    bulkhead(2, max_wait_ms = 30),
    coalesce(key = (self.shop)),
    blocking = cooperative
)]
impl Shelf {
    #[resilient(read, name = "shelf.view")]
    async fn view(&self) -> Counted {
        // The first copy hangs, and the second has the answer.
        match run() {
            1 => std::future::pending().await,
            run => Ok(run),
        }
    }

    /// Each of its own: a hedge that never starts, a rate that is never reached, a gate without a queue.
    #[resilient(
        name = "shelf.own",
        hedge(p95, min_samples = 50),
        rate_limit("1_000/s", name = "shelf.own"),
        bulkhead = 3,
        coalesce(key = (self.shop, n))
    )]
    async fn own(&self, n: u32) -> Counted {
        tokio::time::sleep(Duration::from_millis(40)).await;
        Ok(n)
    }

    /// A limit of its own takes the place of the inherited one; nothing is left of a wait.
    #[resilient(name = "shelf.wide", bulkhead = 1, coalesce(key = (n)))]
    async fn narrow(&self, n: u32) -> Counted {
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(n + self.shop)
    }
}

#[resilient::defaults(timeout_ms = 60, blocking = cooperative, bulkhead(1, max_wait_ms = 30), rate_limit = "1/h")]
mod mixed {
    use super::{Answer, Counted, Fault, resilient, run};
    use std::thread::{self, ThreadId};

    #[resilient(name = "mixed.sync")]
    pub fn sync() -> Answer {
        Ok(resilient::remaining())
    }

    /// How a sync function keeps its timeout is nothing to this one.
    #[resilient(name = "mixed.async")]
    pub async fn asynchronous() -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient(name = "mixed.unbounded", timeout = none, rate_limit("2/h", name = "mixed.unbounded"))]
    pub fn unbounded() -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient(name = "mixed.thread", blocking = thread, rate_limit("2/h", name = "mixed.thread"))]
    pub fn on_a_thread(by: u32) -> Result<(u32, ThreadId), Fault> {
        Ok((by, thread::current().id()))
    }

    #[resilient::defaults(retries = 2, retry(jitter = equal), rate_limit("9/h", burst = 9, name = "mixed.inner"))]
    pub mod inner {
        use super::{Counted, Fault, run};

        #[resilient::resilient(read, name = "mixed.again")]
        pub fn again() -> Counted {
            run();
            Err(Fault::Broken)
        }

        #[resilient::resilient(retries = 0, name = "mixed.once")]
        pub async fn once() -> Counted {
            run();
            Err(Fault::Broken)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_hedges_bounds_and_shares_as_its_functions_would() {
    testing::isolated(async {
        let shelf = Shelf { shop: 1 };
        // One run for both callers, of which a second copy has the answer.
        let (one, other) = tokio::join!(shelf.view(), shelf.view());
        assert_eq!((one.unwrap(), other.unwrap()), (2, 2));
        let counts = operation("shelf.view").counts;
        assert_eq!((counts.calls, counts.coalesced, counts.attempts, counts.hedges), (2, 1, 2, 1));
        // Both rate permits went, one to each copy.
        assert_eq!(kind(&shelf.view().await), Some(RejectedKind::Limited));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_a_function_writes_itself_takes_the_place_of_the_whole_inherited_key() {
    testing::isolated(async {
        let shelf = Shelf { shop: 1 };
        // Two at once, no copy beside them, and each is its own question.
        let (one, other, same) = tokio::join!(shelf.own(1), shelf.own(2), shelf.own(2));
        assert_eq!((one.unwrap(), other.unwrap(), same.unwrap()), (1, 2, 2));
        let own = operation("shelf.own");
        assert_eq!((own.counts.attempts, own.counts.hedges, own.counts.coalesced), (2, 0, 1));
        assert_eq!(own.bulkhead.unwrap().limit, 3);
        // No wait is left where the function wrote a limit alone.
        let (one, other) = tokio::join!(shelf.narrow(1), shelf.narrow(2));
        assert_eq!((one.unwrap(), kind(&other)), (2, Some(RejectedKind::Full { limit: 1 })));
        resilient::verify().expect("what differs has a name of its own");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_group_of_both_kinds_of_function_has_one_answer_to_how_it_keeps_its_time() {
    testing::isolated_blocking(|| {
        assert_eq!(mixed::sync().unwrap(), ms(60));
        assert_eq!(mixed::unbounded().unwrap(), None);
        let (by, there) = mixed::on_a_thread(1).unwrap();
        assert!(by == 1 && there != thread::current().id());
        // They have one rate, which the first used up.
        assert!(matches!(mixed::sync(), Err(Failure::Rejected(rejected)) if rejected.kind() == RejectedKind::Limited));
    });
    testing::isolated(async { assert_eq!(mixed::asynchronous().await.unwrap(), ms(60)) }).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_never_repeated_is_not_repeated_by_its_group() {
    testing::isolated(async { mixed::inner::once().await.unwrap_err() }).await;
    assert_eq!(run(), 2);
    testing::isolated_blocking(|| mixed::inner::again().unwrap_err());
    assert_eq!(run(), 6);
}
