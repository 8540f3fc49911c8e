//! What a caller gets when a guard answered instead of the function.

use crate::verdict::{Class, Classify, Executed, Hint, Verdict};
use std::{error::Error, fmt, time::Duration};

/// A guard answered instead of the function, or cut it short.
///
/// At most 48 bytes, so that error types which carry it stay small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected {
    operation: &'static str,
    kind: RejectedKind,
    retry_after: Option<Duration>,
}

/// Which guard answered, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectedKind {
    /// The bulkhead: this many calls run already.
    Full {
        /// The size of the bulkhead.
        limit: u32,
    },
    /// The breaker is open, or half-open with all probes taken.
    Open,
    /// The rate limit.
    Limited,
    /// No time was left when the call came in or left a queue.
    Expired,
    /// The attempt timeout cut the attempt.
    TimedOut {
        /// The timeout of that attempt in milliseconds, saturating.
        limit_ms: u32,
    },
    /// The deadline cut the call.
    Deadline,
}

impl Rejected {
    /// A rejection of `operation`; for guards of your own and for tests.
    #[must_use]
    pub const fn new(operation: &'static str, kind: RejectedKind, retry_after: Option<Duration>) -> Self {
        Self { operation, kind, retry_after }
    }

    /// The operation whose guard answered.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        self.operation
    }

    /// Which guard answered, and why.
    #[must_use]
    pub const fn kind(&self) -> RejectedKind {
        self.kind
    }

    /// How long to wait before another call has a chance, where the guard knows.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The same in whole seconds, rounded up, as the header `Retry-After` wants it.
    #[must_use]
    pub const fn retry_after_secs(&self) -> Option<u64> {
        match self.retry_after {
            Some(wait) => Some(wait.as_secs().saturating_add((wait.subsec_nanos() > 0) as u64)),
            None => None,
        }
    }

    /// Whether the function may have run: [`Executed::No`], or [`Executed::Unknown`] where an attempt was cut.
    #[must_use]
    pub const fn executed(&self) -> Executed {
        match self.kind {
            RejectedKind::Full { .. } | RejectedKind::Open | RejectedKind::Limited | RejectedKind::Expired => {
                Executed::No
            }
            RejectedKind::TimedOut { .. } | RejectedKind::Deadline => Executed::Unknown,
        }
    }

    /// The HTTP status that passes this on: 429 for a rate limit, 504 for time, else 503.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self.kind {
            RejectedKind::Limited => 429,
            RejectedKind::TimedOut { .. } | RejectedKind::Deadline => 504,
            RejectedKind::Full { .. } | RejectedKind::Open | RejectedKind::Expired => 503,
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.operation)?;
        match self.kind {
            RejectedKind::Full { limit } => write!(f, "bulkhead full, all {limit} permits in use"),
            RejectedKind::Open => f.write_str("breaker open"),
            RejectedKind::Limited => f.write_str("rate limit reached"),
            RejectedKind::Expired => f.write_str("no time left before the deadline, not started"),
            RejectedKind::TimedOut { limit_ms } => write!(f, "attempt timed out after {limit_ms} ms"),
            RejectedKind::Deadline => f.write_str("deadline reached"),
        }?;
        match self.retry_after {
            Some(wait) => write!(f, ", try again in {} ms", wait.as_millis()),
            None => Ok(()),
        }
    }
}

impl Error for Rejected {}

/// Seen from outside, an inner guard's answer is a dependency that sheds load, or one that was too slow.
#[diagnostic::do_not_recommend]
impl Classify for Rejected {
    fn classify(&self) -> Verdict {
        let class = match self.executed() {
            Executed::No => Class::Overloaded,
            Executed::Unknown | Executed::Yes => Class::Timeout,
        };
        let hint = self.retry_after.map_or(Hint::None, Hint::After);
        Verdict { hint, ..Verdict::new(class, self.executed()) }
    }
}

/// An error for functions whose own error type cannot carry a rejection, such as one from another crate.
///
/// ```
/// # #[derive(Debug)] struct ForeignError;
/// use resilient_runtime::{Failure, Rejected};
///
/// fn page(failure: Failure<ForeignError>) -> u16 {
///     match failure {
///         Failure::Rejected(rejected) => rejected.status(),
///         Failure::Inner(_) => 502,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// A guard answered.
    Rejected(Rejected),
    /// The function failed.
    Inner(E),
}

impl<E> Failure<E> {
    /// The function's own error.
    ///
    /// A plain `From<E>` cannot exist beside `From<Rejected>`; write `.map_err(Failure::Inner)?` in the body.
    pub fn into_inner(self) -> Result<E, Rejected> {
        match self {
            Self::Rejected(rejected) => Err(rejected),
            Self::Inner(error) => Ok(error),
        }
    }
}

impl<E> From<Rejected> for Failure<E> {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}

impl<E: Classify> Classify for Failure<E> {
    fn classify(&self) -> Verdict {
        match self {
            Self::Rejected(rejected) => rejected.classify(),
            Self::Inner(error) => error.classify(),
        }
    }
}

impl<E: fmt::Display> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejected) => rejected.fmt(f),
            Self::Inner(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for Failure<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Rejected(_) => None,
            Self::Inner(error) => error.source(),
        }
    }
}

impl From<Rejected> for std::io::Error {
    fn from(rejected: Rejected) -> Self {
        let kind = match rejected.kind {
            RejectedKind::TimedOut { .. } | RejectedKind::Deadline | RejectedKind::Expired => {
                std::io::ErrorKind::TimedOut
            }
            RejectedKind::Full { .. } | RejectedKind::Open | RejectedKind::Limited => std::io::ErrorKind::WouldBlock,
        };
        Self::new(kind, rejected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_is_small() {
        assert!(size_of::<Rejected>() <= 48, "{}", size_of::<Rejected>());
    }

    #[test]
    fn a_rejection_says_what_to_answer_and_when_to_come_back() {
        let open = Rejected::new("stock.view", RejectedKind::Open, Some(Duration::from_millis(1_200)));
        assert_eq!(open.to_string(), "stock.view: breaker open, try again in 1200 ms");
        assert_eq!((open.status(), open.retry_after_secs(), open.executed()), (503, Some(2), Executed::No));
        let late = Rejected::new("stock.view", RejectedKind::TimedOut { limit_ms: 60 }, None);
        assert_eq!(late.to_string(), "stock.view: attempt timed out after 60 ms");
        assert_eq!((late.status(), late.executed()), (504, Executed::Unknown));
        let limited = Rejected::new("stock.view", RejectedKind::Limited, Some(Duration::MAX));
        assert_eq!((limited.status(), limited.retry_after_secs()), (429, Some(u64::MAX)));
    }
}
