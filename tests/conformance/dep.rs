//! A dependency that does what a script says, and remembers who came and with what.

use crate::clock::{Watch, ms};
use resilient::{
    Class, Classify, Criticality, Hint, IdempotencyKey, Rejected, RejectedKind, Verdict, attempt, criticality,
    idempotency_key, remaining, testing,
};
use std::{
    future::pending,
    panic::resume_unwind,
    sync::{Arc, Mutex},
    time::Duration,
};

/// What a guarded function of these tests returns.
pub type Outcome = Result<&'static str, Fault>;

/// What the body answers when the script says [`S`].
pub const BODY: &str = "body";
/// What plan B answers when its script says [`S`].
pub const PLAN_B: &str = "plan b";

/// One run of the body: how long it takes, and what then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    takes: Duration,
    pub then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Then {
    Answer(&'static str),
    Fail(Verdict),
    /// An inner guard refused.
    Reject(RejectedKind),
    Panic,
}

const fn now(then: Then) -> Step {
    Step { takes: Duration::ZERO, then }
}

/// Success.
pub const S: Step = now(Then::Answer(BODY));
/// A failure that may pass.
pub const F: Step = now(Then::Fail(Verdict::TRANSIENT));
/// A failure by time, as the dependency itself reports it.
pub const T: Step = now(Then::Fail(Verdict::TIMEOUT));
/// A quota is used up.
pub const Q: Step = now(Then::Fail(Verdict::THROTTLED));
/// Load is shed.
pub const O: Step = now(Then::Fail(Verdict::OVERLOADED));
/// An answer that will not change: what the suites' `N` is to us.
pub const P: Step = now(Then::Fail(Verdict::PERMANENT));
/// No answer, ever.
pub const HANG: Step = Step { takes: Duration::MAX, then: Then::Answer(BODY) };
/// A panic.
pub const PANIC: Step = now(Then::Panic);

/// Success, with this answer.
pub const fn answers(answer: &'static str) -> Step {
    now(Then::Answer(answer))
}

/// An error that is none of the above.
pub const fn fails(verdict: Verdict) -> Step {
    now(Then::Fail(verdict))
}

/// The body returns what an inner guard told it.
pub const fn rejects(kind: RejectedKind) -> Step {
    now(Then::Reject(kind))
}

impl Step {
    /// The same, after so many milliseconds.
    pub const fn takes(self, millis: u64) -> Self {
        Self { takes: ms(millis), ..self }
    }

    /// The same, with the wish not to come back before so many milliseconds.
    pub const fn hint(self, millis: u64) -> Self {
        match self.then {
            Then::Fail(verdict) => Self { then: Then::Fail(verdict.after(ms(millis))), ..self },
            _ => self,
        }
    }

    fn outcome(self, run: u32) -> Outcome {
        match self.then {
            Then::Answer(answer) => Ok(answer),
            Then::Fail(verdict) => Err(Fault::Failed { verdict, run }),
            Then::Reject(kind) => Err(Fault::Rejected(Rejected::new("inner", kind, None))),
            // Not `panic!`: a test's output need not show the panics that it is about.
            Then::Panic => resume_unwind(Box::new(Scripted)),
        }
    }
}

/// What [`PANIC`] carries.
pub struct Scripted;

/// The error of the guarded functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The body failed, in this run of its call.
    Failed { verdict: Verdict, run: u32 },
    /// A guard answered.
    Rejected(Rejected),
}

impl Fault {
    pub fn class(&self) -> Class {
        self.classify().class
    }

    pub fn hint(&self) -> Hint {
        self.classify().hint
    }
}

impl Classify for Fault {
    fn classify(&self) -> Verdict {
        match self {
            Self::Failed { verdict, .. } => *verdict,
            Self::Rejected(rejected) => rejected.classify(),
        }
    }
}

impl From<Rejected> for Fault {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}

/// What one run of the body found.
#[derive(Clone, Debug)]
pub struct Visit {
    /// When it came, since the test began.
    pub at: Duration,
    pub attempt: Option<u32>,
    pub remaining: Option<Duration>,
    pub criticality: Criticality,
    pub key: Option<IdempotencyKey>,
}

/// The dependency, as one call meets it. The last step of a script repeats.
#[derive(Debug)]
pub struct Dep {
    script: Vec<Step>,
    plan: Vec<Step>,
    /// What the call asks for, where answers are kept by it.
    pub id: u32,
    pub key: IdempotencyKey,
    visits: Mutex<Vec<Visit>>,
    /// What plan B was told at each of its runs.
    told: Mutex<Vec<Option<Fault>>>,
    watch: Option<Arc<Watch>>,
}

impl<const N: usize> From<[Step; N]> for Dep {
    fn from(script: [Step; N]) -> Self {
        Self {
            script: script.to_vec(),
            plan: vec![S],
            id: 0,
            key: IdempotencyKey::from_parts(["an", "action"]),
            visits: Mutex::default(),
            told: Mutex::default(),
            watch: None,
        }
    }
}

impl Dep {
    /// What the body does.
    pub fn does(script: &[Step]) -> Self {
        Self { script: script.to_vec(), ..Self::from([S]) }
    }

    /// What plan B does; else it answers.
    pub fn plan<const N: usize>(self, plan: [Step; N]) -> Self {
        Self { plan: plan.to_vec(), ..self }
    }

    pub fn asked_for(self, id: u32) -> Self {
        Self { id, ..self }
    }

    pub fn watched(self, watch: &Arc<Watch>) -> Self {
        Self { watch: Some(watch.clone()), ..self }
    }

    /// The body of every async function here.
    pub async fn answer(&self) -> Outcome {
        let (step, run) = self.arrive();
        step.wait().await;
        step.outcome(run)
    }

    /// The body of every sync function here.
    pub fn answer_blocking(&self) -> Outcome {
        let (step, run) = self.arrive();
        assert!(step != HANG, "a thread that hangs cannot be tested");
        testing::advance(step.takes);
        step.outcome(run)
    }

    pub fn visits(&self) -> Vec<Visit> {
        self.visits.lock().unwrap().clone()
    }

    pub fn told(&self) -> Vec<Option<Fault>> {
        self.told.lock().unwrap().clone()
    }

    fn arrive(&self) -> (Step, u32) {
        let mut visits = self.visits.lock().unwrap();
        visits.push(Visit {
            at: self.watch.as_ref().map(|watch| watch.elapsed()).unwrap_or_default(),
            attempt: attempt(),
            remaining: remaining(),
            criticality: criticality(),
            key: idempotency_key(),
        });
        let run = visits.len();
        (self.script[run.min(self.script.len()) - 1], run as u32)
    }

    fn tell(&self, error: Option<&Fault>) -> (Step, u32) {
        let mut told = self.told.lock().unwrap();
        told.push(error.cloned());
        let run = told.len();
        (self.plan[run.min(self.plan.len()) - 1], run as u32)
    }
}

impl Step {
    pub async fn wait(self) {
        match self.takes {
            Duration::ZERO => {}
            Duration::MAX => pending().await,
            takes => tokio::time::sleep(takes).await,
        }
    }
}

/// Plan B for async functions.
pub mod waiting {
    use super::{Dep, Fault, Outcome, PLAN_B};

    pub async fn plan_b(dep: &Dep) -> Outcome {
        let (step, run) = dep.tell(None);
        step.wait().await;
        step.outcome(run).map(|_| PLAN_B)
    }

    pub async fn plan_b_told(dep: &Dep, error: &Fault) -> Outcome {
        let (step, run) = dep.tell(Some(error));
        step.wait().await;
        step.outcome(run).map(|_| PLAN_B)
    }
}

/// The same for sync functions.
pub mod blocking {
    use super::{Dep, Fault, Outcome, PLAN_B};
    use resilient::testing::advance;

    pub fn plan_b(dep: &Dep) -> Outcome {
        let (step, run) = dep.tell(None);
        advance(step.takes);
        step.outcome(run).map(|_| PLAN_B)
    }

    pub fn plan_b_told(dep: &Dep, error: &Fault) -> Outcome {
        let (step, run) = dep.tell(Some(error));
        advance(step.takes);
        step.outcome(run).map(|_| PLAN_B)
    }
}
