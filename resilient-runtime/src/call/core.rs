//! The layers of one call.

use super::aside::{Aside, Waiting};
use crate::{
    breaker::{Sample, Ticket},
    budget::Token,
    bulkhead::{Entry, Gone, Permit, Served},
    context::{self, Context},
    idempotency::IdempotencyKey,
    keyed::{Guard, Selected, StateKey},
    operation::{Guards, Operation, Site},
    outcome::{Judgement, Overruled},
    random,
    rejected::{Rejected, RejectedKind},
    stop::{self, Stop},
    time::{Moment, now},
    verdict::{Class, Executed, Hint, Verdict},
};
use resilient_policy::{Jitter, Policy, Safety, Scope, Shape};
use std::{
    task::{Poll, Waker},
    time::Duration,
};

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
    pub(super) started: Moment,
    /// When the running attempt is cut, the wait is over, or plan B is late.
    pub(super) until: Moment,
    /// What the attempt before the one to come was, once one has failed.
    before: Option<(Sample, Class)>,
    /// The context of the running attempt; `attempt` counts from 1.
    pub(super) context: Context,
    permit: Option<Permit>,
    ticket: Option<Ticket>,
    /// What only a call off the straight path has: a wait, a retry, guards of its own.
    aside: Option<Box<Aside>>,
    pub(super) end: End,
    /// Whether there is an outcome to return if plan B does not answer.
    pub(super) bounded: bool,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No guard has been asked yet.
    Arriving,
    /// Waiting for a permit.
    Queued,
    /// Admitted, and waiting for its turn at the rate limit.
    Limited,
    /// A retry was granted and starts next.
    Granted,
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
            phase: Phase::Arriving,
            started: entered,
            until: Moment::NEVER,
            before: None,
            context: Context { attempt: 0, ..context },
            permit: None,
            ticket: None,
            aside: None,
            end: End::Failure,
            bounded: true,
        }
    }

    pub(crate) fn carry(&mut self, key: IdempotencyKey) {
        self.context.key = Some(key);
    }

    /// Selects the states of these guards.
    pub(crate) fn select(&mut self, guards: &[Guard], key: StateKey) {
        let (operation, at) = (self.operation, self.started);
        let selected = self.aside().selected.get_or_insert_with(|| Selected::of(operation));
        selected.select(&operation.by_key, guards, key, at);
    }

    pub(crate) fn operation(&self) -> &'static Operation {
        self.operation
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn is_probe(&self) -> bool {
        self.ticket.as_ref().is_some_and(Ticket::is_probe)
    }

    /// Whether the breaker lets no copy follow: it is not closed, or the attempt is a probe.
    pub(super) fn forbids_repeats(&self) -> bool {
        self.ticket.as_ref().is_some_and(|ticket| !ticket.allows_retry())
    }

    /// The call goes on with this permit and this token instead of its own.
    pub(super) fn swap(&mut self, permit: Option<Permit>, token: Option<Token>) {
        self.permit = permit;
        if token.is_some() {
            self.aside().token = token;
        }
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

    /// The states that this call passes: its operation's, or those that its keys select.
    pub(super) fn guards(&self) -> &Guards {
        match &self.aside {
            Some(aside) => aside.selected.as_ref().map_or(&self.operation.guards, |selected| &selected.guards),
            None => &self.operation.guards,
        }
    }

    pub(super) fn aside(&mut self) -> &mut Aside {
        self.aside.get_or_insert_default()
    }

    // ===== before an attempt =====

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
    fn turn(&mut self, at: Moment) -> Result<Poll<()>, Refusal> {
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
    fn limit(&self) -> Option<Duration> {
        match &self.ticket {
            Some(ticket) if ticket.is_probe() => self.probe_timeout(),
            _ => self.policy().attempt_timeout(),
        }
    }

    /// How long a probe has its slot.
    fn lease(&self) -> Option<Duration> {
        self.probe_timeout().map(|limit| limit.saturating_add(TIMER_LATENESS))
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

    // ===== the body on another thread =====

    /// The permit, which stays taken until the body ends, whoever still waits for it.
    pub(super) fn lend_permit(&mut self) -> Option<Permit> {
        self.permit.take()
    }

    /// The body ended in time.
    pub(super) fn take_back(&mut self, permit: Option<Permit>) {
        self.permit = permit;
    }

    // ===== the flight of a coalesced call =====

    /// The deadline, and whether it is the operation's own.
    pub(super) fn deadline(&self) -> (Moment, bool) {
        (self.deadline, self.own_deadline)
    }

    /// When the call came in, as long as it has not started.
    pub(super) fn entered(&self) -> Moment {
        self.started
    }

    /// The call waited for another one's answer, and is to ask itself now: its first attempt starts here.
    pub(super) fn sets_out(&mut self) {
        self.started = now();
    }

    /// Another call's answer is this one's, too; no guard hears of it twice.
    pub(super) fn answered(&mut self, end: End, why: Option<Stop>) {
        self.end = end;
        self.operation.counters.coalesced.add();
        self.release(Sample::Neutral, now());
        self.announce(end == End::Success, why);
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
    fn tells(&self, ticket: &Ticket) -> bool {
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

    fn back_off(&mut self, at: Moment, wait: Duration, attempt: (Sample, Class)) -> Next {
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

    // ===== the end =====

    pub(super) fn reject(&mut self, kind: RejectedKind, retry_after: Option<Duration>) -> Rejected {
        self.operation.counters.rejected(kind);
        self.end = End::Failure;
        self.release(Sample::Neutral, now());
        self.announce(false, None);
        Rejected::new(self.operation.name, kind, retry_after)
    }

    fn end(&mut self, sample: Sample, why: Option<Stop>, at: Moment) -> Next {
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
