//! Registries of their own, a seed and a clock for tests.
//!
//! Guards are process-wide, so two tests that call one function would see each other's breaker. Inside [`isolated`]
//! every guard is new, random numbers follow [`seed`], and [`advance`] moves the clock.
//!
//! The clock is tokio's, so `#[tokio::test(start_paused = true)]` and bodies that sleep with tokio work as they are; what
//! [`advance`] adds comes on top. Sync functions wait on the same clock: a blocking wait inside [`isolated`] or
//! [`isolated_blocking`] moves it and returns at once.

pub(crate) mod cost;

// For the tests of what a call costs; a user has no use for it.
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use cost::{Cost, cost};
#[cfg(not(feature = "testing"))]
pub(crate) use off::*;
#[cfg(feature = "testing")]
pub use on::{advance, isolated, isolated_blocking, seed};
#[cfg(feature = "testing")]
pub(crate) use on::{carry, drawn, handle, registry, shifted, slept, unshifted, waits};

/// Without the feature there is one registry, one clock and no seed.
#[cfg(not(feature = "testing"))]
mod off {
    use crate::{registry::Registry, time::Moment};
    use std::{task::Context, time::Duration};

    pub(crate) struct Handle;

    impl Handle {
        pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> R {
            body()
        }
    }

    pub(crate) fn carry<F>(future: F) -> F {
        future
    }
    pub(crate) fn drawn() -> Option<f64> {
        None
    }
    pub(crate) fn handle() -> Handle {
        Handle
    }
    pub(crate) fn registry() -> Option<&'static Registry> {
        None
    }
    pub(crate) fn shifted(at: Moment) -> Moment {
        at
    }
    pub(crate) fn unshifted(at: Moment) -> Moment {
        at
    }
    pub(crate) fn slept(_wait: Duration) -> bool {
        false
    }
    pub(crate) fn waits(_until: Moment, _cx: &Context<'_>) -> bool {
        false
    }
}

#[cfg(feature = "testing")]
mod on {
    use crate::{
        registry::Registry,
        time::{Moment, now},
    };
    use pin_project_lite::pin_project;
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    use std::{
        cell::RefCell,
        future::Future,
        pin::Pin,
        sync::{
            Arc, Mutex, MutexGuard, PoisonError,
            atomic::{AtomicU64, Ordering},
        },
        task::{Context, Poll, Waker},
        time::Duration,
    };

    /// What one isolated test has of its own.
    struct Scope {
        /// Leaked like the process's own: call sites hold `&'static` handles. A test's registry is small.
        registry: &'static Registry,
        random: Mutex<StdRng>,
        /// Nanoseconds that the test moved the clock by hand.
        shift: AtomicU64,
        sleepers: Mutex<Vec<Waker>>,
    }

    thread_local! {
        static SCOPE: RefCell<Option<Arc<Scope>>> = const { RefCell::new(None) };
    }

    fn current() -> Option<Arc<Scope>> {
        SCOPE.try_with(|scope| scope.borrow().clone()).ok().flatten()
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Scope {
        fn new() -> Arc<Self> {
            Arc::new(Self {
                registry: Box::leak(Box::default()),
                random: Mutex::new(StdRng::seed_from_u64(0)),
                shift: AtomicU64::new(0),
                sleepers: Mutex::default(),
            })
        }

        /// Makes this the thread's scope until the guard is dropped.
        fn enter(self: &Arc<Self>) -> Entered {
            Entered(SCOPE.with(|scope| scope.replace(Some(self.clone()))))
        }
    }

    struct Entered(Option<Arc<Scope>>);

    impl Drop for Entered {
        fn drop(&mut self) {
            let before = self.0.take();
            // The value replaced is dropped after the borrow ends: its own drop may look at the scope.
            let _after = SCOPE.with(|scope| scope.replace(before));
        }
    }

    pin_project! {
        /// A future that runs in a scope.
        pub struct Isolated<F> {
            scope: Option<Arc<Scope>>,
            #[pin]
            future: F,
        }
    }

    impl<F: Future> Future for Isolated<F> {
        type Output = F::Output;

        fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
            let this = self.project();
            let _inside = this.scope.as_ref().map(Scope::enter);
            this.future.poll(cx)
        }
    }

    /// Runs `future` with registries of its own, seed 0 and a clock that [`advance`] moves.
    ///
    /// Tasks started with `resilient::spawn` inside stay inside; tasks of `tokio::spawn` do not.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use resilient_runtime::testing::{isolated, seed};
    ///
    /// isolated(async {
    ///     seed(1);
    ///     assert!(resilient_runtime::snapshot().is_empty());
    /// })
    /// .await;
    /// # }
    /// ```
    pub fn isolated<F: Future>(future: F) -> Isolated<F> {
        Isolated { scope: Some(Scope::new()), future }
    }

    /// [`isolated`] for sync code.
    pub fn isolated_blocking<R>(body: impl FnOnce() -> R) -> R {
        let _inside = Scope::new().enter();
        body()
    }

    /// Seeds the random numbers of the isolated code that calls it: jitter, open times.
    ///
    /// # Panics
    /// Outside [`isolated`] and [`isolated_blocking`], where a seed would make a fleet act in step.
    pub fn seed(n: u64) {
        let scope = current().expect("`seed` is called inside `isolated` or `isolated_blocking`");
        *lock(&scope.random) = StdRng::seed_from_u64(n);
    }

    /// Moves the clock of the isolated code that calls it, and wakes whoever waits on it.
    ///
    /// # Panics
    /// Outside [`isolated`] and [`isolated_blocking`].
    pub fn advance(by: Duration) {
        assert!(slept(by), "`advance` is called inside `isolated` or `isolated_blocking`");
    }

    /// `future` in the scope of whoever calls this.
    pub(crate) fn carry<F: Future>(future: F) -> Isolated<F> {
        Isolated { scope: current(), future }
    }

    /// The scope of whoever calls this, for another thread to run something in.
    pub(crate) fn handle() -> Handle {
        Handle(current())
    }

    pub(crate) struct Handle(Option<Arc<Scope>>);

    impl Handle {
        pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> R {
            let _inside = self.0.as_ref().map(Scope::enter);
            body()
        }
    }

    pub(crate) fn registry() -> Option<&'static Registry> {
        SCOPE.try_with(|scope| scope.borrow().as_ref().map(|scope| scope.registry)).ok().flatten()
    }

    pub(crate) fn drawn() -> Option<f64> {
        current().map(|scope| lock(&scope.random).random())
    }

    fn shift() -> Duration {
        let nanos =
            SCOPE.try_with(|scope| scope.borrow().as_ref().map_or(0, |scope| scope.shift.load(Ordering::Relaxed)));
        Duration::from_nanos(nanos.unwrap_or(0))
    }

    pub(crate) fn shifted(at: Moment) -> Moment {
        at.after(shift())
    }

    pub(crate) fn unshifted(at: Moment) -> Moment {
        at.before(shift())
    }

    /// Moves the scope's clock; false outside a scope.
    pub(crate) fn slept(wait: Duration) -> bool {
        let Some(scope) = current() else { return false };
        let wait = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        let moved = |shift: u64| Some(shift.saturating_add(wait));
        let _ = scope.shift.fetch_update(Ordering::Relaxed, Ordering::Relaxed, moved);
        let sleepers = std::mem::take(&mut *lock(&scope.sleepers));
        sleepers.into_iter().for_each(Waker::wake);
        true
    }

    /// Whether it is `until` by a clock that was moved by hand; else the task is woken when it is moved again.
    pub(crate) fn waits(until: Moment, cx: &Context<'_>) -> bool {
        let Some(scope) = current() else { return false };
        // Inside the lock: who moves the clock takes the sleepers after that, and so finds whoever saw it unmoved.
        let mut sleepers = lock(&scope.sleepers);
        if now() >= until {
            return true;
        }
        if !sleepers.iter().any(|waker| waker.will_wake(cx.waker())) {
            sleepers.push(cx.waker().clone());
        }
        false
    }
}
