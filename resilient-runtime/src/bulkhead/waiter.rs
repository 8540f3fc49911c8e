//! A call in the queue of a full gate.

use super::{Gate, Permit, queue::State};
use crate::{
    sync::{Condvar, Mutex, lock},
    testing,
    time::{Moment, now},
};
use std::{
    mem,
    sync::{Arc, PoisonError},
    task::{Poll, Wake, Waker},
    time::Duration,
};

/// Why a call that waited did not get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// It waited as long as the bulkhead lets it, or a more critical call needed its place.
    Full,
    /// The call's own time ran out.
    Expired,
}

/// A place in the queue. Dropped, it is another's, and so is a permit that was handed over and not taken.
#[derive(Debug)]
pub(crate) struct Waiter {
    gate: &'static Gate,
    slot: Option<u32>,
    until: Moment,
    deadline: Moment,
}

impl Waiter {
    pub(super) fn new(gate: &'static Gate, slot: u32, until: Moment, deadline: Moment) -> Self {
        Self { gate, slot: Some(slot), until, deadline }
    }

    /// The latest time that it may wait: the end of the longest wait, of the age limit or of the call, whichever is first.
    pub(crate) fn until(&self) -> Moment {
        self.until
    }

    /// The permit, once it was handed over. Else `waker` is woken when there is something new; that it is
    /// [`until`](Self::until) wakes nobody.
    pub(crate) fn poll(&mut self, at: Moment, waker: Option<&Waker>) -> Poll<Result<Permit, Gone>> {
        let Some(slot) = self.slot else { return Poll::Pending };
        // A waker's clone and drop are somebody else's code: not inside the lock.
        let mut fresh = waker.cloned();
        let (state, _old) = {
            let mut queue = self.gate.lock_queue();
            let seen = queue.poll(slot, at, &mut fresh);
            self.gate.note_waiting(&queue);
            seen
        };
        if state == State::Waiting {
            return Poll::Pending;
        }
        self.slot = None;
        let permit = (state == State::Handed).then(|| Permit(self.gate)).ok_or(Gone::Full);
        // Nothing starts after the deadline: a permit that was handed over in time and is come for too late is the next
        // one's.
        Poll::Ready(if self.deadline <= at { Err(Gone::Expired) } else { permit })
    }

    /// Waits on this thread; in a test that owns the clock, moves the clock instead.
    pub(crate) fn block(mut self) -> Result<Permit, Gone> {
        let bell = Arc::new(Bell::new());
        let waker = Waker::from(bell.clone());
        let mut is_over = false;
        loop {
            // A paused clock stands still, however long the thread has slept.
            let at = if is_over { self.until.max(now()) } else { now() };
            if let Poll::Ready(answer) = self.poll(at, Some(&waker)) {
                return answer;
            }
            let wait = self.until.since(at);
            let moved = self.until != Moment::NEVER && testing::slept(wait);
            is_over = moved || !bell.rings_within(wait);
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let Some(slot) = self.slot else { return };
        let (state, _waker) = {
            let mut queue = self.gate.lock_queue();
            let left = queue.leave(slot);
            self.gate.note_waiting(&queue);
            left
        };
        if state == State::Handed {
            drop(Permit(self.gate));
        }
    }
}

/// What a blocked thread listens to.
struct Bell {
    rung: Mutex<bool>,
    news: Condvar,
}

impl Bell {
    fn new() -> Self {
        Self { rung: Mutex::new(false), news: Condvar::new() }
    }

    /// False once `wait` is over and nobody has rung. True without a reason is possible, as it is everywhere.
    fn rings_within(&self, wait: Duration) -> bool {
        let mut rung = lock(&self.rung);
        if !*rung {
            let (woken, slept) = self.news.wait_timeout(rung, wait).unwrap_or_else(PoisonError::into_inner);
            if slept.timed_out() && !*woken {
                return false;
            }
            rung = woken;
        }
        mem::take(&mut *rung);
        true
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *lock(&self.rung) = true;
        self.news.notify_one();
    }
}

#[cfg(all(test, not(resilient_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_bell_that_rang_before_anybody_listened_is_heard_once() {
        let bell = Arc::new(Bell::new());
        bell.clone().wake();
        assert!(bell.rings_within(Duration::from_millis(1)));
        while bell.rings_within(Duration::from_millis(1)) {}
    }
}
