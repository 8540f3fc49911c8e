//! What a failure of `reqwest` means.

use super::by_status;
use crate::verdict::{Class, Classify, Executed, Verdict};
use std::{error::Error, iter};

type Test = fn(&reqwest::Error) -> bool;

/// The first row whose test holds. Measured against servers that refuse, close early, stall, truncate and lie:
/// `tests/http.rs`.
const ROWS: &[(Test, Verdict)] = &[
    (reqwest::Error::is_builder, Verdict::new(Class::Permanent, Executed::No)),
    (reqwest::Error::is_redirect, Verdict::PERMANENT),
    // Before all that look for a cause: the body may be another response, with a refused connection in its own chain.
    (own_body_failed, Verdict::new(Class::Permanent, Executed::Unknown)),
    (connect_timed_out, Verdict::TIMEOUT.unsent()),
    (reqwest::Error::is_connect, Verdict::TRANSIENT.unsent()),
    (never_left, Verdict::TRANSIENT.unsent()),
    (reqwest::Error::is_timeout, Verdict::TIMEOUT),
];

/// By the status of [`error_for_status`](reqwest::Response::error_for_status), without the hint that it forgets; else
/// by what `reqwest` and `hyper` know about the connection.
///
/// A connection closed before an answer, a garbled or broken-off answer and everything unknown are
/// [`Verdict::TRANSIENT`]; so is a body of another shape than expected, which is often the error page of a proxy in
/// trouble and must not count as a healthy answer.
#[diagnostic::do_not_recommend]
impl Classify for reqwest::Error {
    fn classify(&self) -> Verdict {
        if let Some(verdict) = self.status().and_then(|status| by_status(status, None)) {
            return verdict;
        }
        let row = ROWS.iter().find(|(test, _)| test(self));
        row.map_or(Verdict::TRANSIENT, |&(_, verdict)| verdict)
    }
}

fn connect_timed_out(error: &reqwest::Error) -> bool {
    error.is_connect() && error.is_timeout()
}

/// The stream that was to be the request's body broke, or the request was unusable: not the dependency's doing.
fn own_body_failed(error: &reqwest::Error) -> bool {
    error.is_request() && in_hyper(error).is_some_and(hyper::Error::is_user)
}

/// The connection closed while the request still waited for its turn on it.
fn never_left(error: &reqwest::Error) -> bool {
    error.is_request() && in_hyper(error).is_some_and(hyper::Error::is_canceled)
}

/// The outermost error of `hyper`, which speaks of this request.
fn in_hyper(error: &reqwest::Error) -> Option<&hyper::Error> {
    iter::successors(error.source(), |&error| error.source()).find_map(|error| error.downcast_ref())
}
