//! What the bodies do: chosen at random, from one seed per test.

use crate::ms;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient::{Classify, Rejected, Verdict, testing::advance};
use std::{
    cell::{Cell, RefCell},
    future::{pending, poll_fn},
    panic::resume_unwind,
    task::Poll,
};

#[derive(Clone, Debug)]
pub enum Fault {
    Failed(Verdict),
    Rejected,
}

impl Classify for Fault {
    fn classify(&self) -> Verdict {
        match self {
            Self::Failed(verdict) => *verdict,
            Self::Rejected => Verdict::OVERLOADED,
        }
    }
}

impl From<Rejected> for Fault {
    fn from(_: Rejected) -> Self {
        Self::Rejected
    }
}

pub type Outcome = Result<(), Fault>;

/// What one run of a body does.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    Answers,
    Fails(Verdict),
    Hangs,
    Panics,
}

/// How many polls or milliseconds a run waits, and what it does then.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub waits: u64,
    pub run: Run,
    /// Whether the body makes a guarded call itself.
    pub nested: bool,
}

/// How it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// Anything may happen.
    Foul,
    /// Nearly every body answers, else a breaker would hardly ever close.
    Fair,
    /// Every body answers at once.
    Calm,
    /// Every body is throttled at once.
    Throttled,
    /// Every body hangs.
    Still,
}

thread_local! {
    static RANDOM: RefCell<StdRng> = RefCell::new(StdRng::seed_from_u64(1));
    static WEATHER: Cell<Weather> = const { Cell::new(Weather::Foul) };
}

pub fn up_to(most: u64) -> u64 {
    RANDOM.with_borrow_mut(|random| random.random_range(0..most))
}

/// Makes every body here do as the weather says from now on.
pub fn weather(weather: Weather) {
    WEATHER.set(weather);
}

impl Plan {
    const fn at_once(run: Run) -> Self {
        Self { waits: 0, run, nested: false }
    }

    pub fn random() -> Self {
        match WEATHER.get() {
            Weather::Calm => return Self::at_once(Run::Answers),
            Weather::Throttled => return Self::at_once(Run::Fails(Verdict::THROTTLED)),
            Weather::Still => return Self::at_once(Run::Hangs),
            Weather::Fair if up_to(300) == 0 => weather(Weather::Foul),
            Weather::Foul if up_to(300) == 0 => weather(Weather::Fair),
            Weather::Fair | Weather::Foul => {}
        }
        if WEATHER.get() == Weather::Fair && up_to(10) > 0 {
            return Self { waits: up_to(2), run: Run::Answers, nested: up_to(20) == 0 };
        }
        let run = match up_to(20) {
            0..8 => Run::Answers,
            8..13 => Run::Fails(Verdict::TRANSIENT),
            13 => Run::Fails(Verdict::TIMEOUT),
            14 => Run::Fails(Verdict::THROTTLED.after(ms(up_to(100)))),
            15 => Run::Fails(Verdict::THROTTLED.after(ms(100_000))),
            16 => Run::Fails(Verdict::PERMANENT),
            17 => Run::Hangs,
            18 => Run::Panics,
            _ => Run::Fails(Verdict::OVERLOADED),
        };
        Self { waits: up_to(4), run, nested: up_to(20) == 0 }
    }

    /// An async body up to its end, but for the call it makes.
    pub async fn waits(self) {
        polls(self.waits).await;
        if matches!(self.run, Run::Hangs) {
            pending::<()>().await;
        }
    }

    /// The same for a sync body: time goes by.
    pub fn takes(self) {
        advance(ms(self.waits * 30));
    }

    pub fn ends(self) -> Outcome {
        match self.run {
            Run::Answers | Run::Hangs => Ok(()),
            Run::Fails(verdict) => Err(Fault::Failed(verdict)),
            Run::Panics => resume_unwind(Box::new("scripted")),
        }
    }
}

/// Pending so many times. Nothing wakes it: the test polls whom it likes.
async fn polls(times: u64) {
    let left = Cell::new(times);
    poll_fn(|_| match left.get() {
        0 => Poll::Ready(()),
        n => {
            left.set(n - 1);
            Poll::Pending
        }
    })
    .await;
}

pub async fn plan_b(plan_b: Plan) -> Outcome {
    polls(plan_b.waits).await;
    plan_b.ends()
}

pub fn plan_b_sync(plan_b: Plan) -> Outcome {
    plan_b.ends()
}
