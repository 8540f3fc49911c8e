//! Random histories of calls that overlap, against the library and the model: after each step everything that can be
//! seen is compared.

use super::{Breaker, Call, End, Model, Phase, Sample, TIMEOUT, Word};
use crate::{
    clock::{ms, paused},
    dep::{Fault, Outcome},
};
use proptest::prelude::*;
use resilient::{
    BreakerState, RejectedKind, Verdict, last_stop, resilient, snapshot,
    testing::{advance, isolated_blocking},
};
use std::{
    cell::Cell,
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// What the test tells one body to return, once.
type Told = Cell<Option<Word>>;

#[resilient(
    read,
    timeout_ms = 60,
    retries = 2,
    retry(base_ms = 20, cap_ms = 20, jitter = none),
    allow(R15),
    retry_budget(0.3, burst = 3),
    breaker(
        "model",
        window = 6,
        min_calls = 4,
        slow_ms = 40,
        open_ms = 200,
        open_jitter = 0.0,
        probes = 3,
        passes = 2
    ),
    bulkhead = 3
)]
async fn guarded(told: &Told) -> Outcome {
    poll_fn(|_| match told.take() {
        None => Poll::Pending,
        Some(None) => Poll::Ready(Ok("")),
        Some(Some(verdict)) => Poll::Ready(Err(Fault::Failed { verdict, run: resilient::attempt().unwrap() })),
    })
    .await
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Start,
    /// The body of the n-th call that is inside returns.
    Return(usize, Word),
    /// The n-th call is dropped by its caller.
    Leave(usize),
    Pass(u64),
}

/// One guarded call, and the cell through which the test speaks to its body.
struct Real {
    number: usize,
    told: Rc<Told>,
    future: Pin<Box<dyn Future<Output = Outcome>>>,
}

impl Real {
    fn new(number: usize) -> Self {
        let told = Rc::new(Told::default());
        let lent = told.clone();
        Self { number, told, future: Box::pin(async move { guarded(&lent).await }) }
    }

    fn look(&mut self) -> Option<End> {
        let polled = self.future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(outcome) = polled else { return None };
        Some(match (outcome, last_stop()) {
            (Ok(_), None) => End::Answered,
            (Err(Fault::Failed { verdict, run }), Some(why)) => End::Failed(verdict, run, why),
            (Err(Fault::Rejected(told)), Some(why)) => {
                assert_eq!(told.kind(), RejectedKind::TimedOut { limit_ms: TIMEOUT as u32 });
                End::Cut(why)
            }
            (Err(Fault::Rejected(told)), None) => End::Refused(told.kind()),
            other => panic!("{other:?}"),
        })
    }
}

fn compare(model: &Model) {
    let now = snapshot().pop().unwrap();
    let breaker = now.breaker.unwrap();
    let bad = |window: &VecDeque<Sample>, bad: [Sample; 2]| window.iter().filter(|sample| bad.contains(sample)).count();
    let (state, calls, failures, slow, in_flight, passed) = match &model.breaker {
        Breaker::Closed(window) => {
            let failures = bad(window, [Sample::Failure, Sample::SlowFailure]);
            (BreakerState::Closed, window.len(), failures, bad(window, [Sample::Slow, Sample::SlowFailure]), 0, 0)
        }
        Breaker::Open { .. } => (BreakerState::Open, 0, 0, 0, 0, 0),
        Breaker::HalfOpen { in_flight, passed, .. } => (BreakerState::HalfOpen, 0, 0, 0, *in_flight, *passed),
    };
    assert_eq!((breaker.state, breaker.probes_in_flight, breaker.probes_passed), (state, in_flight, passed));
    let seen = [breaker.calls, breaker.failures, breaker.slow].map(|n| n as usize);
    assert_eq!(seen, [calls, failures, slow], "calls, failures, slow");
    assert_eq!(now.bulkhead.unwrap().in_use as usize, model.calls.len());
    assert_eq!(now.counts.attempts, model.runs);
    assert_eq!((now.budget.unwrap().tokens * 1_000.0).round() as u64, model.tokens);
}

fn history(steps: &[Step]) {
    let mut model = Model::new();
    let mut calls: Vec<Real> = Vec::new();
    let nth = |n: usize, of: &[usize]| (!of.is_empty()).then(|| of[n % of.len()]);
    for (number, step) in steps.iter().enumerate() {
        let mut spoken = None;
        match *step {
            Step::Start => {
                let mut call = Real::new(number);
                let (expected, got) = (model.start(number), call.look());
                assert_eq!(got, expected, "{step:?}");
                if got.is_none() {
                    calls.push(call);
                }
            }
            Step::Return(n, word) => {
                let running =
                    |(number, call): &(usize, Call)| matches!(call.phase, Phase::Running { .. }).then_some(*number);
                let running: Vec<_> = model.calls.iter().filter_map(running).collect();
                spoken = nth(n, &running).map(|number| (number, word));
                if let Some((number, word)) = spoken {
                    calls.iter().find(|call| call.number == number).unwrap().told.set(Some(word));
                }
            }
            Step::Leave(n) => {
                let inside: Vec<_> = calls.iter().map(|call| call.number).collect();
                if let Some(number) = nth(n, &inside) {
                    calls.retain(|call| call.number != number);
                    model.leave(number);
                }
            }
            Step::Pass(millis) => {
                advance(ms(millis));
                model.now += millis;
            }
        }
        calls.retain_mut(|call| {
            let word = spoken.filter(|(number, _)| *number == call.number).map(|(_, word)| word);
            let (expected, got) = (model.look(call.number, word), call.look());
            assert_eq!(got, expected, "{step:?}, call {}", call.number);
            got.is_none()
        });
        if !snapshot().is_empty() {
            compare(&model);
        }
    }
}

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![
        4 => Just(None),
        4 => Just(Some(Verdict::TRANSIENT)),
        1 => Just(Some(Verdict::TIMEOUT)),
        1 => Just(Some(Verdict::THROTTLED)),
        1 => Just(Some(Verdict::OVERLOADED)),
        1 => Just(Some(Verdict::PERMANENT)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Start),
        6 => (any::<usize>(), word()).prop_map(|(n, word)| Step::Return(n, word)),
        1 => any::<usize>().prop_map(Step::Leave),
        // Around every limit: the backoff, slow, the timeout and its lateness, the open time.
        4 => prop::sample::select(vec![1, 19, 20, 21, 40, 41, 59, 60, 61, 62, 199, 200]).prop_map(Step::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_the_models(steps in prop::collection::vec(step(), 1..150)) {
        let runtime = paused();
        let _clock = runtime.enter();
        isolated_blocking(|| history(&steps));
    }
}
