//! What an outcome means: class × executed × hint.

use std::time::Duration;

/// What went wrong, as far as repeating it is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// It may work in a moment: a reset connection, a 502.
    Transient,
    /// No answer in time.
    Timeout,
    /// This caller asks too often: 429, a quota.
    Throttled,
    /// The dependency sheds load: 503 with `Retry-After`, pushback.
    Overloaded,
    /// It answered, and will answer the same again: a 404, a validation error.
    Permanent,
}

/// Whether the dependency did the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Executed {
    /// Provably not: the connection was refused, a guard answered instead.
    No,
    /// Nobody can tell: the answer was lost.
    Unknown,
    /// It did.
    Yes,
}

/// What the dependency said about coming back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Nothing.
    None,
    /// Not before this long.
    After(Duration),
    /// Not at all.
    Stop,
}

/// What an outcome means for everything that may repeat, count or replace it.
///
/// ```
/// use resilient_runtime::{Class, Executed, Hint, Verdict};
/// use std::time::Duration;
///
/// let verdict = Verdict::new(Class::Throttled, Executed::No).after(Duration::from_secs(2));
/// assert_eq!(verdict.hint, Hint::After(Duration::from_secs(2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// What went wrong.
    pub class: Class,
    /// Whether the dependency did the work.
    pub executed: Executed,
    /// What it said about coming back.
    pub hint: Hint,
}

impl Verdict {
    /// A verdict without a hint.
    #[must_use]
    pub const fn new(class: Class, executed: Executed) -> Self {
        Self { class, executed, hint: Hint::None }
    }

    /// [`Class::Transient`]; nobody can tell whether it was executed.
    pub const TRANSIENT: Self = Self::new(Class::Transient, Executed::Unknown);
    /// [`Class::Timeout`]; nobody can tell whether it was executed.
    pub const TIMEOUT: Self = Self::new(Class::Timeout, Executed::Unknown);
    /// [`Class::Throttled`]; not executed.
    pub const THROTTLED: Self = Self::new(Class::Throttled, Executed::No);
    /// [`Class::Overloaded`]; nobody can tell whether it was executed.
    pub const OVERLOADED: Self = Self::new(Class::Overloaded, Executed::Unknown);
    /// [`Class::Permanent`]; executed.
    pub const PERMANENT: Self = Self::new(Class::Permanent, Executed::Yes);

    /// The same, known never to have been executed.
    #[must_use]
    pub const fn unsent(self) -> Self {
        Self { executed: Executed::No, ..self }
    }

    /// The same, with the wish not to come back before `wait`.
    #[must_use]
    pub const fn after(self, wait: Duration) -> Self {
        Self { hint: Hint::After(wait), ..self }
    }

    /// The same, with the wish not to come back.
    #[must_use]
    pub const fn stop(self) -> Self {
        Self { hint: Hint::Stop, ..self }
    }
}

/// An error that can say what it means for whoever called: what `#[derive(Classify)]` writes.
///
/// Implemented for [`std::io::Error`], `Box<dyn Error + Send + Sync>`, [`Infallible`](std::convert::Infallible),
/// [`Rejected`](crate::Rejected) and [`Failure`](crate::Failure), and with feature `reqwest` for `reqwest::Error`.
#[diagnostic::on_unimplemented(
    message = "[R27] `{Self}` does not say which of its failures may be repeated",
    label = "this error does not implement `Classify`",
    note = "derive it: `#[derive(resilient::Classify)]` with a word on each variant, or name a judge: `retry(on = path)`"
)]
pub trait Classify {
    /// What this error means.
    fn classify(&self) -> Verdict;
}
