//! Random histories of a function that has every guard there is, plan B and coalescing too. No model: what holds of every
//! history is asked after each step, and at its end everything is back.

use crate::{
    clock::{ms, paused},
    model::Visit,
    steps::{Board, Outcome, Step, step},
};
use proptest::prelude::*;
use resilient::{
    OperationSnapshot, resilient, snapshot,
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

const PERMITS: u32 = 4;

macro_rules! guarded {
    ($function:ident, $budget:ident) => {
        #[resilient(
            read,
            timeout_ms = 60,
            deadline_ms = 300,
            retries = 2,
            retry(base_ms = 20, cap_ms = 20),
            retry_budget($budget),
            breaker("everything", window = 8, min_calls = 6, slow_ms = 40, open_ms = 70, probes = 3, passes = 2),
            bulkhead(4, max_wait_ms = 50, max_queue = 2),
            rate_limit("50/s", burst = 3, max_wait_ms = 30),
            hedge = 15ms,
            coalesce,
            fallback(cached, key = (board.id), max_stale_ms = 200)
        )]
        async fn $function(board: &Board) -> Outcome {
            board.body().await
        }
    };
}

guarded!(with_quota, quota);
guarded!(with_throttle, throttle);
guarded!(with_share, active);

type Call = Pin<Box<dyn Future<Output = Outcome>>>;

#[derive(Clone, Copy, Debug)]
enum Budget {
    Quota,
    Throttle,
    Share,
}

fn started(budget: Budget, board: &Rc<Board>, time: Option<u64>) -> Call {
    let lent = board.clone();
    let call = async move {
        match budget {
            Budget::Quota => with_quota(&lent).await,
            Budget::Throttle => with_throttle(&lent).await,
            Budget::Share => with_share(&lent).await,
        }
    };
    match time {
        None => Box::pin(call),
        Some(time) => Box::pin(within(ms(time), call)),
    }
}

#[derive(Default)]
struct World {
    calls: Vec<(Rc<Board>, Call)>,
    visits: Rc<RefCell<Vec<Visit>>>,
}

impl World {
    fn poll(&mut self, at: usize) {
        let (_, call) = &mut self.calls[at];
        let poll = || call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if !matches!(catch_unwind(AssertUnwindSafe(poll)), Ok(Poll::Pending)) {
            drop(self.calls.remove(at));
        }
    }

    fn step(&mut self, number: usize, budget: Budget, step: Step) {
        let calls = self.calls.len();
        match step {
            Step::Start(time) => {
                let board = Rc::new(Board::new(number % 3, &self.visits));
                self.calls.push((board.clone(), started(budget, &board, time)));
                self.poll(calls);
            }
            Step::Say(n, word) => {
                let bodies = |(board, _): &(Rc<Board>, _)| {
                    board.running().into_iter().map(|body| (board.clone(), body)).collect::<Vec<_>>()
                };
                let running: Vec<_> = self.calls.iter().flat_map(bodies).collect();
                if let Some((board, body)) = running.get(n % running.len().max(1)) {
                    board.say(*body, word);
                }
            }
            Step::PollAll => (0..calls).rev().for_each(|at| self.poll(at)),
            Step::Poll(n) if calls > 0 => self.poll(n % calls),
            Step::Leave(n) if calls > 0 => drop(self.calls.remove(n % calls)),
            Step::Pass(millis) => advance(ms(millis)),
            Step::Poll(_) | Step::Leave(_) | Step::Limit(_) => {}
        }
    }

    /// What holds at any time.
    fn check(&self) -> Option<OperationSnapshot> {
        let now = snapshot().pop()?;
        let n = &now.counts;
        let refused = n.full + n.open + n.limited + n.expired;
        let ended = n.succeeded + n.failed + n.deadline + refused + n.dropped + n.panicked + n.coalesced;
        assert_eq!(n.calls, ended + n.in_flight, "{n:?}");
        assert_eq!(n.in_flight, self.calls.len() as u64, "calls inside");
        assert_eq!(n.attempts, self.visits.borrow().len() as u64, "runs of the body");
        assert!(n.hedges_won <= n.hedges && n.retries + n.hedges <= n.attempts, "{n:?}");
        let gate = now.bulkhead.unwrap();
        let running: usize = self.calls.iter().map(|(board, _)| board.running().len()).sum();
        assert!(running as u32 <= gate.in_use && gate.in_use <= PERMITS, "{running} bodies, {gate:?}");
        assert!(now.breaker.unwrap().probes_in_flight <= 3);
        let budget = now.budget.unwrap();
        assert!(budget.tokens <= f64::from(budget.burst), "{budget:?}");
        Some(now)
    }
}

fn history(budget: Budget, steps: &[Step]) {
    let mut world = World::default();
    for (number, step) in steps.iter().enumerate() {
        world.step(number, budget, *step);
        world.check();
    }
    world.calls.clear();
    let Some(now) = world.check() else { return };
    let gate = now.bulkhead.unwrap();
    assert_eq!((gate.in_use, gate.waiting, now.breaker.unwrap().probes_in_flight), (0, 0, 0));
    if let Budget::Share = budget {
        assert_eq!(now.budget.unwrap().tokens, 3.0, "every place among the active ones is back");
    }
}

fn budget() -> impl Strategy<Value = Budget> {
    prop_oneof![Just(Budget::Quota), Just(Budget::Throttle), Just(Budget::Share)]
}

proptest! {
    // As many cases as PROPTEST_CASES says, else 256.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_nothing_counted_twice(
        budget in budget(),
        steps in prop::collection::vec(step(), 1..400),
    ) {
        let runtime = paused();
        let _clock = runtime.enter();
        isolated_blocking(|| history(budget, &steps));
    }
}
