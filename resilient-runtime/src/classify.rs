//! What the errors of other crates mean.
//!
//! Anything not recognised is [`Verdict::TRANSIENT`]: it counts as a failure, and nobody can tell whether it was
//! executed, so that a write is never repeated on a guess.

use crate::{
    rejected::{Failure, Rejected},
    verdict::{Class, Classify, Executed, Verdict},
};
use std::{
    convert::Infallible,
    error::Error,
    io::{self, ErrorKind},
    iter,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

/// The verdict of the first error in the chain of `error` and its [`source`](Error::source)s that is known.
///
/// Known are [`Rejected`], [`std::io::Error`], [`tokio::time::error::Elapsed`], [`Failure`] of these, and with feature
/// `reqwest` also `reqwest::Error` and `resilient::http::Error`. `None` if there is none among them; the
/// impls for erased errors, such as `Box<dyn Error + Send + Sync>`, then say [`Verdict::TRANSIENT`].
///
/// ```
/// use resilient_runtime::{Class, Executed, Verdict, chain};
/// use std::io::{Error, ErrorKind};
///
/// let refused = Error::other(Error::from(ErrorKind::ConnectionRefused));
/// assert_eq!(chain(&refused), Some(Verdict::new(Class::Transient, Executed::No)));
/// assert_eq!(chain(&std::fmt::Error), None);
/// ```
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> Option<Verdict> {
    iter::successors(Some(error), |&error| error.source()).find_map(known)
}

type Recogniser = fn(&(dyn Error + 'static)) -> Option<Verdict>;

const KNOWN: &[Recogniser] = &[
    verdict_of::<Rejected>,
    verdict_of::<io::Error>,
    verdict_of::<tokio::time::error::Elapsed>,
    verdict_of::<Failure<io::Error>>,
    #[cfg(feature = "reqwest")]
    verdict_of::<reqwest::Error>,
    #[cfg(feature = "reqwest")]
    verdict_of::<crate::http::Error>,
    #[cfg(feature = "reqwest")]
    verdict_of::<Failure<reqwest::Error>>,
];

fn known(error: &(dyn Error + 'static)) -> Option<Verdict> {
    KNOWN.iter().find_map(|recognise| recognise(error))
}

fn verdict_of<E: Error + Classify + 'static>(error: &(dyn Error + 'static)) -> Option<Verdict> {
    error.downcast_ref::<E>().map(E::classify)
}

// ===== std::io =====

/// What an [`io::Error`] of a kind means; kinds that are not listed are [`Verdict::TRANSIENT`].
///
/// An `io::Error` does not say in which phase it happened, so that `executed` is `No` only for the two kinds that an
/// open connection does not report. `HostUnreachable` and `NetworkUnreachable` are not among them: a kernel also
/// returns them for a connection whose peer went away after the request was sent. `WouldBlock` is what a socket's own
/// read timeout looks like on Unix.
const KINDS: &[(ErrorKind, Class, Executed)] = &[
    (ErrorKind::ConnectionRefused, Class::Transient, Executed::No),
    (ErrorKind::AddrNotAvailable, Class::Transient, Executed::No),
    (ErrorKind::TimedOut, Class::Timeout, Executed::Unknown),
    (ErrorKind::WouldBlock, Class::Timeout, Executed::Unknown),
    (ErrorKind::ResourceBusy, Class::Throttled, Executed::Unknown),
    (ErrorKind::QuotaExceeded, Class::Throttled, Executed::Unknown),
    (ErrorKind::StorageFull, Class::Throttled, Executed::Unknown),
    (ErrorKind::InvalidInput, Class::Permanent, Executed::Unknown),
    (ErrorKind::InvalidData, Class::Permanent, Executed::Unknown),
    (ErrorKind::Unsupported, Class::Permanent, Executed::Unknown),
    (ErrorKind::PermissionDenied, Class::Permanent, Executed::Unknown),
    (ErrorKind::NotFound, Class::Permanent, Executed::Unknown),
    (ErrorKind::AlreadyExists, Class::Permanent, Executed::Unknown),
];

/// By kind, unless it carries an error that says more.
#[diagnostic::do_not_recommend]
impl Classify for io::Error {
    fn classify(&self) -> Verdict {
        // A kind that somebody chose stands; a [`Rejected`] inside is where the kind came from.
        let carried = self.get_ref().and_then(|carried| match self.kind() {
            ErrorKind::Other => chain(carried),
            _ => iter::successors(Some(carried as &(dyn Error + 'static)), |&error| error.source())
                .find_map(verdict_of::<Rejected>),
        });
        carried.unwrap_or_else(|| {
            let row = KINDS.iter().find(|(kind, ..)| *kind == self.kind());
            row.map_or(Verdict::TRANSIENT, |&(_, class, executed)| Verdict::new(class, executed))
        })
    }
}

// ===== erased errors =====

macro_rules! by_chain {
    ($($erased:ty),*) => {$(
        /// By [`chain`], else [`Verdict::TRANSIENT`].
        #[diagnostic::do_not_recommend]
        impl Classify for $erased {
            fn classify(&self) -> Verdict {
                chain(self).unwrap_or(Verdict::TRANSIENT)
            }
        }
    )*};
}

by_chain!(dyn Error, dyn Error + Send, dyn Error + Send + Sync);

// ===== behind a pointer =====

macro_rules! by_target {
    ($($pointer:ty),*) => {$(
        /// As what it points to.
        impl<E: Classify + ?Sized> Classify for $pointer {
            fn classify(&self) -> Verdict {
                (**self).classify()
            }
        }
    )*};
}

by_target!(&E, Box<E>, Rc<E>, Arc<E>);

// ===== the rest =====

/// It never happens.
#[diagnostic::do_not_recommend]
impl Classify for Infallible {
    fn classify(&self) -> Verdict {
        match *self {}
    }
}

/// A timeout inside the function: nobody can tell what became of the work.
#[diagnostic::do_not_recommend]
impl Classify for tokio::time::error::Elapsed {
    fn classify(&self) -> Verdict {
        Verdict::TIMEOUT
    }
}

/// A field that `retry_after = field` of `#[derive(Classify)]` may name.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "[R27] `{Self}` is no time to wait",
    label = "named by `retry_after`",
    note = "`retry_after` names a field of type `Duration` or `Option<Duration>`"
)]
pub trait RetryAfter {
    /// `verdict`, with this as its hint.
    fn hint(&self, verdict: Verdict) -> Verdict;
}

#[diagnostic::do_not_recommend]
impl RetryAfter for Duration {
    fn hint(&self, verdict: Verdict) -> Verdict {
        verdict.after(*self)
    }
}

#[diagnostic::do_not_recommend]
impl RetryAfter for Option<Duration> {
    fn hint(&self, verdict: Verdict) -> Verdict {
        self.map_or(verdict, |wait| verdict.after(wait))
    }
}
