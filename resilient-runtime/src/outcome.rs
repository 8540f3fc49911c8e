//! What a body returned, seen through its type: the only rooms that know `Result<T, E>`.

use crate::{
    breaker::Sample,
    rejected::Rejected,
    verdict::{Class, Classify, Verdict},
};
use std::marker::PhantomData;

/// How a call ended: what the body returned, or the guard that answered instead.
pub type Ending<R> = Result<R, Rejected>;

/// Makes what the caller gets out of how the call ended, if no plan B answers.
pub type Settle<R> = fn(Ending<R>) -> Option<R>;

/// What an outcome means to the guards.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    /// `None`: it succeeded.
    pub(crate) verdict: Option<Verdict>,
    /// `success_on` and `ignore_on` overrule what the verdict means to the breaker.
    pub(crate) overruled: Option<Overruled>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overruled {
    /// The breaker counts a success, and nothing is repeated.
    Success,
    /// The breaker does not count it; repeated by its verdict.
    Ignored,
}

impl Judgement {
    pub(crate) const SUCCESS: Self = Self { verdict: None, overruled: None };

    pub(crate) const fn of(verdict: Verdict) -> Self {
        Self { verdict: Some(verdict), overruled: None }
    }

    /// `success_on` said `yes`.
    #[must_use]
    pub fn success_on(self, yes: bool) -> Self {
        Self { overruled: if yes { Some(Overruled::Success) } else { self.overruled }, ..self }
    }

    /// `ignore_on` said `yes`; it is stronger than `success_on`.
    #[must_use]
    pub fn ignore_on(self, yes: bool) -> Self {
        Self { overruled: if yes { Some(Overruled::Ignored) } else { self.overruled }, ..self }
    }

    /// The row of the counting table, breaker column.
    pub(crate) fn sample(self, slow: bool) -> Sample {
        match (self.overruled, self.verdict) {
            (Some(Overruled::Ignored), _) => Sample::Neutral,
            (Some(Overruled::Success), _) | (None, None) => Sample::Success { slow },
            (None, Some(verdict)) => match verdict.class {
                Class::Permanent => Sample::Success { slow },
                Class::Throttled => Sample::Throttled,
                Class::Transient | Class::Timeout | Class::Overloaded => Sample::Failure { slow },
            },
        }
    }
}

/// An error type that a rejection can become.
#[diagnostic::on_unimplemented(
    message = "[R27] `{Self}` cannot carry a rejection",
    label = "this error does not implement `From<resilient::Rejected>`",
    note = "add a variant `#[rejected] Rejected(resilient::Rejected)` and `#[derive(resilient::Classify)]`, or return `resilient::Failure<…>` around a foreign error"
)]
pub trait Rejectable: Sized {
    /// The rejection as this error.
    fn rejected(rejected: Rejected) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Rejected>> Rejectable for E {
    fn rejected(rejected: Rejected) -> Self {
        Self::from(rejected)
    }
}

/// A return type that a guarded function may have.
#[diagnostic::on_unimplemented(
    message = "[R24] `{Self}` does not tell success from failure",
    label = "a guarded function returns a `Result`",
    note = "return a `Result`, or write a `fallback` that answers when a guard does not let the call through"
)]
pub trait Answer: Sized {
    /// What a success holds.
    type Value;
    /// What the caller gets.
    fn conclude(ending: Ending<Self>) -> Self;
    /// What the caller gets if no plan B answers.
    fn settle(ending: Ending<Self>) -> Option<Self>;
    /// A success.
    fn wrap(value: Self::Value) -> Self;
}

impl<T, E: Rejectable> Answer for Result<T, E> {
    type Value = T;

    fn conclude(ending: Ending<Self>) -> Self {
        ending.unwrap_or_else(|rejected| Err(E::rejected(rejected)))
    }

    fn settle(ending: Ending<Self>) -> Option<Self> {
        Some(Self::conclude(ending))
    }

    fn wrap(value: T) -> Self {
        Ok(value)
    }
}

/// A return type whose failures say what they mean.
#[diagnostic::on_unimplemented(
    message = "[R24] `{Self}` does not tell success from failure",
    label = "a guarded function returns a `Result`",
    note = "return a `Result`, or write a `fallback` that answers when a guard does not let the call through"
)]
pub trait Judged {
    /// What this outcome means.
    fn judge(outcome: &Self) -> Judgement;
}

impl<T, E: Classify> Judged for Result<T, E> {
    fn judge(outcome: &Self) -> Judgement {
        judge_by(outcome, E::classify)
    }
}

/// What an outcome means by the word of a judge: `retry(on = path)`.
pub fn judge_by<T, E>(outcome: &Result<T, E>, on: fn(&E) -> Verdict) -> Judgement {
    match outcome {
        Ok(_) => Judgement::SUCCESS,
        Err(error) => Judgement::of(on(error)),
    }
}

/// Finds out at a call site whether a return type is a `Result` at all, for functions with a plan B.
///
/// The methods for `Result` are its own, those for anything else come through [`OfValue`], so that the compiler prefers
/// the former wherever the type is a `Result`, whatever its error can do.
pub struct Probe<R>(PhantomData<fn() -> R>);

impl<R> Probe<R> {
    /// The probe.
    pub const NEW: Self = Self(PhantomData);
}

impl<T, E> Probe<Result<T, E>> {
    /// How its failures are judged.
    #[must_use]
    pub fn judge(self) -> fn(&Result<T, E>) -> Judgement
    where
        E: Classify,
    {
        <Result<T, E> as Judged>::judge
    }

    /// What the caller gets if no plan B answers.
    #[must_use]
    pub fn settle(self) -> Settle<Result<T, E>>
    where
        E: Rejectable,
    {
        <Result<T, E> as Answer>::settle
    }

    /// A success.
    #[must_use]
    pub fn wrap(self) -> fn(T) -> Result<T, E> {
        Ok
    }
}

/// What [`Probe`] says of a type that is no `Result`: it never fails, and a rejection leaves the answer to plan B.
pub trait OfValue<R>: Sized {
    /// It never fails.
    fn judge(self) -> fn(&R) -> Judgement {
        |_| Judgement::SUCCESS
    }

    /// Nothing, where a guard answered.
    fn settle(self) -> Settle<R> {
        Ending::ok
    }

    /// The value itself.
    fn wrap(self) -> fn(R) -> R {
        |value| value
    }
}

impl<R> OfValue<R> for Probe<R> {}

/// `value()` if plan B is to answer, else the outcome.
pub fn or_value<R>(outcome: Option<R>, instead: bool, value: impl FnOnce() -> R) -> R {
    match outcome {
        Some(outcome) if !instead => outcome,
        _ => value(),
    }
}

/// The outcome of a call whose plan B did not answer.
///
/// # Panics
/// Where there is none, which [`Call::plan_b`](crate::call::Call::plan_b) does not let happen: a plan without an
/// outcome behind it is not bounded.
pub fn give<R>(outcome: Option<R>) -> R {
    outcome.expect("an outcome, since a plan B without one is never late and never fails")
}

/// The error of an outcome that plan B is told about.
///
/// # Panics
/// For a success, after which plan B does not run.
pub fn error<T, E>(outcome: &Result<T, E>) -> &E {
    match outcome {
        Ok(_) => panic!("plan B runs only after a failure"),
        Err(error) => error,
    }
}

/// What answers for an async function is async too.
#[diagnostic::on_unimplemented(
    message = "[R28] an async function's fallback is async too",
    label = "this fallback does not return a future",
    note = "write `async fn`, or use `fallback = value(…)` for something that needs no waiting"
)]
pub trait PlanB: Future {}

#[diagnostic::do_not_recommend]
impl<F: Future> PlanB for F {}

/// `future`, if it is one.
pub fn plan<F: PlanB>(future: F) -> F {
    future
}
