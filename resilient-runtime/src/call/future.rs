//! A call as a future: polls the body in place, and arms a timer only when the body is not ready at once.

use super::{
    Core, Next,
    core::{Phase, Start},
};
use crate::{
    idempotency::IdempotencyKey,
    keyed::{Guard, StateKey},
    operation::Site,
    outcome::{Ending, Judgement},
    rejected::Rejected,
    time::Timer,
};
use pin_project_lite::pin_project;
use resilient_policy::Shape;
use std::{
    future::Future,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};

pin_project! {
    /// One call of an async function. Lives in the function's own frame; dropping it gives everything back.
    pub struct Call {
        pub(super) core: Core,
        #[pin]
        pub(super) timer: Timer,
    }
}

impl Call {
    /// A call that has come in and passed no guard yet.
    #[must_use]
    pub fn new(site: &'static Site) -> Self {
        Self { core: Core::new(site, Shape::Async), timer: Timer::new() }
    }

    /// The same, with the key that every attempt carries.
    #[must_use]
    pub fn keyed(mut self, key: IdempotencyKey) -> Self {
        self.core.carry(key);
        self
    }

    /// The same, with the key that selects the states of these guards.
    #[must_use]
    pub fn select(mut self, guards: &[Guard], key: StateKey) -> Self {
        self.core.select(guards, key);
        self
    }

    /// Whether no attempt can follow the next one, so that it may have the arguments themselves.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.core.is_last()
    }

    /// One attempt, and the wait before the next one if there is to be one.
    ///
    /// The body comes as an `Option` so that it can be dropped the moment it is cut or done, not when the wait is over.
    pub fn attempt<'a, F: Future, J: Fn(&F::Output) -> Judgement>(
        self: Pin<&'a mut Self>,
        body: Pin<&'a mut Option<F>>,
        judge: J,
    ) -> Attempt<'a, F, J> {
        Attempt { run: Run { call: self, body, judge }, held: None }
    }

    /// The only attempt of a function without retries.
    pub fn once<'a, F: Future, J: Fn(&F::Output) -> Judgement>(
        self: Pin<&'a mut Self>,
        body: Pin<&'a mut Option<F>>,
        judge: J,
    ) -> Once<'a, F, J> {
        Once(Run { call: self, body, judge })
    }
}

/// The waits of a call.
impl Call {
    /// Until the attempt runs, or a guard answers.
    pub(super) fn poll_start(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Rejected>> {
        let mut call = self.project();
        while call.core.phase() != Phase::Running {
            match call.core.start(Some(cx.waker())) {
                Start::Now => break,
                Start::Refused(rejected) => return Poll::Ready(Err(rejected)),
                Start::Later => ready!(call.timer.as_mut().poll_until(call.core.until(), cx)),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Until the next attempt may start, or a guard says that it may not.
    pub(super) fn poll_backoff(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Next> {
        let mut call = self.project();
        loop {
            ready!(call.timer.as_mut().poll_until(call.core.until(), cx));
            if let Poll::Ready(next) = call.core.resume() {
                return Poll::Ready(next);
            }
        }
    }
}

/// One attempt: `Break` with how the call ended, `Continue` where the next attempt may start.
#[must_use = "futures do nothing unless polled"]
pub struct Attempt<'a, F: Future, J> {
    run: Run<'a, F, J>,
    /// What the call ends with if a guard refuses the retry it now waits for.
    held: Option<Ending<F::Output>>,
}

/// Nothing in here is pinned in place: the call and the body are pinned where they are borrowed from.
impl<F: Future, J> Unpin for Attempt<'_, F, J> {}

impl<F: Future, J: Fn(&F::Output) -> Judgement> Future for Attempt<'_, F, J> {
    type Output = ControlFlow<Ending<F::Output>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.held.is_none() {
            match ready!(this.run.poll(cx)) {
                (Next::End, ending) => return Poll::Ready(ControlFlow::Break(ending)),
                (Next::Retry, ending) => this.held = Some(ending),
            }
        }
        let next = ready!(this.run.call.as_mut().poll_backoff(cx));
        Poll::Ready(match (next, this.held.take()) {
            (Next::End, Some(ending)) => ControlFlow::Break(ending),
            _ => ControlFlow::Continue(()),
        })
    }
}

/// The only attempt of a function without retries. It holds no outcome, so that it is `Send` whatever the outcome is.
#[must_use = "futures do nothing unless polled"]
pub struct Once<'a, F: Future, J>(Run<'a, F, J>);

impl<F: Future, J> Unpin for Once<'_, F, J> {}

impl<F: Future, J: Fn(&F::Output) -> Judgement> Future for Once<'_, F, J> {
    type Output = Ending<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (next, ending) = ready!(self.0.poll(cx));
        debug_assert_eq!(next, Next::End, "a call without retries was granted one");
        Poll::Ready(ending)
    }
}

/// The body on its way through one attempt.
struct Run<'a, F, J> {
    call: Pin<&'a mut Call>,
    body: Pin<&'a mut Option<F>>,
    judge: J,
}

impl<F: Future, J: Fn(&F::Output) -> Judgement> Run<'_, F, J> {
    /// Up to the end of the attempt, and what follows it.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Next, Ending<F::Output>)> {
        if let Err(rejected) = ready!(self.call.as_mut().poll_start(cx)) {
            return Poll::Ready((Next::End, Err(rejected)));
        }
        let call = self.call.as_mut().project();
        // A result that is ready in the same poll as the timeout wins: the body is asked first.
        if let Poll::Ready((outcome, judgement)) = poll_body(call.core, self.body.as_mut(), &self.judge, cx) {
            self.body.set(None);
            return Poll::Ready((call.core.settle(judgement, false), Ok(outcome)));
        }
        ready!(call.timer.poll_until(call.core.until(), cx));
        // Cut: what it holds, a connection for one, is let go before anything else happens.
        self.body.set(None);
        let (next, rejected) = call.core.cut();
        Poll::Ready((next, Err(rejected)))
    }
}

/// Polls the body in its context, and judges what it returns while a panic still counts as the body's.
pub(super) fn poll_body<F: Future>(
    core: &mut Core,
    body: Pin<&mut Option<F>>,
    judge: impl Fn(&F::Output) -> Judgement,
    cx: &mut Context<'_>,
) -> Poll<(F::Output, Judgement)> {
    let body = body.as_pin_mut().expect("an attempt is not polled after it ended");
    let polled = {
        let _inside = core.inside();
        body.poll(cx).map(|outcome| {
            let judgement = judge(&outcome);
            (outcome, judgement)
        })
    };
    core.outside();
    polled
}
