//! One call, and what it holds of each guard.

use super::aside::Aside;
use crate::{
    breaker::{Sample, Ticket},
    budget::Token,
    bulkhead::Permit,
    context::{self, Context},
    idempotency::IdempotencyKey,
    keyed::{Guard, Selected, StateKey},
    operation::{Guards, Operation, Site},
    time::{Moment, now},
    verdict::Class,
};
use resilient_policy::{Policy, Shape};

/// One call on its way through the guards.
#[derive(Debug)]
pub(crate) struct Core {
    pub(super) operation: &'static Operation,
    /// The smaller of the operation's own deadline and the caller's.
    pub(super) deadline: Moment,
    /// Whether `deadline` is the operation's own.
    pub(super) own_deadline: bool,
    pub(super) phase: Phase,
    /// When the call came in, then when the running attempt started.
    pub(super) started: Moment,
    /// When the running attempt is cut, the wait is over, or plan B is late.
    pub(super) until: Moment,
    /// What the attempt before the one to come was, once one has failed.
    pub(super) before: Option<(Sample, Class)>,
    /// The context of the running attempt; `attempt` counts from 1.
    pub(super) context: Context,
    pub(super) permit: Option<Permit>,
    pub(super) ticket: Option<Ticket>,
    /// What only a call off the straight path has: a wait, a retry, guards of its own.
    pub(super) aside: Option<Box<Aside>>,
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

    pub(super) fn policy(&self) -> &'static Policy {
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
}
