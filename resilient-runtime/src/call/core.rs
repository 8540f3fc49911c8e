//! The layers of one call.

use crate::{
    breaker::{Sample, Ticket},
    budget::Token,
    bulkhead::Permit,
    context::{self, Context},
    idempotency::IdempotencyKey,
    operation::{Operation, Site},
    outcome::{Judgement, Overruled},
    random,
    rejected::{Rejected, RejectedKind},
    stop::{self, Stop},
    time::{Moment, now},
    verdict::{Class, Executed, Hint, Verdict},
};
use resilient_policy::{Jitter, Policy, Safety, Shape};
use std::time::Duration;

/// A timer may fire this much late, as tokio's do; a probe's slot is not taken back before its own timer could fire.
const TIMER_LATENESS: Duration = Duration::from_millis(1);

/// One call on its way through the guards.
#[derive(Debug)]
pub(crate) struct Core {
    operation: &'static Operation,
    /// The smaller of the operation's own deadline and the caller's.
    deadline: Moment,
    /// Whether `deadline` is the operation's own.
    own_deadline: bool,
    phase: Phase,
    /// When the call came in, then when the running attempt started.
    started: Moment,
    /// When the running attempt is cut, the backoff is over, or plan B is late.
    pub(super) until: Moment,
    /// What the attempt before the one to come was, once one has failed.
    before: Option<(Sample, Class)>,
    /// The wait before the retry before this one in nanoseconds, which decorrelated jitter grows from.
    waited: u64,
    /// The context of the running attempt; `attempt` counts from 1.
    pub(super) context: Context,
    permit: Option<Permit>,
    ticket: Option<Ticket>,
    token: Option<Token>,
    pub(super) end: End,
    /// Whether there is an outcome to return if plan B does not answer.
    pub(super) bounded: bool,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before the first attempt, or between a granted retry and its attempt.
    Between,
    /// An attempt has started and nobody is inside it.
    Running,
    /// The thread is inside the body: to be dropped in this phase means that the body panicked.
    Inside,
    /// Waiting for the next attempt.
    Backoff,
    /// Ended.
    Over,
}

/// How a call ended, for plan B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Success,
    /// The dependency answered, and will answer the same again.
    Permanent,
    /// It failed otherwise, or a guard answered.
    Failure,
}

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The call ends with this attempt's outcome.
    End,
    /// One more attempt, at [`Core::until`].
    Retry,
}

impl Core {
    pub(crate) fn new(site: &'static Site, shape: Shape) -> Self {
        let operation = site.operation(shape);
        operation.counters.come_in();
        let context = Context::inherited();
        let entered = now();
        let own = operation.policy.deadline.map_or(Moment::NEVER, |limit| entered.after(limit));
        Self {
            operation,
            deadline: own.min(context.deadline),
            own_deadline: own <= context.deadline,
            phase: Phase::Between,
            started: entered,
            until: Moment::NEVER,
            before: None,
            waited: 0,
            context: Context { attempt: 0, ..context },
            permit: None,
            ticket: None,
            token: None,
            end: End::Failure,
            bounded: true,
        }
    }

    pub(crate) fn carry(&mut self, key: IdempotencyKey) {
        self.context.key = Some(key);
    }

    pub(crate) fn operation(&self) -> &'static Operation {
        self.operation
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// When the running attempt is cut, or the backoff is over.
    pub(super) fn until(&self) -> Moment {
        self.until
    }

    /// Whether no attempt can follow the next one.
    pub(crate) fn is_last(&self) -> bool {
        self.context.attempt >= self.policy().retries
    }

    fn policy(&self) -> &'static Policy {
        &self.operation.policy
    }

    // ===== before an attempt =====

    /// Admits the call at its first attempt, and starts an attempt.
    pub(crate) fn start(&mut self) -> Result<(), Rejected> {
        let first = self.context.attempt == 0;
        let at = if first { self.started } else { now() };
        if first {
            if let Err((kind, retry_after)) = self.admit(at) {
                return Err(self.reject(kind, retry_after));
            }
            if let Some(budget) = self.operation.budget {
                budget.called();
            }
        } else {
            self.operation.counters.retries.add();
        }
        if let Some(token) = self.token.take() {
            token.spend();
        }
        let limit = self.limit();
        self.operation.counters.attempts.add();
        self.context.attempt = self.context.attempt.saturating_add(1);
        self.started = at;
        self.until = limit.map_or(self.deadline, |limit| at.after(limit).min(self.deadline));
        self.context.deadline = self.until;
        self.context.inner = context::Inner::default();
        self.phase = Phase::Running;
        Ok(())
    }

    /// deadline ( breaker, a look ( bulkhead ( breaker
    fn admit(&mut self, at: Moment) -> Result<(), (RejectedKind, Option<Duration>)> {
        let Operation { breaker, gate, .. } = *self.operation;
        if self.deadline <= at {
            return Err((RejectedKind::Expired, None));
        }
        if let Some(breaker) = breaker {
            breaker.peek(at).map_err(|refused| (RejectedKind::Open, refused.retry_after))?;
        }
        if let Some(gate) = gate {
            let permit = gate.try_acquire().ok_or_else(|| (RejectedKind::Full { limit: gate.limit() }, None))?;
            self.permit = Some(permit);
        }
        if let Some(breaker) = breaker {
            let lease = self.probe_timeout().map(|limit| limit.saturating_add(TIMER_LATENESS));
            let ticket = breaker.admit(at, lease).map_err(|refused| (RejectedKind::Open, refused.retry_after))?;
            self.ticket = Some(ticket);
        }
        Ok(())
    }

    /// The time that this attempt may take.
    fn limit(&self) -> Option<Duration> {
        match &self.ticket {
            Some(ticket) if ticket.is_probe() => self.probe_timeout(),
            _ => self.policy().attempt_timeout(),
        }
    }

    fn probe_timeout(&self) -> Option<Duration> {
        let written = self.policy().breaker.and_then(|breaker| breaker.probe_timeout);
        written.or(self.policy().attempt_timeout())
    }

    // ===== inside the body =====

    /// Marks the thread as inside the body, with the attempt's context as its own until the value is dropped.
    pub(super) fn inside(&mut self) -> context::Entered<'_> {
        self.phase = Phase::Inside;
        self.context.enter()
    }

    /// The body came back to its poller without having panicked.
    pub(super) fn outside(&mut self) {
        self.phase = Phase::Running;
    }

    // ===== after an attempt =====

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
        let Some(verdict) = judgement.verdict else {
            self.end = End::Success;
            self.operation.counters.succeeded.add();
            if let Some(budget) = self.operation.budget {
                budget.succeeded();
            }
            return self.end(sample, None);
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
        self.end(sample, Some(why))
    }

    /// The attempt ran out of time. The rejection is what the caller gets if this was the last attempt.
    pub(crate) fn cut(&mut self) -> (Next, Rejected) {
        let at = now();
        let ran = at.since(self.started);
        self.end = End::Failure;
        if self.until < self.deadline {
            let limit_ms = u32::try_from(self.until.since(self.started).as_millis()).unwrap_or(u32::MAX);
            let kind = RejectedKind::TimedOut { limit_ms };
            self.operation.counters.rejected(kind);
            let sample = self.failure_by_time();
            let next = match self.grant(Verdict::TIMEOUT, at) {
                Ok(wait) => self.back_off(at, wait, (sample, Class::Timeout)),
                Err(why) => {
                    self.operation.counters.failed_as(Class::Timeout);
                    self.end(sample, Some(why))
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
        (self.end(sample, Some(Stop::NoTime)), Rejected::new(self.operation.name, kind, None))
    }

    /// Whether an attempt that somebody else ended had run long enough to be the dependency's fault.
    fn ran_too_long(&self, ran: Duration) -> bool {
        let limit = self.slow_limit().or(self.limit().map(|limit| limit / 2));
        limit.is_some_and(|limit| ran > limit)
    }

    /// An attempt that did not end in time failed, and where there is a limit for slow ones, it was slow, too.
    fn failure_by_time(&self) -> Sample {
        Sample::Failure { slow: self.slow_limit().is_some() }
    }

    fn slow_limit(&self) -> Option<Duration> {
        self.policy().breaker.and_then(|breaker| breaker.slow)
    }

    /// May the call be repeated, and after which wait? The order is the design's: what costs nothing first, the token
    /// last.
    fn grant(&mut self, verdict: Verdict, at: Moment) -> Result<Duration, Stop> {
        let policy = self.policy();
        if !is_repeatable(policy, self.context.key.is_some(), verdict) {
            return Err(Stop::NotRepeatable);
        }
        if self.context.attempt > policy.retries {
            return Err(Stop::Exhausted);
        }
        let wait = self.backoff(verdict.hint)?;
        let half_an_attempt = policy.attempt_timeout().unwrap_or_default() / 2;
        if at.after(wait).after(half_an_attempt) > self.deadline {
            return Err(Stop::NoTime);
        }
        if self.ticket.as_ref().is_some_and(|ticket| !ticket.allows_retry()) {
            return Err(Stop::CircuitOpen);
        }
        if self.context.inner.retried {
            return Err(Stop::InnerLayer);
        }
        if let Some(budget) = self.operation.budget {
            self.token = Some(budget.withdraw().ok_or(Stop::Budget)?);
        }
        Ok(wait)
    }

    /// The wait before the next attempt: jitter, lengthened by a hint, never shorter than it.
    fn backoff(&mut self, hint: Hint) -> Result<Duration, Stop> {
        let retry = &self.policy().retry;
        let ceiling = retry.ceiling(self.context.attempt.saturating_sub(1));
        let wait = match retry.jitter {
            Jitter::None => ceiling,
            Jitter::Full => random::between(Duration::ZERO, ceiling),
            Jitter::Equal => random::between(ceiling / 2, ceiling),
            Jitter::Decorrelated => {
                let most = Duration::from_nanos(self.waited).max(retry.base).saturating_mul(3).min(retry.cap);
                random::between(retry.base, most)
            }
        };
        self.waited = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        match hint {
            Hint::None => Ok(wait),
            Hint::Stop => Err(Stop::Pushback),
            Hint::After(least) if least > retry.longest_hint() => Err(Stop::Pushback),
            // A tenth more at random: whoever heard the same hint must not come back at the same moment.
            Hint::After(least) => Ok(wait.max(random::between(least, random::scaled(least, 1.1)))),
        }
    }

    fn back_off(&mut self, at: Moment, wait: Duration, attempt: (Sample, Class)) -> Next {
        self.before = Some(attempt);
        self.until = at.after(wait);
        self.phase = Phase::Backoff;
        Next::Retry
    }

    /// The backoff is over: may the next attempt still start?
    pub(crate) fn resume(&mut self) -> Next {
        let why = if now() >= self.deadline {
            Stop::NoTime
        } else if self.ticket.as_ref().is_some_and(|ticket| !ticket.allows_retry()) {
            Stop::CircuitOpen
        } else {
            self.phase = Phase::Between;
            return Next::Retry;
        };
        // A guard refuses the retry: the call ends as its last attempt did, and the token comes back.
        let (sample, class) = self.before.expect("a backoff follows a failed attempt");
        self.operation.counters.failed_as(class);
        self.end(sample, Some(why))
    }

    // ===== the end =====

    fn reject(&mut self, kind: RejectedKind, retry_after: Option<Duration>) -> Rejected {
        self.operation.counters.rejected(kind);
        self.end = End::Failure;
        self.release(Sample::Neutral);
        stop::set(None);
        context::ended(|inner| inner.failed = Some(self.operation));
        Rejected::new(self.operation.name, kind, retry_after)
    }

    fn end(&mut self, sample: Sample, why: Option<Stop>) -> Next {
        self.release(sample);
        stop::set(why);
        match why {
            None => context::ended(|inner| *inner = context::Inner::default()),
            Some(why) => {
                self.operation.counters.stopped(why);
                let retried = self.policy().retries > 0 && why != Stop::NotRepeatable;
                context::ended(|inner| {
                    inner.failed = Some(self.operation);
                    inner.retried |= retried;
                });
            }
        }
        Next::End
    }

    /// Every guard takes back what it gave.
    fn release(&mut self, sample: Sample) {
        self.phase = Phase::Over;
        self.token = None;
        if let Some(ticket) = self.ticket.take() {
            ticket.record(sample);
        }
        self.permit = None;
        self.operation.counters.go_out();
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let sample = match self.phase {
            Phase::Over => return,
            Phase::Inside => {
                self.operation.counters.panicked.add();
                Sample::Failure { slow: false }
            }
            Phase::Running if self.ran_too_long(now().since(self.started)) => {
                self.operation.counters.dropped.add();
                self.failure_by_time()
            }
            Phase::Running | Phase::Between | Phase::Backoff => {
                self.operation.counters.dropped.add();
                Sample::Neutral
            }
        };
        self.release(sample);
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
