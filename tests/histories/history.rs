//! Random histories of calls that overlap, against the library and the model: after each step everything that can be seen
//! is compared.

use crate::{
    clock::{ms, paused},
    dep::Fault,
    model::{Counts, End, Kind, Model, Shape, State, Visit, tally},
    steps::{Board, Outcome, Step, step},
};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use resilient::{
    BreakerState, last_stop, operation, resilient, snapshot,
    testing::{advance, isolated_blocking},
    within,
};
use std::{
    cell::RefCell,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// A function with every guard, in as many ways as there are settings that the model knows.
macro_rules! guarded {
    ($function:ident: $breaker:literal, retries = $retries:literal, scope = $scope:ident, budget($($budget:tt)*)) => {
        #[resilient(
            read,
            timeout_ms = 60,
            deadline_ms = 180,
            retries = $retries,
            retry(base_ms = 20, cap_ms = 20, jitter = none),
            allow(R07, R15),
            retry_budget($($budget)*),
            breaker(
                $breaker,
                window = 8,
                min_calls = 6,
                slow_ms = 40,
                open_ms = 70,
                open_jitter = 0.0,
                probes = 3,
                passes = 2,
                scope = $scope
            ),
            bulkhead(4, max_wait_ms = 50, max_queue = 2),
            rate_limit("50/s", burst = 3, max_wait_ms = 30),
            hedge = 15ms
        )]
        async fn $function(board: &Board) -> Outcome {
            board.body().await
        }
    };
}

guarded!(per_call: "per.call", retries = 2, scope = call, budget(0.3, burst = 3));
guarded!(per_success: "per.success", retries = 1, scope = attempt, budget(0.3, burst = 3, earn = success));
guarded!(quota: "quota", retries = 2, scope = attempt, budget(quota));
guarded!(throttle: "throttle", retries = 1, scope = call, budget(throttle));
guarded!(active: "active", retries = 2, scope = call, budget(active));

const KINDS: [Kind; 5] = [
    Kind { name: "per.call", retries: 2, by_attempt: false, budget: Shape::PerCall },
    Kind { name: "per.success", retries: 1, by_attempt: true, budget: Shape::PerSuccess },
    Kind { name: "quota", retries: 2, by_attempt: true, budget: Shape::Quota },
    Kind { name: "throttle", retries: 1, by_attempt: false, budget: Shape::Throttle },
    Kind { name: "active", retries: 2, by_attempt: false, budget: Shape::Active },
];

/// One guarded call.
struct Real {
    number: usize,
    board: Rc<Board>,
    future: Option<Pin<Box<dyn Future<Output = Outcome>>>>,
}

impl Real {
    fn new(number: usize, kind: Kind, time: Option<u64>, visits: &Rc<RefCell<Vec<Visit>>>) -> Self {
        let board = Rc::new(Board::new(0, visits));
        let lent = board.clone();
        let call = async move {
            match kind.budget {
                Shape::PerCall => per_call(&lent).await,
                Shape::PerSuccess => per_success(&lent).await,
                Shape::Quota => quota(&lent).await,
                Shape::Throttle => throttle(&lent).await,
                Shape::Active => active(&lent).await,
            }
        };
        let future: Pin<Box<dyn Future<Output = Outcome>>> = match time {
            None => Box::pin(call),
            Some(time) => Box::pin(within(ms(time), call)),
        };
        Self { number, board, future: Some(future) }
    }

    fn poll(&mut self) -> Option<End> {
        let future = self.future.as_mut()?;
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
        let why = last_stop();
        let end = match polled {
            Ok(Poll::Pending) => return None,
            Err(_panic) => End::Panicked,
            Ok(Poll::Ready(Ok(body))) => {
                assert_eq!(why, None);
                End::Answered { body }
            }
            Ok(Poll::Ready(Err(Fault::Failed { verdict, run }))) => {
                End::Failed { verdict, body: run, why: why.expect("a failed call says why it stopped") }
            }
            Ok(Poll::Ready(Err(Fault::Rejected(told)))) => {
                let retry_after = told.retry_after().map(|wait| wait.as_millis() as u64);
                End::Rejected { kind: told.kind(), retry_after, why }
            }
        };
        self.future = None;
        Some(end)
    }
}

/// The library and the model, side by side.
struct Both {
    kind: Kind,
    model: Model,
    calls: Vec<Real>,
    visits: Rc<RefCell<Vec<Visit>>>,
}

impl Both {
    fn nth(&self, n: usize) -> Option<usize> {
        (!self.calls.is_empty()).then(|| n % self.calls.len())
    }

    /// Both look at one call, and it ends in both or in none.
    fn poll(&mut self, at: usize) {
        let call = &mut self.calls[at];
        let (expected, got) = (self.model.poll(call.number), call.poll());
        assert_eq!(got, expected, "call {}", call.number);
        if got.is_some() {
            self.calls.remove(at);
        }
    }

    fn step(&mut self, number: usize, step: Step) {
        match step {
            Step::Start(time) => {
                let mut call = Real::new(number, self.kind, time, &self.visits);
                let (expected, got) = (self.model.start(number, time), call.poll());
                assert_eq!(got, expected, "call {number}");
                if got.is_none() {
                    self.calls.push(call);
                }
            }
            Step::Say(n, word) => {
                let running = self.model.running();
                let Some(body) = (!running.is_empty()).then(|| running[n % running.len()]) else { return };
                self.model.say(body, word);
                let call = self.calls.iter().find(|call| call.number == body.0).unwrap();
                call.board.say(body.1, word);
            }
            Step::Poll(n) => self.nth(n).into_iter().for_each(|at| self.poll(at)),
            Step::PollAll => (0..self.calls.len()).rev().for_each(|at| self.poll(at)),
            Step::Leave(n) => {
                if let Some(at) = self.nth(n) {
                    let call = self.calls.remove(at);
                    self.model.leave(call.number);
                    drop(call);
                }
            }
            Step::Pass(millis) => {
                advance(ms(millis));
                self.model.now += millis;
            }
            Step::Limit(limit) => {
                if let Some(handle) = operation(self.kind.name) {
                    assert!(handle.limit(limit));
                    self.model.resize(limit);
                }
            }
        }
    }

    fn compare(&mut self) {
        let visits = self.visits.take();
        assert_eq!(visits, std::mem::take(&mut self.model.visits), "bodies that started");
        let running =
            |call: &Real| call.board.running().into_iter().map(|body| (call.number, body)).collect::<Vec<_>>();
        assert_eq!(self.calls.iter().flat_map(running).collect::<Vec<_>>(), self.model.running(), "bodies that run");
        let Some(now) = snapshot().pop() else { return };
        let model = &self.model;
        assert_eq!(Counts::from(&now.counts), model.counts);
        let gate = now.bulkhead.unwrap();
        let expected = (model.gate.used, model.gate.limit, model.gate.line.len() as u32);
        assert_eq!((gate.in_use, gate.limit, gate.waiting), expected, "permits in use, of so many, waiting");
        assert_eq!(
            (now.budget.unwrap().tokens * 1_000.0).round() as u64,
            model.budget.left(),
            "thousandths of a token"
        );
        let breaker = now.breaker.unwrap();
        let (state, window, trial, open_for) = match &model.breaker.state {
            State::Closed { window } => (BreakerState::Closed, tally(window), (0, 0), None),
            State::Open { until } => (BreakerState::Open, (0, 0, 0), (0, 0), Some(ms(until.saturating_sub(model.now)))),
            State::HalfOpen(trial) => {
                (BreakerState::HalfOpen, (0, 0, 0), (trial.leases.len() as u32, trial.passed), None)
            }
        };
        assert_eq!((breaker.state, breaker.opened), (state, model.breaker.opened));
        assert_eq!((breaker.probes_in_flight, breaker.probes_passed), trial, "probes in flight, passed");
        let seen = (breaker.calls as usize, breaker.failures as usize, breaker.slow as usize);
        assert_eq!(seen, window, "calls, failures, slow");
        assert_eq!(breaker.open_for, open_for);
    }
}

/// What the model has counted at the end of it.
fn history(kind: Kind, steps: &[Step]) -> Counts {
    let mut both = Both { kind, model: Model::new(kind), calls: Vec::new(), visits: Rc::default() };
    for (number, step) in steps.iter().enumerate() {
        both.step(number, *step);
        both.compare();
    }
    // Everybody leaves, and every call was counted once.
    for at in (0..both.calls.len()).rev() {
        both.step(0, Step::Leave(at));
        both.compare();
    }
    let Some(now) = snapshot().pop() else { return both.model.counts };
    let n = now.counts;
    let ended = n.succeeded + n.failed + n.deadline + n.full + n.open + n.limited + n.expired + n.dropped + n.panicked;
    assert_eq!((n.calls, n.in_flight, now.bulkhead.unwrap().in_use), (ended, 0, 0), "{n:?}");
    both.model.counts
}

/// As many histories as `PROPTEST_CASES` says, else 256; so many together must have been everywhere.
#[test]
fn every_answer_is_the_models() {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let cases = runner.config().cases;
    let seen = RefCell::new(Counts::default());
    let histories = (select(KINDS.to_vec()), prop::collection::vec(step(), 1..400));
    let compared = runner.run(&histories, |(kind, steps)| {
        let runtime = paused();
        let _clock = runtime.enter();
        let counts = isolated_blocking(|| history(kind, &steps));
        seen.borrow_mut().add(&counts);
        Ok(())
    });
    if let Err(differs) = compared {
        panic!("{differs}");
    }
    let nowhere = seen.borrow().nowhere();
    assert!(cases < 256 || nowhere.is_empty(), "no history was there: {nowhere:?}");
}
