//! Signatures in a crate of another edition, which calls the dependency by another name, has no prelude, and may write
//! `unsafe`: one package per edition takes this file as its module.
#![no_implicit_prelude]

use ::core::{
    future::Future,
    pin::Pin,
    prelude::v1::{derive, test},
};
use ::guards::testing::{isolated, isolated_blocking};
use ::std::{
    assert_eq,
    boxed::Box,
    cell::Cell,
    clone::Clone,
    cmp::PartialEq,
    default::Default,
    fmt::Debug,
    iter::{IntoIterator, Iterator},
    option::Option::Some,
    result::Result::{self, Err, Ok},
    string::{String, ToString},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread_local,
    vec::Vec,
};

#[derive(Clone, Debug, PartialEq, ::guards::Classify)]
#[classify(crate = ::guards)]
pub enum Error {
    #[transient]
    Blip,
    #[rejected]
    Rejected(::guards::Rejected),
}

thread_local! {
    /// How often a body has run in this thread, which is this test.
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// Counts a run of the body; the first two fail.
fn blip_twice() -> Result<(), Error> {
    let runs = RUNS.with(|runs| runs.replace(runs.get() + 1));
    if runs < 2 { Err(Error::Blip) } else { Ok(()) }
}

/// The outcome after three runs.
fn retried<F: Future>(call: F) -> F::Output {
    RUNS.with(|runs| runs.set(0));
    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let outcome = runtime.unwrap().block_on(isolated(call));
    assert_eq!(RUNS.with(Cell::get), 3);
    outcome
}

/// [`retried`] for a sync function.
fn retried_blocking<R>(call: impl ::core::ops::FnOnce() -> R) -> R {
    RUNS.with(|runs| runs.set(0));
    let outcome = isolated_blocking(call);
    assert_eq!(RUNS.with(Cell::get), 3);
    outcome
}

async fn plan_b(_: (u64, String), n: u64, _: &str) -> Result<u64, Error> {
    ::core::future::ready(Ok(n)).await
}

#[::guards::resilient(
    crate = ::guards,
    read,
    timeout_ms = 50,
    deadline_ms = 5_000,
    retries = 2,
    retry_budget = 0.5,
    breaker = "elsewhere.every",
    bulkhead = 4,
    fallback = plan_b
)]
async fn every_guard((a, b): (u64, String), mut n: u64, text: &str) -> Result<u64, Error> {
    n += a;
    let moved = b.into_bytes();
    blip_twice()?;
    Ok(n + (moved.len() + text.len()) as u64)
}

#[::guards::resilient(crate = ::guards, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = cached)]
async fn cached(n: u64, text: &str) -> Result<u64, Error> {
    blip_twice()?;
    Ok(n + text.len() as u64)
}

/// The first attempt fails, the second hangs, and the copy beside it answers.
#[::guards::resilient(
    crate = ::guards,
    timeout_ms = 50,
    deadline_ms = 5_000,
    retries = 2,
    rate_limit = "100/s",
    hedge = 20ms,
    coalesce,
    fallback = plan_b
)]
async fn hedged((a, b): (u64, String), mut n: u64, text: &str) -> Result<u64, Error> {
    n += a;
    let moved = b.into_bytes();
    match RUNS.with(|runs| runs.replace(runs.get() + 1)) {
        0 => return Err(Error::Blip),
        1 => ::core::future::pending().await,
        _ => {}
    }
    Ok(n + (moved.len() + text.len()) as u64)
}

#[::guards::resilient(crate = ::guards, read, timeout_ms = 50, retries = 2, bulkhead = 4, blocking = thread)]
fn on_a_thread(runs: Arc<AtomicU64>, mut list: Vec<u64>) -> Result<u64, Error> {
    list.clear();
    match runs.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Err(Error::Blip),
        runs => Ok(runs + list.len() as u64),
    }
}

#[::guards::resilient(read, timeout = none, retries = 2, fallback = default, crate = ::guards)]
fn sync(list: Vec<u64>) -> Result<u64, Error> {
    let first = list.into_iter().next();
    blip_twice()?;
    if let Some(n) = first {
        return Ok(n);
    }
    Ok(0)
}

#[::guards::resilient(crate = ::guards, read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
fn by_hand(text: &str) -> Pin<Box<dyn Future<Output = Result<usize, Error>> + ::core::marker::Send + '_>> {
    Box::pin(async move {
        blip_twice()?;
        Ok(text.len())
    })
}

/// Row 39.
///
/// # Safety
/// `n` is valid to be read.
#[::guards::resilient(crate = ::guards, read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
async unsafe fn read_async(n: *const u64) -> Result<u64, Error> {
    blip_twice()?;
    // SAFETY: so promises the caller.
    Ok(unsafe { *n })
}

/// Row 39.
///
/// # Safety
/// `n` is valid to be read.
#[::guards::resilient(crate = ::guards, read, timeout = none, retries = 2)]
unsafe fn read(n: *const u64) -> Result<u64, Error> {
    blip_twice()?;
    // SAFETY: so promises the caller.
    Ok(unsafe { *n })
}

#[derive(Default)]
struct Stock {
    items: Vec<u64>,
}

trait Store {
    fn add(&mut self, n: u64) -> Result<usize, Error>;

    #[::guards::resilient(crate = ::guards, read, timeout = none, retries = 2)]
    fn default_method(&mut self, n: usize) -> Result<usize, Error> {
        blip_twice()?;
        Ok(n)
    }
}

impl Store for Stock {
    #[::guards::resilient(crate = ::guards, read, timeout = none, retries = 2)]
    fn add(&mut self, n: u64) -> Result<usize, Error> {
        self.items.push(n);
        blip_twice()?;
        Ok(self.items.len())
    }
}

impl Stock {
    #[::guards::resilient(crate = ::guards, read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_mut_reference(&mut self, n: u64) -> Result<usize, Error> {
        self.items.push(n);
        ::tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.items.len())
    }

    #[::guards::resilient(crate = ::guards, read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn generic<T: Clone + Debug>(&self, shown: T) -> Result<String, Error> {
        let moved = shown;
        blip_twice()?;
        Ok(::std::format!("{:?}{:?}", moved, self.items))
    }
}

/// Rows 86 and 87.
#[test]
fn functions_are_guarded_in_every_edition() {
    assert_eq!(retried(every_guard((1, "ab".to_string()), 2, "c")), Ok(6));
    assert_eq!(retried(cached(1, "ab")), Ok(3));
    assert_eq!(retried_blocking(|| sync(::std::vec![7])), Ok(7));
    assert_eq!(retried(by_hand("ab")), Ok(2));
    assert_eq!(retried(hedged((1, "ab".to_string()), 2, "c")), Ok(6));
}

/// Rows 86 and 87.
#[test]
fn threads_are_guarded_in_every_edition() {
    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap();
    let _clock = runtime.enter();
    let outcome = isolated_blocking(|| on_a_thread(Arc::default(), ::std::vec![7]));
    assert_eq!(outcome, Ok(2));
}

/// Rows 86 and 87.
#[test]
fn methods_are_guarded_in_every_edition() {
    let mut stock = Stock::default();
    assert_eq!(retried(stock.by_mut_reference(1)), Ok(3));
    assert_eq!(retried(stock.generic(1)), Ok("1[1, 1, 1]".to_string()));
    assert_eq!(retried_blocking(|| stock.add(2)), Ok(6));
    assert_eq!(retried_blocking(|| stock.default_method(2)), Ok(2));
}

/// Row 39.
#[test]
fn an_unsafe_function_is_guarded_in_every_edition() {
    let n = 1;
    // SAFETY: `n` lives for the whole test.
    unsafe {
        assert_eq!(retried(read_async(&raw const n)), Ok(1));
        assert_eq!(retried_blocking(|| read(&raw const n)), Ok(1));
    }
}
