//! Between two attempts: whether the call may be repeated, and after which wait.

use super::core::{Core, Next, Phase};
use crate::{
    breaker::Sample,
    random,
    stop::Stop,
    time::{Moment, now},
    verdict::{Class, Executed, Hint, Verdict},
};
use resilient_policy::{Jitter, Policy, Safety};
use std::{task::Poll, time::Duration};

impl Core {
    /// May the call be repeated, and after which wait? The order is the design's: what costs nothing first, the token
    /// last.
    pub(super) fn grant(&mut self, verdict: Verdict, at: Moment) -> Result<Duration, Stop> {
        let policy = self.policy();
        if !is_repeatable(policy, self.context.key.is_some(), verdict) {
            return Err(Stop::NotRepeatable);
        }
        if let Some(budget) = self.guards().budget {
            budget.attempt_failed();
        }
        if self.context.attempt > policy.retries {
            return Err(Stop::Exhausted);
        }
        let wait = self.backoff(verdict)?;
        let half_an_attempt = policy.attempt_timeout().unwrap_or_default() / 2;
        if at.after(wait).after(half_an_attempt) > self.deadline {
            return Err(Stop::NoTime);
        }
        if self.forbids_repeats() {
            return Err(Stop::CircuitOpen);
        }
        if self.context.inner().retried {
            return Err(Stop::InnerLayer);
        }
        if let Some(budget) = self.guards().budget {
            // The last retry's is over before the next one's is asked for.
            self.aside().token = None;
            self.aside().token = Some(budget.withdraw(verdict.class).ok_or(Stop::Budget)?);
        }
        Ok(wait)
    }

    /// The wait before the next attempt: jitter, lengthened by a hint, never shorter than it.
    fn backoff(&mut self, Verdict { class, hint, .. }: Verdict) -> Result<Duration, Stop> {
        let retry = self.policy().retry;
        let before = self.aside.as_ref().map_or(Duration::ZERO, |aside| aside.waited);
        let (least, most) = retry.spread(self.context.attempt.saturating_sub(1), before, class == Class::Throttled);
        let wait = random::between(least, most);
        if retry.jitter == Jitter::Decorrelated {
            self.aside().waited = wait;
        }
        match hint {
            Hint::None => Ok(wait),
            Hint::Stop => Err(Stop::Pushback),
            Hint::After(least) if least > retry.longest_hint() => Err(Stop::Pushback),
            // A tenth more at random: whoever heard the same hint must not come back at the same moment.
            Hint::After(least) => Ok(wait.max(random::between(least, random::scaled(least, 1.1)))),
        }
    }

    pub(super) fn back_off(&mut self, at: Moment, wait: Duration, attempt: (Sample, Class)) -> Next {
        self.before = Some(attempt);
        self.until = at.after(wait);
        self.phase = Phase::Backoff;
        Next::Retry
    }

    /// The backoff is over: may the next attempt still start? Pending: it waits for its turn at the rate limit.
    pub(crate) fn resume(&mut self) -> Poll<Next> {
        let at = now();
        let why = if at >= self.deadline {
            Stop::NoTime
        } else if self.forbids_repeats() {
            Stop::CircuitOpen
        } else if !self.has_permit() {
            Stop::Full
        } else {
            match self.turn(at) {
                Ok(Poll::Pending) => return Poll::Pending,
                Ok(Poll::Ready(())) => {
                    self.phase = Phase::Granted;
                    return Poll::Ready(Next::Retry);
                }
                Err(_) => Stop::RateLimit,
            }
        };
        Poll::Ready(self.call_off(why))
    }

    /// A call that left its permit with a body still running needs one more for the next body.
    fn has_permit(&mut self) -> bool {
        match self.guards().gate {
            Some(gate) if self.permit.is_none() => {
                self.permit = gate.try_acquire_as(self.context.criticality);
                self.permit.is_some()
            }
            _ => true,
        }
    }

    /// A guard refuses the retry: the call ends as its last attempt did, and the token comes back.
    pub(super) fn call_off(&mut self, why: Stop) -> Next {
        let (sample, class) = self.before.expect("a backoff follows a failed attempt");
        self.operation.counters.failed_as(class);
        self.end(sample, Some(why), now())
    }
}

/// What the function declares repeatable: design §5.
fn is_repeatable(policy: &Policy, has_key: bool, verdict: Verdict) -> bool {
    let class = match verdict.class {
        Class::Transient | Class::Timeout | Class::Throttled => true,
        // Opted in, and only when the dependency said when.
        Class::Overloaded => policy.retry.overloaded && matches!(verdict.hint, Hint::After(_)),
        Class::Permanent => false,
    };
    let unsent = verdict.executed == Executed::No;
    let declared = match policy.safety {
        Safety::Write => (policy.keyed && has_key) || (policy.retry.only_unsent && unsent),
        Safety::Read | Safety::Undeclared => policy.reads(),
    };
    class && declared && (unsent || !policy.retry.only_unsent)
}
