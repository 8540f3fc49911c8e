//! The two functions of the design, as they stand there.

use resilient::{
    Classify, IdempotencyKey, Rejected, Stop, attempt, idempotency_key, last_stop, report, resilient, snapshot, testing,
};
use std::{
    cell::{Cell, RefCell},
    future::Future,
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

#[derive(Clone, Debug, PartialEq)]
struct Stock(u32);

#[derive(Debug, PartialEq)]
struct Reservation(String);

struct Cart(&'static str);

#[derive(Debug, Classify, PartialEq)]
enum StockError {
    #[permanent]
    NoSuchSku,
    #[transient]
    Broken,
    #[rejected]
    Guard(Rejected),
}

thread_local! {
    /// What the dependency answers next; the last answer stays.
    static ANSWERS: RefCell<Vec<Result<u32, ()>>> = const { RefCell::new(Vec::new()) };
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

fn dependency() -> Result<u32, StockError> {
    RUNS.set(RUNS.get() + 1);
    ANSWERS
        .with_borrow_mut(|answers| if answers.len() > 1 { answers.remove(0) } else { answers[0] })
        .map_err(|()| StockError::Broken)
}

fn answers(all: &[Result<u32, ()>]) {
    ANSWERS.set(all.to_vec());
    RUNS.set(0);
}

#[resilient(timeout_ms = 60, retry_budget = 0.1, breaker = "stock.view", bulkhead = 12, fallback = cached)]
async fn view_stock(sku: &str) -> Result<Stock, StockError> {
    if sku.is_empty() {
        return Err(StockError::NoSuchSku);
    }
    dependency().map(Stock)
}

#[resilient(write, idempotency_key = key, timeout_ms = 60, deadline_ms = 500, retries = 1, breaker = "stock.reserve")]
async fn reserve(key: IdempotencyKey, cart: &Cart) -> Result<Reservation, StockError> {
    assert_eq!(idempotency_key().as_ref(), Some(&key));
    dependency().map(|n| Reservation(format!("{} {n} in attempt {}", cart.0, attempt().unwrap())))
}

#[tokio::test(start_paused = true)]
async fn a_view_is_repeated_once_and_then_served_from_its_last_good_answer() {
    testing::isolated(async {
        answers(&[Ok(3), Err(()), Ok(4), Err(())]);
        assert_eq!(view_stock("apple").await, Ok(Stock(3)));
        assert_eq!(view_stock("apple").await, Ok(Stock(4)));
        assert_eq!(RUNS.get(), 3);
        tokio::time::advance(Duration::from_secs(1)).await;
        let (stale, degraded) = report(view_stock("apple")).await;
        assert_eq!(stale, Ok(Stock(4)));
        assert_eq!(degraded[0].operation, "stock.view");
        // A second, and the backoff of this call.
        assert_eq!(degraded[0].age.unwrap().as_secs(), 1);
        // Another question has no answer yet, and gets none made up; nor does one that the dependency refused.
        assert_eq!(view_stock("pear").await, Err(StockError::Broken));
        assert_eq!(last_stop(), Some(Stop::Exhausted));
        assert_eq!(view_stock("").await, Err(StockError::NoSuchSku));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_reservation_is_repeated_with_its_key() {
    testing::isolated(async {
        answers(&[Err(()), Ok(7)]);
        let made = reserve(IdempotencyKey::from_parts(["cart", "17"]), &Cart("17")).await;
        assert_eq!(made, Ok(Reservation("17 7 in attempt 2".into())));
        let operation = &snapshot()[0];
        assert_eq!((operation.operation, operation.dependency), ("stock.reserve", "stock"));
        assert_eq!((operation.counts.attempts, operation.counts.succeeded), (2, 1));
    })
    .await;
}

#[test]
fn outside_a_runtime_the_first_call_says_what_it_needs() {
    answers(&[Ok(1)]);
    let polled = std::panic::catch_unwind(|| {
        let _ = pin!(view_stock("apple")).poll(&mut Context::from_waker(Waker::noop()));
    });
    let said = *polled.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        said,
        "`stock.view` needs a tokio runtime for its timers; call it inside one, for example from `#[tokio::main]`"
    );
}

#[resilient(timeout = none, name = "stock.queue", bulkhead(1, max_wait_ms = 20))]
async fn queue() -> Result<Stock, StockError> {
    dependency().map(Stock)
}

/// It says so at the first call, and not at the first one that finds the bulkhead full.
#[test]
fn outside_a_runtime_a_call_that_may_queue_says_so_at_once() {
    answers(&[Ok(1)]);
    let polled = std::panic::catch_unwind(|| {
        let _ = pin!(queue()).poll(&mut Context::from_waker(Waker::noop()));
    });
    assert!(
        polled.is_err_and(|said| said.downcast::<String>().unwrap().starts_with("`stock.queue` needs a tokio runtime"))
    );
}

#[test]
fn operations_are_listed_before_their_first_call() {
    let listed: Vec<_> = snapshot().iter().map(|known| known.operation).collect();
    assert!(listed.contains(&"stock.view") && listed.contains(&"stock.reserve"), "{listed:?}");
    assert!(resilient::verify().unwrap().complete);
}

resilient::policies_agree!();
