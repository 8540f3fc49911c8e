//! A call of a sync function whose body runs on a thread of the bulkhead's pool: `blocking = thread`.
//!
//! A blocked thread cannot be stopped, so it is left behind: the caller walks away in time, and the body works on with
//! the permit that the call took for it. The permit comes back with the body's answer or, where nobody waits for that
//! any more, when the body ends. So a bulkhead's bodies are never more than its permits, whoever left them; and a call
//! that is to repeat what it left needs one more permit, which it asks for without waiting ([`Core::resume`]). Where there
//! is none, it ends with what it has, [`Stop::Full`].

use super::{BlockingCall, Core, Next};
use crate::{
    bulkhead::Permit,
    context::Context,
    operation::Operation,
    outcome::{Ending, Judgement},
    pool::{Meeting, Seat},
    rejected::{Rejected, RejectedKind},
    report::Report,
    stop::Stop,
    testing,
    time::{self, Moment, now},
};
use std::{
    mem,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};
use tokio::runtime::Handle;

/// What can be handed to a thread that outlives its caller.
#[diagnostic::on_unimplemented(
    message = "[R37] `{Self}` cannot move to another thread",
    label = "`blocking = thread` runs the body there, but this is not `Send + 'static`",
    note = "own it: a `String`, an `Arc`; or write `blocking = cooperative`, which stays on the caller's thread"
)]
pub trait Movable: Sized {
    /// The same value, on its way.
    #[must_use]
    fn moved(self) -> Self {
        self
    }

    /// [`BlockingCall::attempt`] on a thread of the pool, for a body that brings this.
    ///
    /// # Panics
    /// With what the body panicked with, if that was in time.
    fn threaded(
        call: &mut BlockingCall,
        body: impl FnOnce() -> Self + Send + 'static,
        judge: impl Fn(&Self) -> Judgement,
    ) -> ControlFlow<Ending<Self>>;

    /// [`BlockingCall::once`] on a thread of the pool.
    ///
    /// # Panics
    /// As [`Movable::threaded`], and if the policy does have retries, which the expansion does not let happen.
    fn threaded_once(
        call: &mut BlockingCall,
        body: impl FnOnce() -> Self + Send + 'static,
        judge: impl Fn(&Self) -> Judgement,
    ) -> Ending<Self> {
        match Self::threaded(call, body, judge) {
            ControlFlow::Break(ending) => ending,
            ControlFlow::Continue(()) => panic!("a call without retries was granted one"),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> Movable for T {
    fn threaded(
        call: &mut BlockingCall,
        body: impl FnOnce() -> Self + Send + 'static,
        judge: impl Fn(&Self) -> Judgement,
    ) -> ControlFlow<Ending<Self>> {
        call.threaded(body, judge)
    }
}

impl BlockingCall {
    /// One attempt, and the wait before the next one if there is to be one.
    fn threaded<R: Send + 'static>(
        &mut self,
        body: impl FnOnce() -> R + Send + 'static,
        judge: impl Fn(&R) -> Judgement,
    ) -> ControlFlow<Ending<R>> {
        if let Err(rejected) = self.start() {
            return ControlFlow::Break(Err(rejected));
        }
        let Some(seat) = self.seat.take().or_else(|| self.free_seat()) else {
            return ControlFlow::Break(Err(self.no_thread()));
        };
        let (next, ending) = match run(&mut self.core, seat, body) {
            Some(outcome) => {
                let judgement = {
                    let _inside = self.core.inside();
                    judge(&outcome)
                };
                self.core.outside();
                (self.core.settle(judgement, false), Ok(outcome))
            }
            None => {
                self.core.operation().counters.left_behind.add();
                let (next, rejected) = self.core.cut();
                (next, Err(rejected))
            }
        };
        if next == Next::End {
            return ControlFlow::Break(ending);
        }
        let next = match self.back_off() {
            Next::Retry => {
                self.seat = self.free_seat();
                if self.seat.is_some() { Next::Retry } else { self.core.call_off(Stop::Full) }
            }
            Next::End => Next::End,
        };
        if next == Next::Retry { ControlFlow::Continue(()) } else { ControlFlow::Break(ending) }
    }

    fn free_seat(&self) -> Option<Seat> {
        self.core.operation().pool?.seat()
    }

    /// The system starts no more threads: nothing has run, and to the caller it is as full as any bulkhead.
    #[cold]
    fn no_thread(&mut self) -> Rejected {
        let limit = self.core.guards().gate.map_or(0, |gate| gate.limit());
        self.core.reject(RejectedKind::Full { limit }, None)
    }
}

/// What a body brings back.
struct Brought<R> {
    outcome: thread::Result<R>,
    context: Context,
    permit: Option<Permit>,
}

/// The body on its thread, and what it returned if it did in time.
fn run<R: Send + 'static>(core: &mut Core, seat: Seat, body: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    let (operation, until, permit) = (core.operation(), core.until(), core.lend_permit());
    let mut context = core.context.clone();
    // What a body adds after its caller has left stands in nobody's report.
    context.report = context.report.map(|_| Report::default());
    let meeting = Arc::new(Meeting::new());
    let there = meeting.clone();
    let (scope, runtime) = (testing::handle(), Handle::try_current().ok());
    seat.run(Box::new(move |seat| {
        scope.run(|| {
            let _runtime = runtime.as_ref().map(Handle::enter);
            let outcome = {
                let _inside = context.enter();
                catch_unwind(AssertUnwindSafe(body))
            };
            deliver(operation, until, &there, seat, Brought { outcome, context, permit });
        });
    }));
    let brought = time::block_on(until, |cx| meeting.poll(cx)).or_else(|| meeting.leave())?;
    core.take_back(brought.permit);
    if let (Some(own), Some(theirs)) = (&core.context.report, &brought.context.report) {
        own.append(&theirs.take());
    }
    core.context.account_of(brought.context);
    match brought.outcome {
        Ok(outcome) => Some(outcome),
        Err(panic) => {
            let _inside = core.inside();
            resume_unwind(panic)
        }
    }
}

/// The body has ended: hands what it brings to the caller, unless that has left by the clock or in fact.
fn deliver<R>(
    operation: &'static Operation,
    until: Moment,
    meeting: &Meeting<Brought<R>>,
    seat: Seat,
    brought: Brought<R>,
) {
    let mut seat = Some(seat);
    let missed = if now() >= until { Err(brought) } else { meeting.bring(brought, || drop(seat.take())) };
    if let Err(Brought { outcome, permit, .. }) = missed {
        // The body ends with the last of what is the user's; after that the thread is free, and then the permit.
        let panicked = outcome.is_err();
        let dropped = catch_unwind(AssertUnwindSafe(move || drop(outcome)));
        if panicked || dropped.is_err() {
            operation.counters.panicked.add();
        }
        mem::drop((seat, permit));
    }
}
