//! What an HTTP answer means, and a [`check`] that keeps it.
//!
//! ```
//! use resilient_runtime::http::{self, check};
//!
//! async fn page(client: &reqwest::Client, url: &str) -> Result<String, http::Error> {
//!     let response = check(client.get(url).send().await?)?;
//!     Ok(response.text().await?)
//! }
//! ```

mod transport;

use crate::{
    rejected::Rejected,
    verdict::{Class, Classify, Executed, Verdict},
};
use ::http::{
    HeaderMap, StatusCode,
    header::{DATE, HeaderName, RETRY_AFTER},
};
use std::{
    fmt,
    time::{Duration, SystemTime},
};

/// What a response means: `None` for a success (2xx).
///
/// | status | class | executed |
/// |---|---|---|
/// | 408, 504 | Timeout | Unknown |
/// | 429 | Throttled | No |
/// | 503 with a valid `Retry-After` | Overloaded | Unknown |
/// | 425, other 5xx, no HTTP status (600 and more) | Transient | Unknown |
/// | 501, 505, other 4xx, 1xx, 3xx | Permanent | Yes |
///
/// All but the last line carry the wait of [`retry_after_at`] as their hint. `now` matters only to a `Retry-After` that
/// is a date, in a response without a `Date`; pass [`SystemTime::now()`].
///
/// ```
/// use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
/// use resilient_runtime::{Hint, Verdict, http::verdict};
/// use std::time::{Duration, SystemTime};
///
/// let mut headers = HeaderMap::new();
/// headers.insert(RETRY_AFTER, "2".parse().unwrap());
/// let now = SystemTime::now();
///
/// let shed = Verdict::OVERLOADED.after(Duration::from_secs(2));
/// assert_eq!(verdict(StatusCode::SERVICE_UNAVAILABLE, &headers, now), Some(shed));
/// assert_eq!(verdict(StatusCode::NOT_FOUND, &headers, now), Some(Verdict::PERMANENT));
/// assert_eq!(verdict(StatusCode::OK, &headers, now), None);
/// ```
#[must_use]
pub fn verdict(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Option<Verdict> {
    by_status(status, retry_after_at(headers, now))
}

fn by_status(status: StatusCode, wait: Option<Duration>) -> Option<Verdict> {
    let verdict = match status.as_u16() {
        200..=299 => return None,
        408 | 504 => Verdict::TIMEOUT,
        429 => Verdict::THROTTLED,
        503 if wait.is_some() => Verdict::OVERLOADED,
        501 | 505 => Verdict::PERMANENT,
        // A client treats a number that is no status as a server error [RFC 9110, §15].
        425 | 500.. => Verdict::TRANSIENT,
        _ => Verdict::PERMANENT,
    };
    Some(match wait {
        Some(wait) if verdict.class != Class::Permanent => verdict.after(wait),
        _ => verdict,
    })
}

/// How long a response asks to be left alone: [`retry_after_at`] by the system's clock.
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after_at(headers, SystemTime::now())
}

/// How long a response asks to be left alone, by its header `Retry-After`.
///
/// Either whole seconds, or a date in one of the three forms of HTTP; a date in the past is a wait of zero. A date
/// counts from the response's own `Date`, so that it does not matter how far the two clocks are apart, and from `now`
/// only without one. Anything else (`-5`, `1.5`, `2m`, an empty value, more seconds than a `u64` holds) says nothing:
/// `None`, as without the header. The wait is not bounded; whoever sleeps it must do that.
///
/// ```
/// use http::{HeaderMap, header::{DATE, RETRY_AFTER}};
/// use resilient_runtime::http::retry_after_at;
/// use std::time::{Duration, SystemTime};
///
/// let mut headers = HeaderMap::new();
/// headers.insert(DATE, "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap());
/// headers.insert(RETRY_AFTER, "Sun, 06 Nov 1994 08:49:40 GMT".parse().unwrap());
/// assert_eq!(retry_after_at(&headers, SystemTime::now()), Some(Duration::from_secs(3)));
/// ```
#[must_use]
pub fn retry_after_at(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = text(headers, RETRY_AFTER)?;
    // `u64` would take `+5`, which is no number of seconds in HTTP.
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let from = text(headers, DATE).and_then(|date| httpdate::parse_http_date(date).ok());
    Some(until.duration_since(from.unwrap_or(now)).unwrap_or(Duration::ZERO))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim_ascii)
}

/// Passes a response on unless it is an error: a status of 400 or more.
///
/// Unlike [`error_for_status`](reqwest::Response::error_for_status), it keeps what `Retry-After` asked for. Redirects
/// that the client did not follow and 304 pass.
///
/// # Errors
///
/// [`Error::Status`], which holds the status and the wait; the response and its body are dropped.
pub fn check(response: reqwest::Response) -> Result<reqwest::Response, Error> {
    let status = response.status();
    if status.as_u16() < 400 {
        return Ok(response);
    }
    Err(Error::Status { status, retry_after: retry_after(response.headers()) })
}

/// Why an HTTP call failed; what a client function may return as it is.
///
/// `?` makes it of a `reqwest::Error` and of a [`Rejected`], so that `#[resilient]` takes it without further ado.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The answer was an error.
    Status {
        /// Its status, 400 or more.
        status: StatusCode,
        /// How long it asked to be left alone.
        retry_after: Option<Duration>,
    },
    /// There was no answer, or not all of it.
    Transport(reqwest::Error),
    /// A guard answered instead.
    Rejected(Rejected),
}

impl Error {
    /// The status that the dependency answered, if it did.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::Transport(error) => error.status(),
            Self::Rejected(_) => None,
        }
    }

    /// How long to wait before another call has a chance, where the dependency or a guard said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Transport(_) => None,
            Self::Rejected(rejected) => rejected.retry_after(),
        }
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error)
    }
}

impl From<Rejected> for Error {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}

#[diagnostic::do_not_recommend]
impl Classify for Error {
    fn classify(&self) -> Verdict {
        match self {
            // A success is no error; whoever made one of it did not believe the answer.
            Self::Status { status, retry_after } => {
                by_status(*status, *retry_after).unwrap_or(Verdict::new(Class::Transient, Executed::Yes))
            }
            Self::Transport(error) => error.classify(),
            Self::Rejected(rejected) => rejected.classify(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, retry_after: None } => write!(f, "answered with status {status}"),
            Self::Status { status, retry_after: Some(wait) } => {
                write!(f, "answered with status {status}, try again in {} ms", wait.as_millis())
            }
            Self::Transport(error) => error.fmt(f),
            Self::Rejected(rejected) => rejected.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => error.source(),
            Self::Status { .. } | Self::Rejected(_) => None,
        }
    }
}
