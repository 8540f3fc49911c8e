//! Before an attempt: what a call passes, and where it waits.

use super::{
    aside::Waiting,
    core::{Core, Phase},
};
use crate::{
    bulkhead::{Entry, Gone, Permit},
    operation::Guards,
    rejected::{Rejected, RejectedKind},
    time::{Moment, now},
};
use std::{
    task::{Poll, Waker},
    time::Duration,
};

/// A timer may fire this much late, as tokio's do; a probe's slot is not taken back before its own timer could fire.
const TIMER_LATENESS: Duration = Duration::from_millis(1);

/// What a call that wants to start an attempt is told.
#[derive(Debug)]
pub(crate) enum Start {
    /// Run the body.
    Now,
    /// Ask again at [`Core::until`], or when woken.
    Later,
    /// A guard answers.
    Refused(Rejected),
}

/// A guard's no to a first attempt, and when to come back.
type Refusal = (RejectedKind, Option<Duration>);

impl Core {
    /// Admits the call at its first attempt, and starts an attempt. Without a waker, waits for a permit right here.
    pub(crate) fn start(&mut self, waker: Option<&Waker>) -> Start {
        if self.phase == Phase::Granted {
            self.operation.counters.retries.add();
            if let Some(token) = self.aside.as_mut().and_then(|aside| aside.token.as_mut()) {
                token.start();
            }
            self.run(now());
            return Start::Now;
        }
        let at = if self.phase == Phase::Arriving { self.started } else { now() };
        match self.admit(at, waker) {
            Err((kind, retry_after)) => Start::Refused(self.reject(kind, retry_after)),
            Ok(Poll::Pending) => Start::Later,
            Ok(Poll::Ready(at)) => {
                if let Some(budget) = self.guards().budget {
                    budget.called();
                }
                self.run(at);
                Start::Now
            }
        }
    }

    fn run(&mut self, at: Moment) {
        self.operation.counters.attempts.add();
        self.context.attempt = self.context.attempt.saturating_add(1);
        self.started = at;
        self.until = self.limit().map_or(self.deadline, |limit| at.after(limit).min(self.deadline));
        self.context.deadline = self.until;
        self.context.begin();
        self.phase = Phase::Running;
    }

    /// deadline ( breaker, a look ( bulkhead ( breaker ( rate limit
    ///
    /// Every step that waits leaves a phase behind, from which the next poll goes on.
    fn admit(&mut self, mut at: Moment, waker: Option<&Waker>) -> Result<Poll<Moment>, Refusal> {
        if self.phase == Phase::Arriving {
            self.arrive(at)?;
        }
        if self.phase == Phase::Queued {
            let Some(permit) = self.queue(at, waker)? else { return Ok(Poll::Pending) };
            self.permit = Some(permit);
            at = now();
        }
        if self.phase == Phase::Limited {
            if at < self.until {
                return Ok(Poll::Pending);
            }
            // What the breaker said before the wait holds no longer.
            self.ticket = None;
            if self.deadline <= at {
                return Err((RejectedKind::Expired, None));
            }
        }
        self.pass_breaker(at)?;
        let turn = self.turn(at)?;
        if turn.is_pending() {
            // A probe's time begins when its turn has come, and so does the end of its slot.
            if let (Some(ticket), Some(lease)) = (&self.ticket, self.lease()) {
                ticket.hold(self.until.after(lease));
            }
            self.phase = Phase::Limited;
        }
        Ok(turn.map(|()| at))
    }

    fn arrive(&mut self, at: Moment) -> Result<(), Refusal> {
        let Guards { breaker, gate, .. } = *self.guards();
        if self.deadline <= at {
            return Err((RejectedKind::Expired, None));
        }
        if let Some(breaker) = breaker {
            breaker.peek(at).map_err(|refused| (RejectedKind::Open, refused.retry_after))?;
        }
        let Some(gate) = gate else { return Ok(()) };
        match gate.enter(at, self.context.criticality, self.deadline) {
            Entry::Permit(permit) => self.permit = Some(permit),
            Entry::Full => return Err((RejectedKind::Full { limit: gate.limit() }, None)),
            Entry::Wait(waiter) => {
                self.operation.counters.queued.add();
                self.until = waiter.until();
                self.aside().waiting = Some(Waiting::Permit(waiter));
                self.phase = Phase::Queued;
            }
        }
        Ok(())
    }

    /// The permit that this call waits for; `None`: not yet.
    fn queue(&mut self, at: Moment, waker: Option<&Waker>) -> Result<Option<Permit>, Refusal> {
        let Some(Waiting::Permit(mut waiter)) = self.aside().waiting.take() else { return Ok(None) };
        let polled = match waker {
            None => Poll::Ready(waiter.block()),
            Some(waker) => match waiter.poll(at, Some(waker)) {
                Poll::Pending => {
                    self.aside().waiting = Some(Waiting::Permit(waiter));
                    Poll::Pending
                }
                ready => ready,
            },
        };
        match polled {
            Poll::Pending => Ok(None),
            Poll::Ready(Ok(permit)) => Ok(Some(permit)),
            Poll::Ready(Err(Gone::Expired)) => Err((RejectedKind::Expired, None)),
            Poll::Ready(Err(Gone::Full)) => {
                Err((RejectedKind::Full { limit: self.guards().gate.map_or(0, |gate| gate.limit()) }, None))
            }
        }
    }

    fn pass_breaker(&mut self, at: Moment) -> Result<(), Refusal> {
        let Some(breaker) = self.guards().breaker else { return Ok(()) };
        let ticket = breaker.admit(at, self.lease()).map_err(|refused| (RejectedKind::Open, refused.retry_after))?;
        self.ticket = Some(ticket);
        Ok(())
    }

    /// A rate permit: now, or at [`Core::until`].
    pub(super) fn turn(&mut self, at: Moment) -> Result<Poll<()>, Refusal> {
        let Some(limiter) = self.guards().rate_limit else { return Ok(Poll::Ready(())) };
        let waiting = self.aside.as_mut().and_then(|aside| aside.waiting.take());
        let turn = match waiting {
            Some(Waiting::Turn(turn)) => turn,
            _ => limiter.reserve(at, self.deadline).map_err(|refused| (RejectedKind::Limited, refused.retry_after))?,
        };
        if turn.ready_at() <= at {
            turn.spend();
            return Ok(Poll::Ready(()));
        }
        self.until = turn.ready_at();
        self.aside().waiting = Some(Waiting::Turn(turn));
        Ok(Poll::Pending)
    }

    /// The time that this attempt may take.
    pub(super) fn limit(&self) -> Option<Duration> {
        match &self.ticket {
            Some(ticket) if ticket.is_probe() => self.probe_timeout(),
            _ => self.policy().attempt_timeout(),
        }
    }

    /// How long a probe has its slot.
    fn lease(&self) -> Option<Duration> {
        self.probe_timeout().map(|limit| limit.saturating_add(TIMER_LATENESS))
    }

    pub(super) fn probe_timeout(&self) -> Option<Duration> {
        let written = self.policy().breaker.and_then(|breaker| breaker.probe_timeout);
        written.or(self.policy().attempt_timeout())
    }
}
