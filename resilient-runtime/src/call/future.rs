//! A call as a future: polls the body in place, and arms a timer only when the body is not ready at once.

use super::{Core, Next, admit::Start, core::Phase};
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
    borrow::BorrowMut,
    future::Future,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};

/// What judges an outcome. A pointer: a function's own type, inside of a future, would repeat the error about a bound that
/// it misses, and a closure is one more body to compile per call site.
pub type Judge<R> = fn(&R) -> Judgement;

/// One call of an async function. Lives in the function's own frame; dropping it gives everything back.
pub struct Call {
    pub(super) core: Core,
}

impl Call {
    /// A call that has come in and passed no guard yet.
    #[must_use]
    pub fn new(site: &'static Site) -> Self {
        Self { core: Core::new(site, Shape::Async) }
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
    pub fn attempt<F: Future<Output = R>, R>(&mut self, body: F, judge: Judge<R>) -> Attempt<'_, F, R> {
        Attempt { body: Some(body), timer: Timer::new(), judge, call: self, held: None }
    }
}

/// The only attempt of a function without retries; the call goes with it, unless plan B needs it afterwards.
pub fn once<C: BorrowMut<Call>, F: Future<Output = R>, R>(call: C, body: F, judge: Judge<R>) -> Once<C, F, R> {
    Once { body: Some(body), timer: Timer::new(), judge, call }
}

pin_project! {
    /// One attempt: `Break` with how the call ended, `Continue` where the next attempt may start.
    #[must_use = "futures do nothing unless polled"]
    pub struct Attempt<'a, F, R> {
        // An `Option`, so that the body can be dropped the moment it is cut or done, not when the wait is over.
        #[pin]
        body: Option<F>,
        #[pin]
        timer: Timer,
        judge: Judge<R>,
        call: &'a mut Call,
        // What the call ends with if a guard refuses the retry it now waits for.
        held: Option<Ending<R>>,
    }
}

impl<F: Future<Output = R>, R> Future for Attempt<'_, F, R> {
    type Output = ControlFlow<Ending<R>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll_attempt(&mut this.call.core, (this.body, *this.judge), this.timer, this.held, cx)
    }
}

pin_project! {
    /// The only attempt of a function without retries. It holds no outcome, so that it is `Send` whatever the outcome is.
    ///
    /// What is dropped first comes first: a body that is cut short is gone when the call takes back what its guards gave.
    #[must_use = "futures do nothing unless polled"]
    pub struct Once<C, F, R> {
        #[pin]
        body: Option<F>,
        #[pin]
        timer: Timer,
        judge: Judge<R>,
        call: C,
    }
}

impl<C: BorrowMut<Call>, F: Future<Output = R>, R> Future for Once<C, F, R> {
    type Output = Ending<R>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll_once(&mut this.call.borrow_mut().core, (this.body, *this.judge), this.timer, cx)
    }
}

/// A body, seen by what it returns alone: what follows is compiled once per type of outcome, and not once per function.
pub(super) trait Body<R> {
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<R>;
    fn let_go(self: Pin<&mut Self>);
}

impl<F: Future> Body<F::Output> for Option<F> {
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match self.as_pin_mut() {
            Some(body) => body.poll(cx),
            None => panic!("an attempt is not polled after it ended"),
        }
    }

    fn let_go(mut self: Pin<&mut Self>) {
        self.set(None);
    }
}

/// A body and what judges its outcome.
type Judged<'a, R> = (Pin<&'a mut dyn Body<R>>, Judge<R>);

fn poll_attempt<R>(
    core: &mut Core,
    body: Judged<'_, R>,
    mut timer: Pin<&mut Timer>,
    held: &mut Option<Ending<R>>,
    cx: &mut Context<'_>,
) -> Poll<ControlFlow<Ending<R>>> {
    if held.is_none() {
        match ready!(poll_run(core, body, timer.as_mut(), cx)) {
            (Next::End, ending) => return Poll::Ready(ControlFlow::Break(ending)),
            (Next::Retry, ending) => *held = Some(ending),
        }
    }
    let next = ready!(core.poll_backoff(timer, cx));
    Poll::Ready(match (next, held.take()) {
        (Next::End, Some(ending)) => ControlFlow::Break(ending),
        _ => ControlFlow::Continue(()),
    })
}

fn poll_once<R>(core: &mut Core, body: Judged<'_, R>, timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<Ending<R>> {
    let (next, ending) = ready!(poll_run(core, body, timer, cx));
    debug_assert_eq!(next, Next::End, "a call without retries was granted one");
    Poll::Ready(ending)
}

/// Up to the end of the attempt, and what follows it.
fn poll_run<R>(
    core: &mut Core,
    (mut body, judge): Judged<'_, R>,
    mut timer: Pin<&mut Timer>,
    cx: &mut Context<'_>,
) -> Poll<(Next, Ending<R>)> {
    if let Err(rejected) = ready!(core.poll_start(timer.as_mut(), cx)) {
        return Poll::Ready((Next::End, Err(rejected)));
    }
    // A result that is ready in the same poll as the timeout wins: the body is asked first.
    if let Poll::Ready((outcome, judgement)) = poll_body(core, body.as_mut(), judge, cx) {
        body.let_go();
        return Poll::Ready((core.settle(judgement, false), Ok(outcome)));
    }
    ready!(timer.poll_until(core.until(), cx));
    // Cut: what it holds, a connection for one, is let go before anything else happens.
    body.let_go();
    let (next, rejected) = core.cut();
    Poll::Ready((next, Err(rejected)))
}

/// The waits of a call.
impl Core {
    /// Until the attempt runs, or a guard answers.
    pub(super) fn poll_start(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Rejected>> {
        while self.phase() != Phase::Running {
            match self.start(Some(cx.waker())) {
                Start::Now => break,
                Start::Refused(rejected) => return Poll::Ready(Err(rejected)),
                Start::Later => ready!(timer.as_mut().poll_until(self.until(), cx)),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Until the next attempt may start, or a guard says that it may not.
    pub(super) fn poll_backoff(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<Next> {
        loop {
            ready!(timer.as_mut().poll_until(self.until(), cx));
            if let Poll::Ready(next) = self.resume() {
                return Poll::Ready(next);
            }
        }
    }
}

/// Polls the body in its context, and judges what it returns while a panic still counts as the body's.
pub(super) fn poll_body<R>(
    core: &mut Core,
    body: Pin<&mut dyn Body<R>>,
    judge: Judge<R>,
    cx: &mut Context<'_>,
) -> Poll<(R, Judgement)> {
    let polled = {
        let _inside = core.inside();
        match body.poll(cx) {
            Poll::Ready(outcome) => {
                let judgement = judge(&outcome);
                Poll::Ready((outcome, judgement))
            }
            Poll::Pending => Poll::Pending,
        }
    };
    core.outside();
    polled
}
