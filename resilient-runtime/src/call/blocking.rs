//! A call of a sync function: the same steps on the caller's thread.

use super::{Core, Judge, Next, admit::Start};
use crate::{
    idempotency::IdempotencyKey,
    keyed::{Guard, StateKey},
    operation::Site,
    outcome::Ending,
    pool::Seat,
    rejected::Rejected,
    time,
};
use resilient_policy::Shape;
use std::{ops::ControlFlow, task::Poll};

/// One call of a sync function.
///
/// A blocked thread cannot be stopped: the body bounds its own waits by `resilient::remaining()`, and what it brings
/// late is returned.
pub struct BlockingCall {
    pub(super) core: Core,
    /// The thread for the next attempt, once a retry has it.
    pub(super) seat: Option<Seat>,
}

impl BlockingCall {
    /// A call that has come in and passed no guard yet.
    #[must_use]
    pub fn new(site: &'static Site) -> Self {
        Self { core: Core::new(site, Shape::Sync), seat: None }
    }

    /// The same, with the key that every attempt carries.
    #[must_use]
    pub fn keyed(mut self, key: IdempotencyKey) -> Self {
        self.core.carry(key);
        self
    }

    /// The same, with the key that selects the states of these guards.
    #[must_use]
    pub fn select(mut self, guards: &[Guard], key: StateKey) -> Self {
        self.core.select(guards, key);
        self
    }

    /// Whether no attempt can follow the next one, so that it may have the arguments themselves.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.core.is_last()
    }

    /// One attempt, and the wait before the next one if there is to be one.
    pub fn attempt<R>(&mut self, body: impl FnOnce() -> R, judge: Judge<R>) -> ControlFlow<Ending<R>> {
        if let Err(rejected) = self.start() {
            return ControlFlow::Break(Err(rejected));
        }
        let (outcome, judgement) = {
            let _inside = self.core.inside();
            let outcome = body();
            let judgement = judge(&outcome);
            (outcome, judgement)
        };
        self.core.outside();
        match self.core.settle(judgement, true) {
            Next::End => ControlFlow::Break(Ok(outcome)),
            Next::Retry => match self.back_off() {
                Next::Retry => ControlFlow::Continue(()),
                Next::End => ControlFlow::Break(Ok(outcome)),
            },
        }
    }

    /// Until the attempt runs, or a guard answers.
    pub(super) fn start(&mut self) -> Result<(), Rejected> {
        loop {
            match self.core.start(None) {
                Start::Now => return Ok(()),
                Start::Refused(rejected) => return Err(rejected),
                Start::Later => time::block_until(self.core.until()),
            }
        }
    }

    /// Until the next attempt may start, or a guard says that it may not.
    pub(super) fn back_off(&mut self) -> Next {
        loop {
            time::block_until(self.core.until());
            if let Poll::Ready(next) = self.core.resume() {
                return next;
            }
        }
    }

    /// The only attempt of a function without retries.
    ///
    /// # Panics
    /// If the policy does have retries, which the expansion does not let happen.
    pub fn once<R>(&mut self, body: impl FnOnce() -> R, judge: Judge<R>) -> Ending<R> {
        match self.attempt(body, judge) {
            ControlFlow::Break(ending) => ending,
            ControlFlow::Continue(()) => panic!("a call without retries was granted one"),
        }
    }
}
