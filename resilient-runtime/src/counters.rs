//! What every operation counts, always.

use crate::{rejected::RejectedKind, stop::Stop, verdict::Class};
use std::sync::atomic::{AtomicU64, Ordering};

/// A counter; a call reads none of them.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn sub(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: Counter,)*
            stops: [Counter; Stop::ALL.len()],
        }

        /// The counters of one operation, from its first call on.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)*
            stops: [u64; Stop::ALL.len()],
        }

        impl Counters {
            pub(crate) fn counts(&self) -> Counts {
                Counts { $($name: self.$name.get(),)* stops: std::array::from_fn(|i| self.stops[i].get()) }
            }
        }
    };
}

counters! {
    /// Invocations, also those that a guard answered.
    calls,
    /// Calls that are inside now.
    in_flight,
    /// Runs of the body.
    attempts,
    /// Runs of the body after the first of their call.
    retries,
    /// Calls whose last attempt returned `Ok`.
    succeeded,
    /// Calls whose last attempt failed; the next five say how.
    failed,
    /// Of those: [`Class::Transient`].
    transient,
    /// Of those: [`Class::Timeout`].
    timeout,
    /// Of those: [`Class::Throttled`].
    throttled,
    /// Of those: [`Class::Overloaded`].
    overloaded,
    /// Of those: [`Class::Permanent`].
    permanent,
    /// Calls that the bulkhead refused.
    full,
    /// Calls that the breaker refused.
    open,
    /// Calls that the rate limit refused.
    limited,
    /// Calls that came in without time left, or had none left after a wait for a permit.
    expired,
    /// Attempts that their timeout cut.
    timed_out,
    /// Calls that a deadline cut.
    deadline,
    /// Calls whose caller dropped them.
    dropped,
    /// Calls whose body panicked, and bodies that panicked when nobody waited for them any more.
    panicked,
    /// Bodies that were left running on their thread: `blocking = thread`.
    left_behind,
    /// Calls that got the answer of another one that asked the same: `coalesce`.
    coalesced,
    /// Answers that came slower than `slow_ms`, or later than a cooperative timeout.
    slow,
    /// Calls that waited for a permit of the bulkhead.
    queued,
    /// Second copies of slow attempts.
    hedges,
    /// Of those: the ones that answered first.
    hedges_won,
    /// Answers of plan B.
    fallback,
}

impl Counters {
    pub(crate) fn rejected(&self, kind: RejectedKind) {
        match kind {
            RejectedKind::Full { .. } => self.full.add(),
            RejectedKind::Open => self.open.add(),
            RejectedKind::Limited => self.limited.add(),
            RejectedKind::Expired => self.expired.add(),
            RejectedKind::TimedOut { .. } => self.timed_out.add(),
            RejectedKind::Deadline => self.deadline.add(),
        }
    }

    pub(crate) fn failed_as(&self, class: Class) {
        self.failed.add();
        match class {
            Class::Transient => self.transient.add(),
            Class::Timeout => self.timeout.add(),
            Class::Throttled => self.throttled.add(),
            Class::Overloaded => self.overloaded.add(),
            Class::Permanent => self.permanent.add(),
        }
    }

    pub(crate) fn stopped(&self, stop: Stop) {
        self.stops[stop as usize].add();
    }

    /// A call comes in.
    pub(crate) fn come_in(&self) {
        self.calls.add();
        self.in_flight.add();
    }

    /// It is over, however it ended.
    pub(crate) fn go_out(&self) {
        self.in_flight.sub();
    }
}

impl Counts {
    /// Calls that stopped repeating for this reason.
    #[must_use]
    pub fn stopped(&self, why: Stop) -> u64 {
        self.stops[why as usize]
    }
}
