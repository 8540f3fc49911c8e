//! Where a body on its thread and its caller meet, or miss each other.

use crate::sync::{Mutex, lock};
use std::{
    mem,
    task::{Context, Poll, Waker},
};

/// The place: what one side brings, the other takes or leaves.
#[derive(Debug)]
pub(crate) struct Meeting<T>(Mutex<State<T>>);

#[derive(Debug)]
enum State<T> {
    /// The caller waits, once it has said by what it is woken.
    Waiting(Option<Waker>),
    /// Nobody waits any more.
    Left,
    Brought(T),
}

impl<T> Meeting<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State::Waiting(None)))
    }

    /// The body's side. What it brings comes back where the caller has left; else `first` runs before the caller can
    /// know. It must not be the user's: it runs inside the lock.
    pub(crate) fn bring(&self, brought: T, first: impl FnOnce()) -> Result<(), T> {
        let waker = {
            let mut state = lock(&self.0);
            match &mut *state {
                State::Waiting(waker) => {
                    let waker = waker.take();
                    first();
                    *state = State::Brought(brought);
                    waker
                }
                State::Left | State::Brought(_) => return Err(brought),
            }
        };
        waker.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// The caller's side: waits.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<T> {
        let waker = Some(cx.waker().clone());
        let mut state = lock(&self.0);
        match &mut *state {
            State::Waiting(known) => {
                let _gone = mem::replace(known, waker);
                drop(state);
                Poll::Pending
            }
            State::Left => Poll::Pending,
            State::Brought(_) => match mem::replace(&mut *state, State::Left) {
                State::Brought(brought) => Poll::Ready(brought),
                State::Waiting(_) | State::Left => Poll::Pending,
            },
        }
    }

    /// The caller's side: walks away, with what has come by now.
    pub(crate) fn leave(&self) -> Option<T> {
        match mem::replace(&mut *lock(&self.0), State::Left) {
            State::Brought(brought) => Some(brought),
            State::Waiting(_) | State::Left => None,
        }
    }
}

/// Either the caller has what was brought, or the body has it back: never both, never neither.
#[cfg(all(test, resilient_loom))]
mod loom_tests {
    use super::*;
    use loom::thread;
    use std::sync::Arc;

    #[test]
    fn what_is_brought_is_taken_or_comes_back() {
        loom::model(|| {
            let meeting = Arc::new(Meeting::new());
            let caller = {
                let meeting = meeting.clone();
                thread::spawn(move || match meeting.poll(&Context::from_waker(Waker::noop())) {
                    Poll::Ready(brought) => Some(brought),
                    Poll::Pending => meeting.leave(),
                })
            };
            let mut idle = false;
            let came_back = meeting.bring(1, || idle = true).err();
            let taken = caller.join().unwrap();
            assert!(taken.is_some() != came_back.is_some());
            assert_eq!(taken.is_some(), idle);
        });
    }
}
