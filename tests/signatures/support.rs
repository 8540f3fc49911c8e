//! An error, a body that fails twice, and ways to run a call that count how often the body ran.

use resilient::testing::{isolated, isolated_blocking};
use std::{
    cell::{Cell, RefCell},
    error, fmt,
    future::{Future, pending},
    io,
    time::Duration,
};

/// What the functions under test return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, resilient::Classify)]
pub enum Error {
    /// Comes and goes.
    #[transient]
    Blip,
    #[rejected]
    Rejected(resilient::Rejected),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blip => f.write_str("a blip"),
            Self::Rejected(rejected) => rejected.fmt(f),
        }
    }
}

impl error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        io::Error::other(error)
    }
}

thread_local! {
    /// How often a body has run in this thread, which is this test.
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// Counts a run of the body; the first two fail.
pub fn blip_twice() -> Result<()> {
    ran();
    if RUNS.get() < 3 { Err(Error::Blip) } else { Ok(()) }
}

/// Counts a run of a body that is not to be repeated.
pub fn ran() {
    RUNS.set(RUNS.get() + 1);
}

/// What a call of a function with `retries = 2` returns, whose body calls [`blip_twice`].
#[track_caller]
pub fn retried<F: Future>(call: F) -> F::Output {
    counted(3, || wait(call))
}

/// [`retried`] for a sync function.
#[track_caller]
pub fn retried_blocking<R>(call: impl FnOnce() -> R) -> R {
    counted(3, || isolated_blocking(call))
}

/// What a call of a function whose body calls [`ran`] returns.
#[track_caller]
pub fn once<F: Future>(call: F) -> F::Output {
    counted(1, || wait(call))
}

/// [`once`] for a sync function.
#[track_caller]
pub fn once_blocking<R>(call: impl FnOnce() -> R) -> R {
    counted(1, || isolated_blocking(call))
}

#[track_caller]
fn counted<R>(runs: u32, call: impl FnOnce() -> R) -> R {
    RUNS.set(0);
    let outcome = call();
    assert_eq!(RUNS.get(), runs, "runs of the body");
    outcome
}

/// What a copy of a hedged body does.
#[derive(Clone, Copy, PartialEq)]
pub enum Does {
    Answer,
    Fail,
    /// After a hedge has started beside it, and before the timeout.
    FailLate,
    Hang,
}

thread_local! {
    /// What the copies that are still to come do, and what those before were given, in this thread, which is this test.
    static COPIES: RefCell<(Vec<Does>, Vec<String>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Notes what this copy of a body was given, and does what it is to do.
pub fn copy(given: &dyn fmt::Debug) -> impl Future<Output = Result<()>> + Send + use<> {
    let does = COPIES.with_borrow_mut(|(does, seen)| {
        seen.push(format!("{given:?}"));
        does.pop().expect("a copy too many")
    });
    async move {
        match does {
            Does::Answer => return Ok(()),
            Does::Fail => {}
            Does::FailLate => tokio::time::sleep(Duration::from_millis(30)).await,
            Does::Hang => pending().await,
        }
        Err(Error::Blip)
    }
}

/// What a call of a function with `hedge = 20ms` returns, whose body calls [`copy`]: the first copy hangs, the second
/// answers, and both were given the same.
#[track_caller]
pub fn hedged<F: Future>(call: F) -> F::Output {
    copies(&[Does::Hang, Does::Answer], call)
}

/// [`hedged`], where the copies do this, one after the other.
#[track_caller]
pub fn copies<F: Future>(script: &[Does], call: F) -> F::Output {
    COPIES.set((script.iter().rev().copied().collect(), Vec::new()));
    let outcome = wait(call);
    let (left, seen) = COPIES.take();
    assert_eq!((left.len(), seen.len()), (0, script.len()), "copies of the body");
    assert!(seen.iter().all(|given| *given == seen[0]), "{seen:?}");
    outcome
}

/// With guards of its own, on a clock that jumps over every wait.
fn wait<F: Future>(call: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(isolated(call))
}
