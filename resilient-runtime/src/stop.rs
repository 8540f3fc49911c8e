//! Why a call that failed was not tried once more.

use std::{cell::Cell, fmt};

/// Why a call that failed was not tried once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// Its failure is none that the function declares repeatable.
    NotRepeatable,
    /// All attempts were made.
    Exhausted,
    /// The wait and half an attempt no longer fit before the deadline.
    NoTime,
    /// The breaker is not closed, or the attempt was a probe.
    CircuitOpen,
    /// An inner operation already repeats the same failure.
    InnerLayer,
    /// The retry budget is empty.
    Budget,
    /// The rate limit has no permit for a retry in time.
    RateLimit,
    /// The dependency asked not to be asked again, or not before longer than `retry_after_cap_ms`.
    Pushback,
    /// The bulkhead has no permit for one more body, while one that the call left behind still has its own:
    /// `blocking = thread`.
    Full,
}

impl Stop {
    pub(crate) const ALL: [Self; 9] = [
        Self::NotRepeatable,
        Self::Exhausted,
        Self::NoTime,
        Self::CircuitOpen,
        Self::InnerLayer,
        Self::Budget,
        Self::RateLimit,
        Self::Pushback,
        Self::Full,
    ];

    /// The word for it in metrics: `no_time`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotRepeatable => "not_repeatable",
            Self::Exhausted => "exhausted",
            Self::NoTime => "no_time",
            Self::CircuitOpen => "circuit_open",
            Self::InnerLayer => "inner_layer",
            Self::Budget => "budget",
            Self::RateLimit => "rate_limit",
            Self::Pushback => "pushback",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

thread_local! {
    static LAST: Cell<Option<Stop>> = const { Cell::new(None) };
}

pub(crate) fn set(stop: Option<Stop>) {
    let _ = LAST.try_with(|last| last.set(stop));
}

/// Why the call that just returned on this thread was not tried once more; `None` where it succeeded or a guard refused
/// its first attempt.
///
/// Read it before the next `.await`: after that, another call may have returned on this thread.
#[must_use]
pub fn last_stop() -> Option<Stop> {
    LAST.try_with(Cell::get).ok().flatten()
}
