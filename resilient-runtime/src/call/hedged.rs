//! One attempt as two copies: a second one starts when the first is slow, and the first good answer wins.

use super::{Call, Core, Next, core::Phase, future::poll_body};
use crate::{
    budget::Token,
    bulkhead::Permit,
    outcome::{Ending, Judgement},
    time::{Moment, now},
    verdict::Class,
};
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
        if self.forbids_repeats() {
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
        self.lost(self.started);
        if let Some(token) = copy.token {
            token.succeeded();
        }
        self.swap_permit(copy.permit);
        self.started = copy.started;
    }

    /// A copy that was started then is dropped: all that is known is that it would have taken longer than this.
    fn lost(&self, started: Moment) {
        if let Some(latencies) = &self.operation().latencies {
            let at = now();
            latencies.record_censored(at.since(started), at);
        }
    }
}

impl Call {
    /// One attempt in up to two copies, and the wait before the next attempt if there is to be one.
    ///
    /// `make` is called once for each copy. Both places are pinned by the caller, and emptied before this is ready.
    pub fn hedged<'a, F: Future, M: FnMut() -> F, J: Fn(&F::Output) -> Judgement>(
        self: Pin<&'a mut Self>,
        first: Pin<&'a mut Option<F>>,
        second: Pin<&'a mut Option<F>>,
        make: M,
        judge: J,
    ) -> Hedged<'a, F, M, J> {
        Hedged { call: self, first, second, make, judge, due: Moment::NEVER, copy: None, failed: None, held: None }
    }
}

/// One attempt in up to two copies: `Break` with how the call ended, `Continue` where the next attempt may start.
#[must_use = "futures do nothing unless polled"]
pub struct Hedged<'a, F: Future, M, J> {
    call: Pin<&'a mut Call>,
    first: Pin<&'a mut Option<F>>,
    second: Pin<&'a mut Option<F>>,
    make: M,
    judge: J,
    /// When the second copy is due.
    due: Moment,
    /// What the second copy holds while it runs.
    copy: Option<Copy>,
    /// The first copy's failure, while the second still runs.
    failed: Option<(F::Output, Judgement)>,
    /// What the call ends with if a guard refuses the retry it now waits for.
    held: Option<Ending<F::Output>>,
}

/// Nothing in here is pinned in place: the call and the copies are pinned where they are borrowed from.
impl<F: Future, M, J> Unpin for Hedged<'_, F, M, J> {}

impl<F: Future, M: FnMut() -> F, J: Fn(&F::Output) -> Judgement> Future for Hedged<'_, F, M, J> {
    type Output = ControlFlow<Ending<F::Output>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.held.is_none() {
            match ready!(this.poll_attempt(cx)) {
                (Next::End, ending) => return Poll::Ready(ControlFlow::Break(ending)),
                (Next::Retry, ending) => this.held = Some(ending),
            }
        }
        let next = ready!(this.call.as_mut().poll_backoff(cx));
        Poll::Ready(match (next, this.held.take()) {
            (Next::End, Some(ending)) => ControlFlow::Break(ending),
            _ => ControlFlow::Continue(()),
        })
    }
}

impl<F: Future, M: FnMut() -> F, J: Fn(&F::Output) -> Judgement> Hedged<'_, F, M, J> {
    /// Up to the end of the attempt, and what follows it.
    fn poll_attempt(&mut self, cx: &mut Context<'_>) -> Poll<(Next, Ending<F::Output>)> {
        let starts = self.call.core.phase() != Phase::Running;
        if let Err(rejected) = ready!(self.call.as_mut().poll_start(cx)) {
            return Poll::Ready((Next::End, Err(rejected)));
        }
        if starts {
            self.due = self.call.as_mut().project().core.hedge_due();
            let first = (self.make)();
            self.first.set(Some(first));
        }
        loop {
            if let Some(answer) = self.poll_copies(cx) {
                return Poll::Ready(answer);
            }
            let mut call = self.call.as_mut().project();
            let until = call.core.until();
            if self.due < until {
                ready!(call.timer.as_mut().poll_until(self.due, cx));
                self.due = Moment::NEVER;
                self.copy = call.core.hedge();
                if self.copy.is_some() {
                    let second = (self.make)();
                    self.second.set(Some(second));
                }
                continue;
            }
            ready!(call.timer.as_mut().poll_until(until, cx));
            return Poll::Ready(self.cut());
        }
    }

    /// Asks each copy that runs; the first answer ends the attempt, and drops the other copy.
    fn poll_copies(&mut self, cx: &mut Context<'_>) -> Option<(Next, Ending<F::Output>)> {
        if let Some((outcome, judgement)) = self.poll_one(Which::First, cx) {
            self.first.set(None);
            if self.copy.is_none() || judgement.is_answer() {
                return Some(self.settle(outcome, judgement));
            }
            self.failed = Some((outcome, judgement));
            // The second copy is all there is to wait for.
            self.due = Moment::NEVER;
        }
        let (outcome, judgement) = self.poll_one(Which::Second, cx)?;
        self.second.set(None);
        if judgement.is_answer() {
            self.first.set(None);
            if let Some(copy) = self.copy.take() {
                self.call.as_mut().project().core.take_over(copy);
            }
            return Some(self.settle(outcome, judgement));
        }
        self.copy = None;
        // Both failed: the first one's failure stands. It alone is left to wait for where it still runs.
        let (outcome, judgement) = self.failed.take()?;
        Some(self.settle(outcome, judgement))
    }

    fn poll_one(&mut self, which: Which, cx: &mut Context<'_>) -> Option<(F::Output, Judgement)> {
        let body = match which {
            Which::First => &mut self.first,
            Which::Second => &mut self.second,
        };
        body.as_ref().as_pin_ref()?;
        match poll_body(self.call.as_mut().project().core, body.as_mut(), &self.judge, cx) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }

    /// The loser is let go before the answer is returned.
    fn settle(&mut self, outcome: F::Output, judgement: Judgement) -> (Next, Ending<F::Output>) {
        self.let_go();
        (self.call.as_mut().project().core.settle(judgement, false), Ok(outcome))
    }

    /// The attempt ran out of time. A failure that the first copy did return is a better answer than that.
    fn cut(&mut self) -> (Next, Ending<F::Output>) {
        if let Some((outcome, judgement)) = self.failed.take() {
            return self.settle(outcome, judgement);
        }
        self.let_go();
        let (next, rejected) = self.call.as_mut().project().core.cut();
        (next, Err(rejected))
    }

    /// Bodies first: a permit is given back when its work has really ended.
    fn let_go(&mut self) {
        self.first.set(None);
        self.second.set(None);
        if let Some(copy) = self.copy.take() {
            self.call.as_mut().project().core.lost(copy.started);
        }
    }
}

impl<F: Future, M, J> Drop for Hedged<'_, F, M, J> {
    fn drop(&mut self) {
        self.first.set(None);
        self.second.set(None);
    }
}

#[derive(Clone, Copy)]
enum Which {
    First,
    Second,
}
