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

    /// Whether the dependency answered, so that asking it again would change nothing: a success, or a no of its own.
    pub(crate) fn is_answer(self) -> bool {
        self.overruled == Some(Overruled::Success) || self.verdict.is_none_or(|it| it.class == Class::Permanent)
    }

    /// Whether the time that it took says how fast the dependency answers.
    pub(crate) fn is_sample(self) -> bool {
        self.is_answer() && self.overruled != Some(Overruled::Ignored)
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

/// What the field of `#[rejected]` is.
#[diagnostic::on_unimplemented(
    message = "[R27] `{Self}` is not a `Rejected`",
    label = "this field is to hold the rejection",
    note = "write `#[rejected] Rejected(resilient::Rejected)`, or another word on the variant"
)]
pub trait HoldsRejected {
    /// `rejected`, if the field can hold it.
    fn holding(rejected: Rejected) -> Self;
}

#[diagnostic::do_not_recommend]
impl HoldsRejected for Rejected {
    fn holding(rejected: Rejected) -> Self {
        rejected
    }
}

/// A return type that a guarded function may have: a `Result`.
///
/// It asks nothing of its parts. What is missing of one is then one error, about that part, at the return type.
#[diagnostic::on_unimplemented(
    message = "[R24] `{Self}` does not tell success from failure",
    label = "a guarded function returns a `Result`",
    note = "return a `Result`, or write a `fallback` that answers when a guard lets nothing through"
)]
pub trait Answer: Sized {
    /// What a success holds.
    type Value;
    /// What a failure holds.
    type Error;
    /// A success.
    fn wrap(value: Self::Value) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E> Answer for Result<T, E> {
    type Value = T;
    type Error = E;

    fn wrap(value: T) -> Self {
        Ok(value)
    }
}

/// An error type that a rejection can become, as the error of the outcome `R`.
#[diagnostic::on_unimplemented(
    message = "[R27] `{Self}` cannot carry a rejection",
    label = "this error does not implement `From<resilient::Rejected>`",
    note = "add a variant `#[rejected] Rejected(resilient::Rejected)` and `#[derive(resilient::Classify)]`, or return `resilient::Failure<…>` around a foreign error"
)]
pub trait Rejectable<R>: Sized {
    /// What the caller gets.
    fn conclude(ending: Ending<R>) -> R;
    /// What the caller gets if no plan B answers.
    fn settle(ending: Ending<R>) -> Option<R>;
    /// What plan B is told.
    ///
    /// # Panics
    /// For a success, after which plan B does not run.
    fn error(outcome: &R) -> &Self;
}

impl<T, E: From<Rejected>> Rejectable<Result<T, E>> for E {
    fn conclude(ending: Ending<Result<T, E>>) -> Result<T, E> {
        ending.unwrap_or_else(|rejected| Err(E::from(rejected)))
    }

    fn settle(ending: Ending<Result<T, E>>) -> Option<Result<T, E>> {
        Some(Self::conclude(ending))
    }

    fn error(outcome: &Result<T, E>) -> &E {
        match outcome {
            Ok(_) => panic!("plan B runs only after a failure"),
            Err(error) => error,
        }
    }
}

/// An error type that says what it means, as the error of the outcome `R`.
#[diagnostic::on_unimplemented(
    message = "[R27] `{Self}` does not say which of its failures may be repeated",
    label = "this error does not implement `Classify`",
    note = "derive it: `#[derive(resilient::Classify)]` with a word on each variant, or name a judge: `retry(on = path)`"
)]
pub trait Judged<R> {
    /// What this outcome means.
    fn judge(outcome: &R) -> Judgement;
}

impl<T, E: Classify> Judged<Result<T, E>> for E {
    fn judge(outcome: &Result<T, E>) -> Judgement {
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

/// The functions of an outcome's parts where a part has no name, being an `impl Trait`: inference finds it.
pub mod unnamed {
    use super::{Ending, Judged, Judgement, Rejectable};
    use crate::{
        arguments::Key,
        call::{BlockingCall, Call, Keepable},
    };

    /// [`Judged::judge`]
    pub fn judge<T, E: Judged<Result<T, E>>>(outcome: &Result<T, E>) -> Judgement {
        E::judge(outcome)
    }

    /// [`Rejectable::conclude`]
    pub fn conclude<T, E: Rejectable<Result<T, E>>>(ending: Ending<Result<T, E>>) -> Result<T, E> {
        E::conclude(ending)
    }

    /// [`Rejectable::settle`]
    pub fn settle<T, E: Rejectable<Result<T, E>>>(ending: Ending<Result<T, E>>) -> Option<Result<T, E>> {
        E::settle(ending)
    }

    /// [`Rejectable::error`]
    pub fn error<T, E: Rejectable<Result<T, E>>>(outcome: &Result<T, E>) -> &E {
        E::error(outcome)
    }

    /// [`Keepable::cached`]
    pub fn cached<T, E>(call: &Call, digest: u64, key: &Key<'_>, outcome: Result<T, E>) -> Result<T, E>
    where
        T: Keepable<Result<T, E>>,
    {
        T::cached(call, digest, key, outcome)
    }

    /// [`Keepable::cached_blocking`]
    pub fn cached_blocking<T, E>(call: &BlockingCall, digest: u64, key: &Key<'_>, outcome: Result<T, E>) -> Result<T, E>
    where
        T: Keepable<Result<T, E>>,
    {
        T::cached_blocking(call, digest, key, outcome)
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
        <E as Judged<Result<T, E>>>::judge
    }

    /// What the caller gets if no plan B answers.
    #[must_use]
    pub fn settle(self) -> Settle<Result<T, E>>
    where
        E: From<Rejected>,
    {
        <E as Rejectable<Result<T, E>>>::settle
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

/// What answers for an async function is async too.
#[diagnostic::on_unimplemented(
    message = "[R28] an async function's fallback is async too",
    label = "this fallback does not return a future",
    note = "write `async fn`, or use `fallback = value(…)` for something that needs no waiting"
)]
pub trait PlanB: Future {}

#[diagnostic::do_not_recommend]
impl<F: Future> PlanB for F {}
