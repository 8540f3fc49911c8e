//! The end of a call, however it comes: every guard takes back what it gave.

use super::core::{Core, End, Next, Phase};
use crate::{
    breaker::Sample,
    bulkhead::Served,
    context,
    rejected::{Rejected, RejectedKind},
    stop::{self, Stop},
    time::{Moment, now},
};
use std::time::Duration;

impl Core {
    pub(super) fn reject(&mut self, kind: RejectedKind, retry_after: Option<Duration>) -> Rejected {
        self.operation.counters.rejected(kind);
        self.end = End::Failure;
        self.release(Sample::Neutral, now());
        self.announce(false, None);
        Rejected::new(self.operation.name, kind, retry_after)
    }

    /// Another call's answer is this one's, too; no guard hears of it twice.
    pub(super) fn answered(&mut self, end: End, why: Option<Stop>) {
        self.end = end;
        self.operation.counters.coalesced.add();
        self.release(Sample::Neutral, now());
        self.announce(end == End::Success, why);
    }

    pub(super) fn end(&mut self, sample: Sample, why: Option<Stop>, at: Moment) -> Next {
        let told = self.ticket.as_ref().is_some_and(|ticket| self.tells(ticket));
        if told {
            self.ticket = None;
        }
        self.release(sample, at);
        if let Some(why) = why {
            self.operation.counters.stopped(why);
        }
        self.announce(why.is_none(), why);
        Next::End
    }

    /// Tells the caller, and the attempt around the call, how it ended.
    fn announce(&self, succeeded: bool, why: Option<Stop>) {
        stop::set(why);
        let retried = self.policy().retries > 0 && why.is_some_and(|why| why != Stop::NotRepeatable);
        context::ended(|inner| {
            if succeeded {
                *inner = context::Inner::default();
            } else {
                inner.failed = Some(self.operation);
                inner.retried |= retried;
            }
        });
    }

    /// Every guard takes back what it gave.
    fn release(&mut self, sample: Sample, at: Moment) {
        self.release_as(sample, served(sample), at);
    }

    /// The same, where an adaptive limit is told something else than the breaker.
    fn release_as(&mut self, sample: Sample, served: Served, at: Moment) {
        self.phase = Phase::Over;
        if let Some(budget) = self.guards().budget.filter(|_| self.context.attempt > 0) {
            budget.ended();
        }
        if let Some(ticket) = self.ticket.take() {
            ticket.record(sample, at);
        }
        let ran = at.since(self.started);
        match (self.permit.take(), self.guards().gate) {
            (Some(permit), _) => permit.finish(served, ran, at),
            // The permit stayed with a body that was left behind; how the call ended is known all the same.
            (None, Some(gate)) if self.context.attempt > 0 => gate.sample(served, ran, at),
            _ => {}
        }
        // Last: what was given back above must not meet another key's state.
        self.aside = None;
        self.operation.counters.go_out();
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let at = match self.phase {
            Phase::Over => return,
            _ => now(),
        };
        let sample = match self.phase {
            Phase::Inside => {
                self.operation.counters.panicked.add();
                Sample::Failure { slow: false }
            }
            Phase::Running if self.ran_too_long(at.since(self.started)) => {
                self.operation.counters.dropped.add();
                // To an adaptive limit it is nothing: how long the answer would have taken, nobody knows.
                return self.release_as(self.failure_by_time(), Served::Unknown, at);
            }
            _ => {
                self.operation.counters.dropped.add();
                Sample::Neutral
            }
        };
        self.release(sample, at);
    }
}

/// What an ended call tells an adaptive limit.
fn served(sample: Sample) -> Served {
    match sample {
        Sample::Success { .. } => Served::Answered,
        Sample::Failure { .. } | Sample::Throttled => Served::Failed,
        Sample::Neutral => Served::Unknown,
    }
}
