//! A call as a future: polls the body in place, and arms a timer only when the body is not ready at once.

use super::{Core, Next, core::Phase};
use crate::{
    idempotency::IdempotencyKey,
    operation::Site,
    outcome::{Ending, Judgement},
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
        Attempt { call: self, body, judge, held: None }
    }

    /// The only attempt of a function without retries.
    pub fn once<'a, F: Future, J: Fn(&F::Output) -> Judgement>(
        self: Pin<&'a mut Self>,
        body: Pin<&'a mut Option<F>>,
        judge: J,
    ) -> Once<'a, F, J> {
        Once(self.attempt(body, judge))
    }
}

/// One attempt: `Break` with how the call ended, `Continue` where the next attempt may start.
#[must_use = "futures do nothing unless polled"]
pub struct Attempt<'a, F: Future, J> {
    call: Pin<&'a mut Call>,
    body: Pin<&'a mut Option<F>>,
    judge: J,
    /// What the call ends with if a guard refuses the retry it now waits for.
    held: Option<Ending<F::Output>>,
}

/// Nothing in here is pinned in place: the call and the body are pinned where they are borrowed from.
impl<F: Future, J> Unpin for Attempt<'_, F, J> {}

impl<F: Future, J: Fn(&F::Output) -> Judgement> Future for Attempt<'_, F, J> {
    type Output = ControlFlow<Ending<F::Output>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut call = this.call.as_mut().project();
        loop {
            match call.core.phase() {
                Phase::Between => {
                    if let Err(rejected) = call.core.start() {
                        return Poll::Ready(ControlFlow::Break(Err(rejected)));
                    }
                }
                Phase::Running => {
                    // A result that is ready in the same poll as the timeout wins: the body is asked first.
                    if let Poll::Ready((outcome, judgement)) = poll_body(call.core, this.body.as_mut(), &this.judge, cx)
                    {
                        this.body.set(None);
                        match call.core.settle(judgement, false) {
                            Next::End => return Poll::Ready(ControlFlow::Break(Ok(outcome))),
                            Next::Retry => this.held = Some(Ok(outcome)),
                        }
                    } else {
                        ready!(call.timer.as_mut().poll_until(call.core.until(), cx));
                        this.body.set(None);
                        match call.core.cut() {
                            (Next::End, rejected) => return Poll::Ready(ControlFlow::Break(Err(rejected))),
                            (Next::Retry, rejected) => this.held = Some(Err(rejected)),
                        }
                    }
                }
                Phase::Backoff => {
                    ready!(call.timer.as_mut().poll_until(call.core.until(), cx));
                    return Poll::Ready(match (call.core.resume(), this.held.take()) {
                        (Next::End, Some(ending)) => ControlFlow::Break(ending),
                        _ => ControlFlow::Continue(()),
                    });
                }
                Phase::Inside | Phase::Over => panic!("an attempt was polled after it ended"),
            }
        }
    }
}

/// Polls the body in its context, and judges what it returns while a panic still counts as the body's.
fn poll_body<F: Future>(
    core: &mut Core,
    body: Pin<&mut Option<F>>,
    judge: impl Fn(&F::Output) -> Judgement,
    cx: &mut Context<'_>,
) -> Poll<(F::Output, Judgement)> {
    let body = body.as_pin_mut().expect("a running attempt has a body");
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

/// The only attempt of a function without retries.
#[must_use = "futures do nothing unless polled"]
pub struct Once<'a, F: Future, J>(Attempt<'a, F, J>);

impl<F: Future, J: Fn(&F::Output) -> Judgement> Future for Once<'_, F, J> {
    type Output = Ending<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match ready!(Pin::new(&mut self.0).poll(cx)) {
            ControlFlow::Break(ending) => Poll::Ready(ending),
            ControlFlow::Continue(()) => panic!("a call without retries was granted one"),
        }
    }
}
