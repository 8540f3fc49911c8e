//! A guarded future is `Send` exactly when its body is.
#![warn(clippy::all, clippy::pedantic)]

use resilient::{Rejected, resilient};
use std::{
    cell::Cell,
    fmt::Display,
    marker::PhantomData,
    rc::Rc,
    sync::{Arc, Mutex},
};
use tokio::task::{LocalSet, yield_now};

#[derive(Clone, Debug, PartialEq, resilient::Classify)]
enum Error {
    #[transient]
    #[expect(dead_code, reason = "nothing fails here")]
    Blip,
    #[rejected]
    Rejected(Rejected),
}

type Result<T> = std::result::Result<T, Error>;

/// Refuses to compile for a future that is not `Send`.
fn send<F: Future + Send>(future: F) -> F {
    future
}

/// Whether a type is `Send`, found by what method calls prefer: the inherent one where its bound holds, the trait's
/// else. It only works where the type is known, which it is in these tests.
struct Probe<T>(PhantomData<T>);

impl<T: Send> Probe<T> {
    #[expect(clippy::unused_self, reason = "to be found by a method call")]
    fn is_send(&self) -> bool {
        true
    }
}

trait Otherwise {
    fn is_send(&self) -> bool {
        false
    }
}

impl<T> Otherwise for Probe<T> {}

fn probe<T>(_: &T) -> Probe<T> {
    Probe(PhantomData)
}

// ===== arguments =====

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn plain(n: u64, text: &str) -> Result<u64> {
    yield_now().await;
    Ok(n + text.len() as u64)
}

async fn plan_b(n: u64, _: Arc<str>) -> Result<u64> {
    yield_now().await;
    Ok(n)
}

#[resilient(
    read,
    timeout_ms = 50,
    deadline_ms = 500,
    retries = 2,
    retry_budget = 0.1,
    breaker = "send.every",
    bulkhead = 8,
    fallback = plan_b
)]
async fn every_guard(n: u64, text: Arc<str>) -> Result<u64> {
    yield_now().await;
    Ok(n + text.len() as u64)
}

#[resilient(timeout_ms = 50, fallback = cached)]
async fn cached(n: u64, text: &str) -> Result<u64> {
    yield_now().await;
    Ok(n + text.len() as u64)
}

/// A `Cell` is `Send` and not `Sync`: a copy of it must move into the attempt, not a borrow.
#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn cell(cell: Cell<u64>) -> Result<u64> {
    yield_now().await;
    Ok(cell.get())
}

#[resilient(timeout_ms = 50)]
async fn cell_once(cell: Cell<u64>) -> Result<u64> {
    yield_now().await;
    Ok(cell.get())
}

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn generic<T: Display + Clone + Send>(shown: T) -> Result<String> {
    yield_now().await;
    Ok(shown.to_string())
}

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn any<T: Display + Clone>(shown: T) -> Result<String> {
    yield_now().await;
    Ok(shown.to_string())
}

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn mutable(#[share] list: &mut Vec<u64>) -> Result<usize> {
    list.push(1);
    yield_now().await;
    Ok(list.len())
}

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn callback(#[share] f: impl Fn(u64) -> u64 + Sync) -> Result<u64> {
    yield_now().await;
    Ok(f(1))
}

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn counted(count: Rc<u64>) -> Result<u64> {
    yield_now().await;
    Ok(*count)
}

#[resilient(timeout_ms = 50)]
async fn local() -> Result<u64> {
    let count = Rc::new(1);
    yield_now().await;
    Ok(*count)
}

#[resilient(timeout_ms = 50)]
async fn local_before_the_first_wait() -> Result<u64> {
    let count = *Rc::new(1);
    yield_now().await;
    Ok(count)
}

// ===== methods =====

#[derive(Debug, Default)]
struct Stock {
    items: Mutex<Vec<u64>>,
    seen: u64,
}

impl Stock {
    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    async fn by_reference(&self, n: u64) -> Result<u64> {
        yield_now().await;
        self.items.lock().unwrap().push(n);
        Ok(n)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    async fn by_mut_reference(&mut self, n: u64) -> Result<u64> {
        self.seen += n;
        yield_now().await;
        Ok(self.seen)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    async fn by_arc(self: Arc<Self>, n: u64) -> Result<u64> {
        yield_now().await;
        Ok(self.seen + n)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    #[expect(clippy::manual_async_fn, reason = "a body that is one block is still reported")]
    fn by_hand(&self, n: u64) -> impl Future<Output = Result<u64>> {
        async move {
            yield_now().await;
            Ok(self.seen + n)
        }
    }
}

impl Stock {
    /// A copy of the `Cell` is to move into the attempt beside the borrowed `self`.
    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    async fn by_mut_reference_with_cell(&mut self, cell: Cell<u64>) -> Result<u64> {
        self.seen += cell.get();
        yield_now().await;
        Ok(self.seen)
    }
}

#[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
async fn shared_with_cell(#[share] text: String, cell: Cell<u64>) -> Result<u64> {
    yield_now().await;
    Ok(cell.get() + text.len() as u64)
}

struct Wrapper<T>(T);

impl<T: Display + Sync> Wrapper<T> {
    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    async fn shown(&self) -> Result<String> {
        yield_now().await;
        Ok(self.0.to_string())
    }
}

/// Not `Sync`, so that a borrow of it is not `Send`.
struct Local(Cell<u64>);

impl Local {
    #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
    async fn seen(&self) -> Result<u64> {
        yield_now().await;
        Ok(self.0.get())
    }

    #[resilient(timeout_ms = 50)]
    async fn seen_exclusively(&mut self, more: Cell<u64>) -> Result<u64> {
        yield_now().await;
        Ok(self.0.get() + more.get())
    }
}

// ===== hedged: two copies of the body in one future =====

#[resilient(timeout_ms = 50, hedge = 20ms)]
async fn hedged(n: u64, text: &str) -> Result<u64> {
    yield_now().await;
    Ok(n + text.len() as u64)
}

#[resilient(
    timeout_ms = 50,
    deadline_ms = 500,
    retries = 2,
    breaker = "send.hedged",
    bulkhead = 8,
    rate_limit = "1_000/s",
    hedge = 20ms,
    coalesce,
    fallback = plan_b
)]
async fn hedged_with_every_guard(n: u64, text: Arc<str>) -> Result<u64> {
    yield_now().await;
    Ok(n + text.len() as u64)
}

#[resilient(timeout_ms = 50, hedge = 20ms)]
async fn hedged_any<T: Display + Clone>(shown: T) -> Result<String> {
    yield_now().await;
    Ok(shown.to_string())
}

#[resilient(timeout_ms = 50, hedge = 20ms)]
async fn hedged_local() -> Result<u64> {
    let count = Rc::new(1);
    yield_now().await;
    Ok(*count)
}

#[resilient(timeout_ms = 50, hedge = 20ms)]
fn hedged_by_hand(n: u64, text: String) -> impl Future<Output = Result<u64>> {
    let doubled = n * 2;
    async move {
        yield_now().await;
        Ok(doubled + text.len() as u64)
    }
}

impl Stock {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn hedged(&self, n: u64) -> Result<u64> {
        yield_now().await;
        Ok(self.seen + n)
    }
}

impl Local {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn hedged(&self) -> Result<u64> {
        yield_now().await;
        Ok(self.0.get())
    }
}

// ===== the tests =====

#[tokio::test]
async fn a_guarded_future_can_be_spawned() {
    let text: Arc<str> = "abc".into();
    let tasks = [
        tokio::spawn(plain(1, "abc")),
        tokio::spawn(every_guard(1, text.clone())),
        tokio::spawn(cached(1, "abc")),
        tokio::spawn(cell(Cell::new(4))),
        tokio::spawn(cell_once(Cell::new(4))),
        tokio::spawn(callback(|n| n + 3)),
    ];
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(4));
    }
    assert_eq!(tokio::spawn(generic(4)).await.unwrap(), Ok("4".to_owned()));
    assert_eq!(tokio::spawn(any(4)).await.unwrap(), Ok("4".to_owned()));
    assert_eq!(tokio::spawn(local_before_the_first_wait()).await.unwrap(), Ok(1));
}

#[tokio::test]
async fn a_guarded_method_can_be_spawned() {
    let stock = Arc::new(Stock::default());
    let other = stock.clone();
    assert_eq!(tokio::spawn(async move { other.by_reference(1).await }).await.unwrap(), Ok(1));
    assert_eq!(tokio::spawn(async move { Stock::default().by_mut_reference(2).await }).await.unwrap(), Ok(2));
    assert_eq!(tokio::spawn(stock.clone().by_arc(3)).await.unwrap(), Ok(3));
    assert_eq!(tokio::spawn(async move { stock.by_hand(4).await }).await.unwrap(), Ok(4));
    assert_eq!(tokio::spawn(async { Wrapper(5).shown().await }).await.unwrap(), Ok("5".to_owned()));
}

/// Where the compiler must find out for any type and any lifetime, drivers that take a closure fail.
#[tokio::test]
async fn a_guarded_future_is_send_for_any_type_and_lifetime() {
    async fn all<T: Display + Clone + Send + Sync>(shown: T, text: &str, list: &mut Vec<u64>) -> bool {
        let wrapper = Wrapper(shown.clone());
        let mut stock = Stock::default();
        let mut local = Local(Cell::new(1));
        let seen = send(mutable(list)).await.is_ok()
            && send(generic(&shown)).await.is_ok()
            && send(any(shown)).await.is_ok()
            && send(plain(1, text)).await.is_ok()
            && send(wrapper.shown()).await.is_ok()
            && send(stock.by_reference(1)).await.is_ok()
            && send(stock.by_mut_reference(1)).await.is_ok()
            && send(stock.by_mut_reference_with_cell(Cell::new(1))).await.is_ok()
            && send(shared_with_cell(String::new(), Cell::new(1))).await.is_ok();
        seen && send(local.seen_exclusively(Cell::new(1))).await.is_ok()
    }
    assert!(send(all("a", "b", &mut Vec::new())).await);
}

#[tokio::test]
async fn a_body_that_is_not_send_makes_the_future_so() {
    let not_sync = Local(Cell::new(3));
    let futures = (counted(Rc::new(1)), local(), not_sync.seen(), any(Rc::new(4)));
    assert!(!probe(&futures.0).is_send());
    assert!(!probe(&futures.1).is_send());
    assert!(!probe(&futures.2).is_send());
    assert!(!probe(&futures.3).is_send());
    assert!(probe(&any(4)).is_send(), "the probe tells them apart");

    let local_set = LocalSet::new();
    let outcomes = local_set.run_until(async {
        let counted = tokio::task::spawn_local(counted(Rc::new(1))).await.unwrap();
        let local = tokio::task::spawn_local(local()).await.unwrap();
        (counted, local, futures.2.await, futures.3.await)
    });
    assert_eq!(outcomes.await, (Ok(1), Ok(1), Ok(3), Ok("4".to_owned())));
}

#[tokio::test]
async fn a_hedged_future_is_send_exactly_when_its_body_is() {
    async fn all<T: Display + Clone + Send + Sync>(shown: T, text: &str) -> bool {
        let stock = Stock::default();
        send(hedged(1, text)).await.is_ok()
            && send(hedged_any(shown)).await.is_ok()
            && send(hedged_with_every_guard(1, text.into())).await.is_ok()
            && send(hedged_by_hand(1, text.to_owned())).await.is_ok()
            && send(stock.hedged(1)).await.is_ok()
    }
    assert!(send(all("a", "b")).await);
    assert_eq!(tokio::spawn(hedged(1, "abc")).await.unwrap(), Ok(4));

    let not_sync = Local(Cell::new(3));
    let futures = (hedged_local(), not_sync.hedged(), hedged_any(Rc::new(4)));
    assert!(!probe(&futures.0).is_send());
    assert!(!probe(&futures.1).is_send());
    assert!(!probe(&futures.2).is_send());
    assert!(probe(&hedged_any(4)).is_send(), "the probe tells them apart");
    assert_eq!((futures.0.await, futures.1.await, futures.2.await), (Ok(1), Ok(3), Ok("4".to_owned())));
}

/// A `Cell` is `Send` and not `Sync`: what the copies are made from is to be owned, not borrowed.
#[tokio::test]
async fn a_hedged_future_that_owns_a_cell_can_be_spawned() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn plain(cell: Cell<u64>) -> Result<u64> {
        yield_now().await;
        Ok(cell.get())
    }
    #[resilient(timeout_ms = 50, deadline_ms = 500, retries = 2, hedge = 20ms, fallback = spare)]
    async fn planned(cell: Cell<u64>, (n, _): (Cell<u64>, u64)) -> Result<u64> {
        yield_now().await;
        Ok(cell.get() + n.get())
    }
    async fn spare(cell: Cell<u64>, _: (Cell<u64>, u64)) -> Result<u64> {
        yield_now().await;
        Ok(cell.get())
    }
    async fn any<T: Display + Clone + Send>(shown: T) -> Result<String> {
        send(hedged_any(shown)).await
    }
    assert_eq!(tokio::spawn(plain(Cell::new(4))).await.unwrap(), Ok(4));
    assert_eq!(tokio::spawn(planned(Cell::new(4), (Cell::new(1), 0))).await.unwrap(), Ok(5));
    assert_eq!(tokio::spawn(any(4)).await.unwrap(), Ok("4".to_owned()));
}
