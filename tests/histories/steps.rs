//! What happens in a history, and what its bodies are told.

use crate::{
    dep::Fault,
    model::{Visit, Word},
};
use proptest::{prelude::*, sample::select};
use resilient::{Verdict, attempt, remaining};
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    future::poll_fn,
    panic::resume_unwind,
    rc::Rc,
    task::Poll,
};

#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A call comes in, from a caller that has so much time.
    Start(Option<u64>),
    /// The n-th body that runs is told what to do when it is asked next.
    Say(usize, Word),
    /// The n-th call is looked at.
    Poll(usize),
    /// Every call is looked at, the last one first.
    PollAll,
    /// The n-th call is dropped by its caller.
    Leave(usize),
    Pass(u64),
    /// The operator changes the limit of the bulkhead.
    Limit(u32),
}

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![
        12 => Just(Word::Answer),
        8 => Just(Word::Fail(Verdict::TRANSIENT)),
        1 => Just(Word::Fail(Verdict::TIMEOUT)),
        1 => Just(Word::Fail(Verdict::THROTTLED)),
        1 => Just(Word::Fail(Verdict::OVERLOADED)),
        2 => Just(Word::Fail(Verdict::PERMANENT)),
        1 => Just(Word::Panic),
    ]
}

pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => Just(Step::Start(None)),
        1 => select(vec![0, 29, 30, 50, 60, 90, 179, 180, 181]).prop_map(|time| Step::Start(Some(time))),
        10 => (any::<usize>(), word()).prop_map(|(n, word)| Step::Say(n, word)),
        8 => any::<usize>().prop_map(Step::Poll),
        6 => Just(Step::PollAll),
        1 => any::<usize>().prop_map(Step::Leave),
        // Around every limit: a turn, the backoff, the second copy, slow, the queue, the timeout, the open time, the deadline.
        8 => prop_oneof![
            3 => select(vec![1, 5, 14, 15, 16, 19, 20, 21]),
            1 => select(vec![30, 40, 41, 50, 60, 61, 70, 180]),
        ].prop_map(Step::Pass),
        1 => (1..7_u32).prop_map(Step::Limit),
    ]
}

/// What a good answer holds: which body of its call it is from.
pub type Outcome = Result<u32, Fault>;

/// What the bodies of one call are told, and where they say that they have started and that they are gone.
#[derive(Default)]
pub struct Board {
    /// What the call asks for.
    pub id: usize,
    bodies: Cell<u32>,
    running: RefCell<BTreeSet<u32>>,
    words: RefCell<BTreeMap<u32, Word>>,
    visits: Rc<RefCell<Vec<Visit>>>,
}

impl Board {
    pub fn new(id: usize, visits: &Rc<RefCell<Vec<Visit>>>) -> Self {
        Self { id, visits: visits.clone(), ..Self::default() }
    }

    /// The bodies that run.
    pub fn running(&self) -> Vec<u32> {
        self.running.borrow().iter().copied().collect()
    }

    pub fn say(&self, body: u32, word: Word) {
        self.words.borrow_mut().insert(body, word);
    }

    pub async fn body(&self) -> Outcome {
        let body = self.bodies.replace(self.bodies.get() + 1);
        let _running = Running::new(self, body);
        let left = remaining().unwrap().as_millis() as u64;
        self.visits.borrow_mut().push(Visit { body, attempt: attempt().unwrap(), left });
        poll_fn(|_| {
            let word = self.words.borrow_mut().remove(&body);
            match word {
                None => Poll::Pending,
                Some(Word::Answer) => Poll::Ready(Ok(body)),
                Some(Word::Fail(verdict)) => Poll::Ready(Err(Fault::Failed { verdict, run: body })),
                // Not `panic!`: a test's output need not show the panics that it is about.
                Some(Word::Panic) => resume_unwind(Box::new("scripted")),
            }
        })
        .await
    }
}

/// A body, until it has really ended.
struct Running<'a>(&'a Board, u32);

impl<'a> Running<'a> {
    fn new(board: &'a Board, body: u32) -> Self {
        board.running.borrow_mut().insert(body);
        Self(board, body)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.borrow_mut().remove(&self.1);
    }
}
