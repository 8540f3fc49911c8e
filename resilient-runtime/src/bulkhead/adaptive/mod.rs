//! Limits that find their number by how the dependency answers.
//!
//! Each kind says where the limit should go; what they share is here. A limit moves at most once per round trip each way,
//! since what a burst reports about one moment is one piece of news. It grows only while at least half of it is in use,
//! since an idle limit learns nothing about a larger one.

mod gradient2;
mod vegas;

use crate::time::Moment;
use gradient2::Gradient2;
use resilient_policy::{Adaptive, Limit};
use std::time::Duration;
use vegas::Vegas;

/// Where a limit starts, within its bounds `[limits]`.
const START: u32 = 20;

/// AIMD takes an answer that took longer for a failure `[limits]`.
const TOO_LONG: Duration = Duration::from_secs(5);

/// The state of one adaptive limit.
#[derive(Debug)]
pub(super) struct Limiter {
    kind: Kind,
    min: f64,
    max: f64,
    limit: f64,
    /// When the limit last went anywhere, and when it last went down.
    moved: Option<Moment>,
    shrunk: Option<Moment>,
}

#[derive(Debug)]
enum Kind {
    Aimd,
    Vegas(Vegas),
    Gradient2(Gradient2),
}

/// One call that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) answered: bool,
    pub(super) took: Duration,
    /// Calls inside as it ended, itself included.
    pub(super) in_flight: u32,
    pub(super) at: Moment,
}

/// The limit to start with, and who moves it from there, if anybody.
pub(super) fn start(limit: Limit) -> (u32, Option<Limiter>) {
    match limit {
        Limit::Fixed(size) => (size, None),
        Limit::Adaptive { min, max, kind } => {
            let limiter = Limiter::new(kind, (min, max), START);
            (limiter.limit(), Some(limiter))
        }
    }
}

/// The limit to go on with under other settings: what was learned stays while the kind stays.
pub(super) fn adopt(limiter: &mut Option<Limiter>, now: u32, limit: Limit) -> u32 {
    match (limiter, limit) {
        (limiter, Limit::Fixed(size)) => {
            *limiter = None;
            size
        }
        (Some(known), Limit::Adaptive { min, max, kind }) if known.kind() == kind => {
            (known.min, known.max) = bounds(min, max);
            known.move_to(now)
        }
        (limiter, Limit::Adaptive { min, max, kind }) => limiter.insert(Limiter::new(kind, (min, max), now)).limit(),
    }
}

/// A limit of nothing would never have another sample to grow by.
fn bounds(min: u32, max: u32) -> (f64, f64) {
    let min = min.max(1);
    (min.into(), max.max(min).into())
}

impl Limiter {
    fn new(kind: Adaptive, (min, max): (u32, u32), start: u32) -> Self {
        let (min, max) = bounds(min, max);
        let kind = match kind {
            Adaptive::Aimd => Kind::Aimd,
            Adaptive::Vegas => Kind::Vegas(Vegas::new(vegas::TUNING)),
            Adaptive::Gradient2 => Kind::Gradient2(Gradient2::new()),
        };
        Self { kind, min, max, limit: f64::from(start).max(min).min(max), moved: None, shrunk: None }
    }

    fn kind(&self) -> Adaptive {
        match self.kind {
            Kind::Aimd => Adaptive::Aimd,
            Kind::Vegas(_) => Adaptive::Vegas,
            Kind::Gradient2(_) => Adaptive::Gradient2,
        }
    }

    /// In whole calls.
    pub(super) fn limit(&self) -> u32 {
        self.limit as u32
    }

    /// Goes on from `limit`, within the bounds.
    pub(super) fn move_to(&mut self, limit: u32) -> u32 {
        // The part of a call that the limit has above `limit` is worth keeping: steps may be small.
        if limit != self.limit() {
            self.limit = limit.into();
        }
        self.limit = self.limit.max(self.min).min(self.max);
        self.limit()
    }

    /// The limit after this call.
    pub(super) fn sample(&mut self, sample: Sample) -> u32 {
        let Sample { answered, took, in_flight, at } = sample;
        let busy = 2.0 * f64::from(in_flight) >= self.limit;
        let next = if answered {
            match &mut self.kind {
                Kind::Aimd if took > TOO_LONG => a_tenth_less(self.limit),
                Kind::Aimd => self.limit + if busy { 1.0 } else { 0.0 },
                // A clock too coarse to see the call tells nothing about it.
                Kind::Vegas(_) | Kind::Gradient2(_) if took.is_zero() => return self.limit(),
                Kind::Vegas(vegas) => vegas.answered(self.limit, took, busy),
                Kind::Gradient2(gradient) => gradient.answered(self.limit, took, busy),
            }
        } else {
            // How long a failure took says nothing about how long an answer takes.
            match &self.kind {
                Kind::Vegas(vegas) => vegas.failed(self.limit),
                Kind::Aimd | Kind::Gradient2(_) => a_tenth_less(self.limit),
            }
        };
        let next = next.max(self.min).min(self.max);
        // Only a call that began after the last move has seen what that did.
        let shrinks = next < self.limit && began_after(&mut self.shrunk, at, took);
        if shrinks {
            self.shrunk = Some(at);
        }
        if shrinks || (next > self.limit && began_after(&mut self.moved, at, took)) {
            self.moved = Some(at);
            self.limit = next;
        }
        self.limit()
    }
}

/// Whether a call that ended `at` began after `then`.
fn began_after(then: &mut Option<Moment>, at: Moment, took: Duration) -> bool {
    // Where the clock jumped back, `then` comes along, so that the limit does not stand still until the clock is there.
    *then = then.map(|then| then.min(at));
    then.is_none_or(|then| at.since(then) > took)
}

/// In whole calls; at least one less `[limits]`.
fn a_tenth_less(limit: f64) -> f64 {
    (limit.floor() * 9.0 / 10.0).floor()
}

#[cfg(all(test, not(resilient_loom)))]
mod tests;
