//! The world of these tests: one policy on an async and on a sync function, and stories of calls that meet a script.
//!
//! ```text
//! both!(read, timeout = none, retries = 2).story(async |world| {        // the policy, on both
//!     world.call([F, F, S]).await                                       // one call: what its attempts meet
//!         .ends(S).runs(3);                                             // what the vector expects of it
//!     world.tokens(8.0);                                                // and of the guards
//! });
//! ```
//!
//! The story runs twice, against guards of its own each time, and time never really passes. At its end nobody is inside
//! and every call was counted once, see [`World::is_at_rest`].

use crate::{
    clock::{Watch, at_once, ms, paused},
    dep::{Dep, Outcome, Step},
    ended::Ended,
};
use resilient::{BreakerSnapshot, BreakerState, Counts, OperationSnapshot, last_stop, snapshot, testing, verify};
use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

/// One policy on an async and on a sync function with the same scripted body.
///
/// A write whose key is an argument starts with `write, idempotency_key = key`; a policy that speaks of the function's
/// argument, with `|dep|`.
macro_rules! both {
    (write, idempotency_key = key $(, $($policy:tt)*)?) => {
        $crate::world::Both {
            waiting: {
                #[resilient::resilient(write, idempotency_key = key $(, $($policy)*)?)]
                async fn guarded(key: resilient::IdempotencyKey, dep: &$crate::dep::Dep) -> $crate::dep::Outcome {
                    assert_eq!(key, dep.key);
                    dep.answer().await
                }
                |dep| Box::pin(guarded(dep.key.clone(), dep))
            },
            blocking: {
                #[resilient::resilient(write, idempotency_key = key, blocking = cooperative $(, $($policy)*)?)]
                fn guarded(key: resilient::IdempotencyKey, dep: &$crate::dep::Dep) -> $crate::dep::Outcome {
                    assert_eq!(key, dep.key);
                    dep.answer_blocking()
                }
                |dep| guarded(dep.key.clone(), dep)
            },
        }
    };
    (|$dep:ident| $($policy:tt)*) => {
        $crate::world::Both {
            waiting: {
                #[allow(unused_imports, reason = "not every policy has a plan B")]
                use $crate::dep::waiting::{plan_b, plan_b_told};
                #[resilient::resilient($($policy)*)]
                async fn guarded($dep: &$crate::dep::Dep) -> $crate::dep::Outcome {
                    $dep.answer().await
                }
                |dep| Box::pin(guarded(dep))
            },
            blocking: {
                #[allow(unused_imports, reason = "not every policy has a plan B")]
                use $crate::dep::blocking::{plan_b, plan_b_told};
                #[resilient::resilient(blocking = cooperative, $($policy)*)]
                fn guarded($dep: &$crate::dep::Dep) -> $crate::dep::Outcome {
                    $dep.answer_blocking()
                }
                guarded
            },
        }
    };
    ($($policy:tt)*) => { $crate::world::both!(|dep| $($policy)*) };
}
pub(crate) use both;

/// One policy on an async function alone, where a sync one may not have it.
macro_rules! waiting {
    ($($policy:tt)*) => {
        $crate::world::Both {
            waiting: {
                #[allow(unused_imports, reason = "not every policy has a plan B")]
                use $crate::dep::waiting::{plan_b, plan_b_told};
                #[resilient::resilient($($policy)*)]
                async fn guarded(dep: &$crate::dep::Dep) -> $crate::dep::Outcome {
                    dep.answer().await
                }
                |dep| Box::pin(guarded(dep))
            },
            blocking: |_| unreachable!("this story is told of an async function"),
        }
    };
}
pub(crate) use waiting;

pub type Waiting<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// What [`both!`] makes.
#[derive(Clone, Copy)]
pub struct Both {
    pub waiting: fn(&Dep) -> Waiting<'_>,
    pub blocking: fn(&Dep) -> Outcome,
}

impl Both {
    /// Tells the story of the async function, then the same of the sync one.
    pub fn story(self, story: impl AsyncFn(&World)) {
        self.async_story(&story);
        self.sync_story(&story);
    }

    /// For what only an async function can do: be cut, be dropped, overlap on one thread.
    pub fn async_story(self, story: impl AsyncFn(&World)) {
        paused().block_on(testing::isolated(async {
            let world = World::new(Kind::Async, self);
            story(&world).await;
            world.is_at_rest();
        }));
    }

    /// For what only a sync function does.
    pub fn sync_story(self, story: impl AsyncFn(&World)) {
        // Entered for its paused clock only: nothing waits on it.
        let runtime = paused();
        let _clock = runtime.enter();
        testing::isolated_blocking(|| {
            let world = World::new(Kind::Sync, self);
            at_once(story(&world));
            world.is_at_rest();
        });
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Async,
    Sync,
}

/// What a story is told to: the function, and everything its guards know.
pub struct World {
    pub kind: Kind,
    both: Both,
    watch: Arc<Watch>,
    started: RefCell<Vec<Arc<Dep>>>,
}

impl World {
    fn new(kind: Kind, both: Both) -> Self {
        testing::seed(1);
        Self { kind, both, watch: Arc::new(Watch::start()), started: RefCell::default() }
    }

    /// One call, to its end.
    pub async fn call(&self, dep: impl Into<Dep>) -> Ended {
        if self.kind == Kind::Async {
            return self.start(dep).end().await;
        }
        let dep = self.meets(dep.into());
        let begun = self.elapsed();
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.both.blocking)(&dep))).ok();
        self.ended(&dep, begun, outcome)
    }

    /// The same call so many times, one after the other.
    pub async fn calls(&self, times: u32, script: &[Step]) -> Vec<Ended> {
        let mut ended = Vec::new();
        for _ in 0..times {
            ended.push(self.call(Dep::does(script)).await);
        }
        ended
    }

    /// An async call that is polled once and then left alone.
    pub fn start(&self, dep: impl Into<Dep>) -> Started<'_> {
        assert_eq!(self.kind, Kind::Async, "a sync call runs to its end");
        let dep = self.meets(dep.into());
        let lent = dep.clone();
        let future = Box::pin(async move { (self.both.waiting)(&lent).await });
        let mut started = Started { world: self, dep, begun: self.elapsed(), future: Some(future), outcome: None };
        started.poll();
        started
    }

    fn meets(&self, dep: Dep) -> Arc<Dep> {
        let dep = Arc::new(dep.watched(&self.watch));
        self.started.borrow_mut().push(dep.clone());
        dep
    }

    fn ended(&self, dep: &Dep, begun: Duration, outcome: Option<Outcome>) -> Ended {
        let stop = last_stop();
        Ended {
            kind: self.kind,
            outcome,
            stop,
            begun,
            took: self.elapsed() - begun,
            visits: dep.visits(),
            told: dep.told(),
        }
    }

    /// Lets time go by.
    pub async fn pass(&self, millis: u64) {
        match self.kind {
            Kind::Async => tokio::time::sleep(ms(millis)).await,
            Kind::Sync => testing::advance(ms(millis)),
        }
    }

    /// Time since the test began.
    pub fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    /// How often the body ran, in all calls.
    pub fn runs(&self) -> u32 {
        self.started.borrow().iter().map(|dep| dep.visits().len() as u32).sum()
    }

    pub fn now(&self) -> OperationSnapshot {
        snapshot().into_iter().next().expect("a call was made")
    }

    pub fn counts(&self) -> Counts {
        self.now().counts
    }

    pub fn breaker(&self) -> BreakerSnapshot {
        self.now().breaker.expect("the policy has a breaker")
    }

    /// What its breaker does with calls; one that was never called is closed.
    pub fn breaker_state(&self) -> BreakerState {
        if snapshot().is_empty() { BreakerState::Closed } else { self.breaker().state }
    }

    #[track_caller]
    pub fn is(&self, state: BreakerState) -> &Self {
        assert_eq!(self.breaker().state, state, "{:?}", self.kind);
        self
    }

    /// The calls in the breaker's window, and the failures among them.
    #[track_caller]
    pub fn window(&self, calls: u32, failures: u32) -> &Self {
        let now = self.breaker();
        assert_eq!((now.calls, now.failures), (calls, failures), "{:?}: calls, failures", self.kind);
        self
    }

    /// The tokens left in the budget.
    #[track_caller]
    pub fn tokens(&self, left: f64) -> &Self {
        let now = self.now().budget.expect("the policy has a budget").tokens;
        assert!((now - left).abs() < 1e-4, "{:?}: {now} tokens, expected {left}", self.kind);
        self
    }

    /// The permits in use.
    #[track_caller]
    pub fn in_use(&self, permits: u32) -> &Self {
        assert_eq!(self.now().bulkhead.expect("the policy has a bulkhead").in_use, permits, "{:?}", self.kind);
        self
    }

    /// Nobody is inside, every guard has back what it gave, and each call and run was counted once.
    fn is_at_rest(&self) {
        verify().unwrap();
        let Some(now) = snapshot().into_iter().next() else { return };
        let n = &now.counts;
        assert_eq!(n.in_flight, 0, "{:?}: calls inside", self.kind);
        assert_eq!(now.bulkhead.map_or(0, |bulkhead| bulkhead.in_use), 0, "{:?}: permits", self.kind);
        assert_eq!(now.breaker.map_or(0, |breaker| breaker.probes_in_flight), 0, "{:?}: probes", self.kind);
        let refused = n.full + n.open + n.limited + n.expired;
        let failed = n.failed + n.deadline;
        assert_eq!(
            n.calls,
            n.succeeded + failed + refused + n.dropped + n.panicked + n.coalesced,
            "{:?}: {n:?}",
            self.kind
        );
        assert_eq!(n.failed, n.transient + n.timeout + n.throttled + n.overloaded + n.permanent, "{n:?}");
        assert_eq!(n.attempts, u64::from(self.runs()), "{:?}: attempts counted, and runs of the body", self.kind);
    }
}

/// A call that has started.
pub struct Started<'a> {
    world: &'a World,
    pub dep: Arc<Dep>,
    begun: Duration,
    future: Option<Pin<Box<dyn Future<Output = Outcome> + 'a>>>,
    outcome: Option<Ended>,
}

impl Started<'_> {
    /// Polls it; whether it has ended.
    pub fn poll(&mut self) -> bool {
        self.poll_with(&mut Context::from_waker(Waker::noop()))
    }

    fn poll_with(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(future) = &mut self.future else { return true };
        let outcome = match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Pending) => return false,
            Ok(Poll::Ready(outcome)) => Some(outcome),
            Err(_panic) => None,
        };
        self.outcome = Some(self.world.ended(&self.dep, self.begun, outcome));
        self.future = None;
        true
    }

    /// Waits for its end.
    pub async fn end(mut self) -> Ended {
        poll_fn(|cx| if self.poll_with(cx) { Poll::Ready(()) } else { Poll::Pending }).await;
        self.outcome.expect("it has ended")
    }

    /// Leaves it, as a caller does who has no use for the answer any more.
    pub fn drop(self) {}
}
