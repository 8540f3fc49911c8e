//! How a call ended, and what a vector expects of that.

use crate::{
    clock::ms,
    dep::{Fault, Outcome, Step, Then, Visit},
    world::Kind,
};
use resilient::{Rejected, RejectedKind, Stop};
use std::{ops::RangeInclusive, time::Duration};

/// How a call ended, to be compared with what the vector expects.
#[derive(Debug)]
pub struct Ended {
    pub kind: Kind,
    /// `None`: it panicked.
    pub outcome: Option<Outcome>,
    /// `last_stop()`
    pub stop: Option<Stop>,
    pub begun: Duration,
    pub took: Duration,
    pub visits: Vec<Visit>,
    pub told: Vec<Option<Fault>>,
}

/// An expected end: [`S`](crate::dep::S), [`F`](crate::dep::F), an answer, the kind of a rejection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Then(Then),
    Rejected(RejectedKind),
}

impl From<Step> for End {
    fn from(step: Step) -> Self {
        Self::Then(step.then)
    }
}

impl From<RejectedKind> for End {
    fn from(kind: RejectedKind) -> Self {
        Self::Rejected(kind)
    }
}

impl From<&'static str> for End {
    fn from(answer: &'static str) -> Self {
        Self::Then(Then::Answer(answer))
    }
}

impl Ended {
    /// A body's error comes back untouched, and from the last run.
    #[track_caller]
    pub fn ends(self, expected: impl Into<End>) -> Self {
        let got = match &self.outcome {
            None => End::Then(Then::Panic),
            Some(Ok(answer)) => End::Then(Then::Answer(answer)),
            Some(Err(Fault::Rejected(rejected))) => End::Rejected(rejected.kind()),
            Some(Err(Fault::Failed { verdict, run })) => {
                assert_eq!(*run as usize, self.visits.len(), "the error of the last run\n{self:?}");
                End::Then(Then::Fail(*verdict))
            }
        };
        assert_eq!(got, expected.into(), "{self:?}");
        self
    }

    /// The body ran so often.
    #[track_caller]
    pub fn runs(self, times: usize) -> Self {
        assert_eq!(self.visits.len(), times, "runs\n{self:?}");
        self
    }

    /// What `last_stop()` says after it.
    #[track_caller]
    pub fn because(self, why: impl Into<Option<Stop>>) -> Self {
        assert_eq!(self.stop, why.into(), "{self:?}");
        self
    }

    /// It took so many milliseconds. A timer of tokio's may be one late.
    #[track_caller]
    pub fn at(self, millis: u64) -> Self {
        let late = u64::from(self.kind == Kind::Async);
        self.between(millis..=millis + late)
    }

    #[track_caller]
    pub fn between(self, millis: RangeInclusive<u64>) -> Self {
        assert!(ms(*millis.start()) <= self.took && self.took <= ms(*millis.end()), "{millis:?} ms\n{self:?}");
        self
    }

    /// The runs began so many milliseconds into the call.
    #[track_caller]
    pub fn starts<const N: usize>(self, millis: [u64; N]) -> Self {
        assert_eq!(self.offsets(), millis.map(u128::from), "{self:?}");
        self
    }

    /// When its runs began, in milliseconds since it did.
    pub fn offsets(&self) -> Vec<u128> {
        self.visits.iter().map(|visit| (visit.at - self.begun).as_millis()).collect()
    }

    /// The rejection that it ended with.
    #[track_caller]
    pub fn rejection(&self) -> Rejected {
        match &self.outcome {
            Some(Err(Fault::Rejected(rejected))) => *rejected,
            _ => panic!("no rejection\n{self:?}"),
        }
    }

    /// The error that it ended with.
    #[track_caller]
    pub fn error(&self) -> &Fault {
        match &self.outcome {
            Some(Err(error)) => error,
            _ => panic!("no error\n{self:?}"),
        }
    }

    /// Plan B ran so often.
    #[track_caller]
    pub fn plans(self, times: usize) -> Self {
        assert_eq!(self.told.len(), times, "runs of plan B\n{self:?}");
        self
    }
}

/// The kind of a call that its bulkhead of this size refused.
pub const fn full(limit: u32) -> RejectedKind {
    RejectedKind::Full { limit }
}

/// The kind of a call that was cut after so many milliseconds.
pub const fn timed_out(limit_ms: u32) -> RejectedKind {
    RejectedKind::TimedOut { limit_ms }
}
