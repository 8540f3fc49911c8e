//! The outermost layer: plan B.

use super::{BlockingCall, Call, Core, Judge, core::End};
use crate::{
    arguments::Key,
    context::{self, Context, Inner},
    outcome::{Judgement, PlanB},
    report::Degraded,
    time::{Moment, Timer, now},
};
use pin_project_lite::pin_project;
use resilient_policy::FallbackKind;
use std::{
    future::Future,
    pin::Pin,
    task::{Context as TaskContext, Poll, ready},
    time::Duration,
};

impl Core {
    /// Whether plan B is to answer: after a failure, and after an answer of the dependency only with `on = any`.
    fn falls_back(&self) -> bool {
        match (self.operation().policy.fallback, self.end) {
            (None, _) | (Some(_), End::Success) => false,
            (Some(_), End::Failure) => true,
            (Some(plan), End::Permanent) => plan.on_any,
        }
    }

    /// Plan B answered, with something of this age: for the attempt around it, the call did not fail after all.
    fn served(&self, age: Option<Duration>) {
        self.operation().counters.fallback.add();
        context::ended(|inner| *inner = Inner::default());
        if let Some(report) = context::report() {
            report.add(Degraded { operation: self.operation().name, age });
        }
    }

    /// Starts plan B: the call is over, and what it kept for its attempts is plan B's from now on.
    ///
    /// `bounded`: there is an outcome to return instead, so plan B may be cut at its timeout.
    fn start_plan(&mut self, bounded: bool) {
        let policy = &self.operation().policy;
        let limit = match policy.fallback.map(|plan| plan.kind) {
            Some(FallbackKind::Path { timeout: Some(limit), .. }) => Some(limit),
            _ => policy.attempt_timeout(),
        };
        self.until = limit.filter(|_| bounded).map_or(Moment::NEVER, |limit| now().after(limit));
        self.context = Context::inherited();
        self.context.deadline = self.context.deadline.min(self.until);
        self.bounded = bounded;
    }

    /// Plan B ended. Whether its outcome is what the caller gets: if it is good, or is the word of a plan B that is guarded
    /// itself, which knows better than the failure before it.
    fn planned(&mut self, judgement: Judgement) -> bool {
        if judgement.verdict.is_none() {
            self.served(None);
            return true;
        }
        self.plan_failed();
        let Some(FallbackKind::Path { function, .. }) = self.operation().policy.fallback.map(|plan| plan.kind) else {
            return true;
        };
        !self.bounded || self.context.inner().failed.is_some_and(|inner| inner.at.function == function)
    }

    /// What repeated inside plan B repeated inside the attempt around the call, too.
    fn plan_failed(&self) {
        let inside = self.context.inner();
        context::ended(|inner| {
            inner.failed = inside.failed.or(inner.failed);
            inner.retried |= inside.retried;
        });
    }
}

impl Call {
    /// Whether plan B is to answer.
    #[must_use]
    pub fn falls_back(&mut self) -> bool {
        self.core.falls_back()
    }

    /// A `default` or `value` answered.
    pub fn served(&mut self) {
        self.core.served(None);
    }

    /// Plan B: `None` where it was late.
    ///
    /// `bounded`: there is an outcome to return instead, so plan B may be cut at its timeout.
    pub fn plan_b<F: PlanB>(&mut self, plan: F, bounded: bool) -> impl Future<Output = Option<F::Output>> {
        self.core.start_plan(bounded);
        PlanBFuture { plan: Some(plan), timer: Timer::new(), call: self }
    }

    /// Plan B ended, with an outcome that means this: whether that is what the caller gets.
    #[must_use]
    pub fn planned(&mut self, judgement: Judgement) -> bool {
        self.core.planned(judgement)
    }

    /// The hash of the arguments, taken before the first attempt.
    #[must_use]
    pub fn digest(&self, key: &Key<'_>) -> u64 {
        self.core.operation().cache.digest(key)
    }
}

pin_project! {
    /// A plan B that is running.
    struct PlanBFuture<'a, F> {
        #[pin]
        plan: Option<F>,
        #[pin]
        timer: Timer,
        call: &'a mut Call,
    }
}

impl<F: Future> Future for PlanBFuture<'_, F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let core = &mut this.call.core;
        let plan = this.plan.as_mut().as_pin_mut().expect("a plan B is not polled after it ended");
        let polled = {
            let _inside = core.context.enter();
            plan.poll(cx)
        };
        let answer = match polled {
            Poll::Ready(outcome) => Some(outcome),
            Poll::Pending => {
                ready!(this.timer.poll_until(core.until, cx));
                core.plan_failed();
                None
            }
        };
        this.plan.set(None);
        Poll::Ready(answer)
    }
}

impl BlockingCall {
    /// Whether plan B is to answer.
    #[must_use]
    pub fn falls_back(&mut self) -> bool {
        self.core.falls_back()
    }

    /// A `default` or `value` answered.
    pub fn served(&mut self) {
        self.core.served(None);
    }

    /// Plan B: `None` where it failed. Nothing cuts it; it reads `resilient::remaining()`.
    pub fn plan_b<R>(&mut self, plan: impl FnOnce() -> R, judge: Judge<R>, bounded: bool) -> Option<R> {
        self.core.start_plan(bounded);
        let outcome = {
            let _inside = self.core.context.enter();
            plan()
        };
        self.core.planned(judge(&outcome)).then_some(outcome)
    }

    /// The hash of the arguments, taken before the first attempt.
    #[must_use]
    pub fn digest(&self, key: &Key<'_>) -> u64 {
        self.core.operation().cache.digest(key)
    }
}

/// An answer that can be kept for later, as the good answer of the outcome `R`.
#[diagnostic::on_unimplemented(
    message = "[R35] `{Self}` cannot be kept for later",
    label = "`fallback = cached` keeps a copy, but this is not `Clone + Send + Sync + 'static`",
    note = "derive `Clone`, return owned data, or name another fallback"
)]
pub trait Keepable<R> {
    /// Keeps a good outcome, and replaces a bad one by the last good answer to the same arguments.
    fn cached(call: &Call, digest: u64, key: &Key<'_>, outcome: R) -> R;
    /// [`Keepable::cached`] for a sync function.
    fn cached_blocking(call: &BlockingCall, digest: u64, key: &Key<'_>, outcome: R) -> R;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Send + Sync + 'static, E> Keepable<Result<T, E>> for T {
    fn cached(call: &Call, digest: u64, key: &Key<'_>, outcome: Result<T, E>) -> Result<T, E> {
        remember(&call.core, digest, key, outcome)
    }

    fn cached_blocking(call: &BlockingCall, digest: u64, key: &Key<'_>, outcome: Result<T, E>) -> Result<T, E> {
        remember(&call.core, digest, key, outcome)
    }
}

fn remember<T, E>(core: &Core, digest: u64, key: &Key<'_>, outcome: Result<T, E>) -> Result<T, E>
where
    T: Clone + Send + Sync + 'static,
{
    let Some(FallbackKind::Cached { max_stale, max_entries }) = core.operation().policy.fallback.map(|plan| plan.kind)
    else {
        return outcome;
    };
    let store = core.operation().cache.store::<T>(max_entries);
    match (outcome, core.end) {
        (Ok(value), _) => {
            store.put(digest, key, value.clone(), now());
            Ok(value)
        }
        (Err(error), _) if core.falls_back() => match store.get(digest, key, max_stale, now()) {
            Some((value, age)) => {
                core.served(Some(age));
                Ok(T::clone(&value))
            }
            None => Err(error),
        },
        (Err(error), _) => {
            // The dependency says otherwise by now: the earlier answer is not good any more.
            store.remove(digest, key);
            Err(error)
        }
    }
}
