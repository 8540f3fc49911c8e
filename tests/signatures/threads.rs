//! `blocking = thread`: what goes to a thread is owned, and every attempt has its own.

use crate::support::{Error, Result};
use resilient::{resilient, testing::isolated_blocking};
use std::{
    fmt::Display,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// How often a body ran, on whatever thread.
#[derive(Clone, Debug, Default)]
struct Runs(Arc<AtomicU32>);

impl Runs {
    /// Counts a run of the body; the first two fail.
    fn blip_twice(&self) -> Result<()> {
        if self.0.fetch_add(1, Ordering::SeqCst) < 2 { Err(Error::Blip) } else { Ok(()) }
    }
}

/// What a call of a function with `retries = 2` returns, whose body calls [`Runs::blip_twice`], on a clock that only
/// tests move.
#[track_caller]
fn retried<R>(call: impl FnOnce(Runs) -> R) -> R {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let _clock = runtime.enter();
    let runs = Runs::default();
    let outcome = isolated_blocking(|| call(runs.clone()));
    assert_eq!(runs.0.load(Ordering::SeqCst), 3, "runs of the body");
    outcome
}

/// Rows 2, 5, 8, 9 and 10.
#[test]
fn every_attempt_on_a_thread_owns_its_arguments() {
    #[derive(Clone)]
    struct Point {
        x: u64,
        y: String,
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn none(runs: Runs) -> Result<u64> {
        runs.blip_twice()?;
        Ok(1)
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn owned(runs: Runs, mut list: Vec<u8>, text: String, _: u64) -> Result<(Vec<u8>, String)> {
        list.push(2);
        let moved = text;
        runs.blip_twice()?;
        Ok((list, moved))
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn patterns(runs: Runs, (a, b): (u64, String), [c, _]: [u64; 2], Point { x, y }: Point) -> Result<(u64, String)> {
        runs.blip_twice()?;
        Ok((a + c + x, b + &y))
    }
    assert_eq!(retried(none), Ok(1));
    assert_eq!(retried(|runs| owned(runs, vec![1], "a".to_owned(), 0)), Ok((vec![1, 2], "a".to_owned())));
    let point = Point { x: 4, y: "c".to_owned() };
    assert_eq!(retried(|runs| patterns(runs, (1, "b".to_owned()), [2, 0], point)), Ok((7, "bc".to_owned())));
}

/// Rows 14, 16, 19, 24 and 27.
#[test]
fn what_goes_to_a_thread_may_be_generic() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn generic<T, const N: usize>(runs: Runs, shown: T, bytes: [u8; N]) -> Result<String>
    where
        T: Display + Clone + Send + 'static,
    {
        runs.blip_twice()?;
        Ok(format!("{shown}{}", bytes.len()))
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn opaque(
        runs: Runs,
        text: impl AsRef<str> + Clone + Send + 'static,
        f: fn(usize) -> usize,
        shared: Arc<str>,
    ) -> Result<usize> {
        runs.blip_twice()?;
        Ok(f(text.as_ref().len() + shared.len()))
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn long_lived(runs: Runs, text: &'static str) -> Result<&'static str> {
        runs.blip_twice()?;
        Ok(text)
    }
    assert_eq!(retried(|runs| generic(runs, 1, [0; 2])), Ok("12".to_owned()));
    assert_eq!(retried(|runs| opaque(runs, "four", |n| n + 1, "ab".into())), Ok(7));
    assert_eq!(retried(|runs| long_lived(runs, "a")), Ok("a"));
}

#[derive(Clone)]
struct Stock {
    price: u64,
}

trait Prices {
    fn view(runs: Runs, n: u64) -> Result<u64>;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn default_function(runs: Runs, n: u64) -> Result<u64> {
        runs.blip_twice()?;
        Ok(n)
    }
}

impl Prices for Stock {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread)]
    fn view(runs: Runs, n: u64) -> Result<u64> {
        runs.blip_twice()?;
        Ok(Self { price: 5 }.price + n)
    }
}

impl Stock {
    #[resilient(timeout_ms = 50, bulkhead = 4, blocking = thread)]
    fn by_arc(self: Arc<Self>, n: u64) -> Result<u64> {
        Ok(self.price + n)
    }

    #[resilient(timeout_ms = 50, bulkhead = 4, blocking = thread)]
    fn by_value(mut self, n: u64) -> Result<Self> {
        self.price += n;
        Ok(self)
    }
}

/// Rows 54, 55, 56, 61 and 67.
#[test]
fn a_method_may_run_on_a_thread_where_it_owns_its_self() {
    assert_eq!(retried(|runs| Stock::view(runs, 1)), Ok(6));
    assert_eq!(retried(|runs| Stock::default_function(runs, 1)), Ok(1));
    isolated_blocking(|| {
        assert_eq!(Arc::new(Stock { price: 5 }).by_arc(1), Ok(6));
        assert_eq!(Stock { price: 5 }.by_value(1).map(|stock| stock.price), Ok(6));
    });
}

/// However many threads there are, there are never more than permits.
#[test]
fn a_bulkhead_that_finds_its_own_size_bounds_the_threads_too() {
    #[resilient(
        read,
        timeout_ms = 50,
        deadline_ms = 5_000,
        retries = 2,
        bulkhead(adaptive, min = 1, max = 2),
        blocking = thread
    )]
    fn adaptive(runs: Runs, text: String) -> Result<String> {
        runs.blip_twice()?;
        Ok(text)
    }
    assert_eq!(retried(|runs| adaptive(runs, "a".to_owned())), Ok("a".to_owned()));
}

#[test]
fn plan_b_a_cache_and_a_shared_answer_work_beside_a_thread() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, bulkhead = 4, blocking = thread, fallback = joined)]
    fn planned(runs: Runs, mut list: Vec<u64>, (n, _): (u64, String)) -> Result<Vec<u64>> {
        list.push(n);
        runs.blip_twice()?;
        Err(Error::Blip)
    }
    #[expect(clippy::unnecessary_wraps, reason = "a plan B returns what its function returns")]
    fn joined(_: Runs, list: Vec<u64>, (n, text): (u64, String)) -> Result<Vec<u64>> {
        Ok([list, vec![n, text.len() as u64]].concat())
    }
    #[resilient(
        timeout_ms = 50,
        deadline_ms = 5_000,
        retries = 2,
        bulkhead = 4,
        blocking = thread,
        coalesce,
        fallback(cached, key = (&text))
    )]
    fn kept(runs: Runs, text: String) -> Result<String> {
        runs.blip_twice()?;
        Ok(text)
    }
    assert_eq!(retried(|runs| planned(runs, vec![1], (2, "abc".to_owned()))), Ok(vec![1, 2, 3]));
    assert_eq!(retried(|runs| kept(runs, "a".to_owned())), Ok("a".to_owned()));
}
