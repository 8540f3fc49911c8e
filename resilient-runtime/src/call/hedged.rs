//! One attempt as two copies: a second one starts when the first is slow, and the first good answer wins.

use super::{Call, Core, Judge, Next, core::Phase, future::poll_body};
use crate::{
    budget::Token,
    bulkhead::Permit,
    outcome::{Ending, Judgement},
    time::{Moment, Timer, now},
    verdict::Class,
};
use pin_project_lite::pin_project;
use resilient_policy::HedgeDelay;
use std::{
    future::Future,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};

/// What the second copy of an attempt paid for itself.
#[derive(Debug)]
pub(super) struct Copy {
    started: Moment,
    permit: Option<Permit>,
    token: Option<Token>,
}

impl Core {
    /// When the second copy of the running attempt is due: never for a probe, which is one attempt.
    fn hedge_due(&self) -> Moment {
        let Some(hedge) = self.operation().policy.hedge.filter(|_| !self.is_probe()) else { return Moment::NEVER };
        let delay = match hedge.delay {
            HedgeDelay::After(delay) => Some(delay),
            HedgeDelay::Percentile(share) => {
                let latencies = self.operation().latencies.as_ref();
                latencies.and_then(|seen| seen.percentile(share, hedge.min_samples, self.started))
            }
        };
        delay.map_or(Moment::NEVER, |delay| self.started.after(delay))
    }

    /// The second copy, if it may start: each guard is tried without waiting, and the costliest, the token, last. A
    /// refusal only keeps it from starting.
    fn hedge(&self) -> Option<Copy> {
        let at = now();
        let guards = self.guards();
        // A poll may come so late that the attempt is over, too.
        if at >= self.until() || self.forbids_repeats() {
            return None;
        }
        let permit = match guards.gate {
            Some(gate) => Some(gate.try_acquire_as(self.context.criticality)?),
            None => None,
        };
        let turn = match guards.rate_limit {
            Some(limiter) => Some(limiter.try_now(at)?),
            None => None,
        };
        let token = match guards.budget {
            Some(budget) => {
                let mut token = budget.withdraw(Class::Timeout)?;
                token.start();
                Some(token)
            }
            None => None,
        };
        if let Some(turn) = turn {
            turn.spend();
        }
        self.operation().counters.attempts.add();
        self.operation().counters.hedges.add();
        Some(Copy { started: at, permit, token })
    }

    /// The second copy answered first, and well: it is the attempt from here on, and the first copy lost.
    fn take_over(&mut self, copy: Copy) {
        self.operation().counters.hedges_won.add();
        self.cut_short(self.started, now());
        self.swap(copy.permit, copy.token);
        self.started = copy.started;
    }
}

impl Call {
    /// One attempt in up to two copies, and the wait before the next attempt if there is to be one.
    ///
    /// `make` is called once for each copy.
    pub fn hedged<F, M, R>(&mut self, make: M, judge: Judge<R>) -> Hedged<'_, F, M, R>
    where
        F: Future<Output = R>,
        M: FnMut() -> F,
    {
        Hedged {
            first: None,
            second: None,
            timer: Timer::new(),
            make,
            judge,
            due: Moment::NEVER,
            copy: None,
            failed: None,
            held: None,
            call: self,
        }
    }
}

pin_project! {
    /// One attempt in up to two copies: `Break` with how the call ended, `Continue` where the next attempt may start.
    ///
    /// What is dropped first comes first: a permit is given back when its work has really ended.
    #[project = Copies]
    #[must_use = "futures do nothing unless polled"]
    pub struct Hedged<'a, F, M, R> {
        #[pin]
        first: Option<F>,
        #[pin]
        second: Option<F>,
        #[pin]
        timer: Timer,
        make: M,
        judge: Judge<R>,
        // When the second copy is due.
        due: Moment,
        // What the second copy holds while it runs.
        copy: Option<Copy>,
        // The first copy's failure, while the second still runs.
        failed: Option<(R, Judgement)>,
        // What the call ends with if a guard refuses the retry it now waits for.
        held: Option<Ending<R>>,
        call: &'a mut Call,
    }
}

impl<F: Future<Output = R>, M: FnMut() -> F, R> Future for Hedged<'_, F, M, R> {
    type Output = ControlFlow<Ending<R>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if this.held.is_none() {
            match ready!(this.poll_attempt(cx)) {
                (Next::End, ending) => return Poll::Ready(ControlFlow::Break(ending)),
                (Next::Retry, ending) => *this.held = Some(ending),
            }
        }
        let next = ready!(this.call.core.poll_backoff(this.timer, cx));
        Poll::Ready(match (next, this.held.take()) {
            (Next::End, Some(ending)) => ControlFlow::Break(ending),
            _ => ControlFlow::Continue(()),
        })
    }
}

impl<F: Future<Output = R>, M: FnMut() -> F, R> Copies<'_, '_, F, M, R> {
    /// Up to the end of the attempt, and what follows it.
    fn poll_attempt(&mut self, cx: &mut Context<'_>) -> Poll<(Next, Ending<R>)> {
        let starts = self.call.core.phase() != Phase::Running;
        if let Err(rejected) = ready!(self.call.core.poll_start(self.timer.as_mut(), cx)) {
            return Poll::Ready((Next::End, Err(rejected)));
        }
        if starts {
            *self.due = self.call.core.hedge_due();
            let copy = self.make();
            self.first.set(Some(copy));
        }
        loop {
            if let Some(answer) = self.poll_copies(cx) {
                return Poll::Ready(answer);
            }
            let until = self.call.core.until();
            if *self.due >= until {
                ready!(self.timer.as_mut().poll_until(until, cx));
                return Poll::Ready(self.cut());
            }
            ready!(self.timer.as_mut().poll_until(*self.due, cx));
            *self.due = Moment::NEVER;
            *self.copy = self.call.core.hedge();
            if self.copy.is_some() {
                let copy = self.make();
                self.second.set(Some(copy));
            }
        }
    }

    /// A new copy. What a closure does before it returns its future is the body's, too: it has the attempt's context, and
    /// its panics are failures.
    fn make(&mut self) -> F {
        let copy = {
            let _inside = self.call.core.inside();
            (self.make)()
        };
        self.call.core.outside();
        copy
    }

    /// Asks each copy that runs; the first answer ends the attempt, and drops the other copy.
    fn poll_copies(&mut self, cx: &mut Context<'_>) -> Option<(Next, Ending<R>)> {
        let (core, judge) = (&mut self.call.core, *self.judge);
        if let Some((outcome, judgement)) = poll_copy(core, self.first.as_mut(), judge, cx) {
            if self.copy.is_none() || judgement.is_answer() {
                return Some(self.settle(outcome, judgement));
            }
            *self.failed = Some((outcome, judgement));
        }
        let (outcome, judgement) = poll_copy(&mut self.call.core, self.second.as_mut(), judge, cx)?;
        let copy = self.copy.take();
        if judgement.is_answer() {
            self.first.set(None);
            if let Some(copy) = copy {
                self.call.core.take_over(copy);
            }
            return Some(self.settle(outcome, judgement));
        }
        // It has ended, before anything is asked for in its place.
        drop(copy);
        // Both failed: the first one's failure stands. It alone is left to wait for where it still runs.
        let (outcome, judgement) = self.failed.take()?;
        Some(self.settle(outcome, judgement))
    }

    /// The loser is let go before the answer is returned.
    fn settle(&mut self, outcome: R, judgement: Judgement) -> (Next, Ending<R>) {
        self.let_go();
        (self.call.core.settle(judgement, false), Ok(outcome))
    }

    /// The attempt ran out of time. A failure that the first copy did return is a better answer than that.
    fn cut(&mut self) -> (Next, Ending<R>) {
        if let Some((outcome, judgement)) = self.failed.take() {
            return self.settle(outcome, judgement);
        }
        self.let_go();
        let (next, rejected) = self.call.core.cut();
        (next, Err(rejected))
    }

    /// Bodies first: a permit is given back when its work has really ended.
    fn let_go(&mut self) {
        self.first.set(None);
        self.second.set(None);
        if let Some(copy) = self.copy.take() {
            self.call.core.cut_short(copy.started, now());
        }
    }
}

/// The answer of a copy, if it runs and is ready; it is dropped then.
fn poll_copy<F: Future>(
    core: &mut Core,
    mut copy: Pin<&mut Option<F>>,
    judge: Judge<F::Output>,
    cx: &mut Context<'_>,
) -> Option<(F::Output, Judgement)> {
    copy.as_ref().as_pin_ref()?;
    let Poll::Ready(answer) = poll_body(core, copy.as_mut(), judge, cx) else { return None };
    copy.set(None);
    Some(answer)
}
