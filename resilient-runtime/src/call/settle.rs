//! After an attempt: what it was to each guard, and whether another one follows.

use super::core::{Core, End, Next};
use crate::{
    breaker::{Sample, Ticket},
    outcome::{Judgement, Overruled},
    rejected::{Rejected, RejectedKind},
    stop::Stop,
    time::{Moment, now},
    verdict::{Class, Verdict},
};
use resilient_policy::Scope;
use std::time::Duration;

impl Core {
    /// The body returned.
    pub(crate) fn settle(&mut self, judgement: Judgement, cooperative: bool) -> Next {
        let at = now();
        let ran = at.since(self.started);
        // What a cooperative body brings late was slow, whatever `slow_ms` says.
        let late = cooperative && at > self.until && judgement.verdict.is_none();
        let slow = late || self.slow_limit().is_some_and(|limit| ran > limit);
        if slow {
            self.operation.counters.slow.add();
        }
        let sample = judgement.sample(slow);
        self.tell(sample, at);
        if let Some(latencies) = self.operation.latencies.as_ref().filter(|_| judgement.is_sample()) {
            latencies.record(ran, at);
        }
        let Some(verdict) = judgement.verdict else {
            self.end = End::Success;
            self.operation.counters.succeeded.add();
            self.paid_off();
            return self.end(sample, None, at);
        };
        self.end = if verdict.class == Class::Permanent { End::Permanent } else { End::Failure };
        let why = if judgement.overruled == Some(Overruled::Success) {
            Stop::NotRepeatable
        } else {
            match self.grant(verdict, at) {
                Ok(wait) => return self.back_off(at, wait, (sample, verdict.class)),
                Err(why) => why,
            }
        };
        self.operation.counters.failed_as(verdict.class);
        self.end(sample, Some(why), at)
    }

    /// The attempt ran out of time. The rejection is what the caller gets if this was the last attempt.
    pub(crate) fn cut(&mut self) -> (Next, Rejected) {
        let at = now();
        let ran = at.since(self.started);
        self.end = End::Failure;
        self.cut_short(self.started, at);
        if self.until < self.deadline {
            let limit_ms = u32::try_from(self.until.since(self.started).as_millis()).unwrap_or(u32::MAX);
            let kind = RejectedKind::TimedOut { limit_ms };
            self.operation.counters.rejected(kind);
            let sample = self.failure_by_time();
            self.tell(sample, at);
            let next = match self.grant(Verdict::TIMEOUT, at) {
                Ok(wait) => self.back_off(at, wait, (sample, Class::Timeout)),
                Err(why) => {
                    self.operation.counters.failed_as(Class::Timeout);
                    self.end(sample, Some(why), at)
                }
            };
            return (next, Rejected::new(self.operation.name, kind, None));
        }
        let kind = RejectedKind::Deadline;
        self.operation.counters.rejected(kind);
        let to_blame = if self.own_deadline {
            self.before.is_some() || self.limit().is_none_or(|limit| ran >= limit / 2)
        } else {
            self.ran_too_long(ran)
        };
        let sample = if to_blame { self.failure_by_time() } else { Sample::Neutral };
        self.tell(sample, at);
        (self.end(sample, Some(Stop::NoTime), at), Rejected::new(self.operation.name, kind, None))
    }

    /// A copy that was started then is dropped: all that is known is that it would have taken longer than this. Where its
    /// caller had no more time, not even that is the dependency's.
    pub(super) fn cut_short(&self, started: Moment, at: Moment) {
        let by_caller = at >= self.until && self.until == self.deadline && !self.own_deadline;
        if let Some(latencies) = self.operation.latencies.as_ref().filter(|_| !by_caller) {
            latencies.record_censored(at.since(started), at);
        }
    }

    /// Tells the breaker of an attempt that ended, where every attempt is a sample.
    fn tell(&self, sample: Sample, at: Moment) {
        if let Some(ticket) = self.ticket.as_ref().filter(|ticket| self.tells(ticket)) {
            ticket.sample(sample, at);
        }
    }

    /// Whether the breaker is told of every attempt, and not of the call. A probe is both.
    pub(super) fn tells(&self, ticket: &Ticket) -> bool {
        !ticket.is_probe() && self.policy().breaker.is_some_and(|breaker| breaker.scope == Scope::Attempt)
    }

    /// A success, for the budget: of a retry, or of a first attempt.
    fn paid_off(&mut self) {
        match self.aside.as_mut().and_then(|aside| aside.token.take()) {
            Some(token) => token.succeeded(),
            None => {
                if let Some(budget) = self.guards().budget {
                    budget.succeeded();
                }
            }
        }
    }

    /// Whether an attempt that somebody else ended had run long enough to be the dependency's fault.
    pub(super) fn ran_too_long(&self, ran: Duration) -> bool {
        let limit = self.slow_limit().or(self.limit().map(|limit| limit / 2));
        limit.is_some_and(|limit| ran > limit)
    }

    /// An attempt that did not end in time failed, and where there is a limit for slow ones, it was slow, too.
    pub(super) fn failure_by_time(&self) -> Sample {
        Sample::Failure { slow: self.slow_limit().is_some() }
    }

    fn slow_limit(&self) -> Option<Duration> {
        self.policy().breaker.and_then(|breaker| breaker.slow)
    }
}
