//! The limit on concurrent calls: a counter that gives itself back, and a queue before it.
//!
//! A call that finds a free permit and nobody waiting reads one atomic word and writes it; giving the permit back writes
//! it once more. Only waiting takes a lock, inside which nothing of the user's runs: wakers are cloned before it, and
//! woken and dropped after it.
//!
//! Whether somebody waits stands in the same word as the permits in use. A permit given back and a call that starts to
//! wait are therefore always in some order: either the call sees the permit, or whoever gives it back sees the call.

mod adaptive;
mod class;
mod queue;
mod waiter;
mod word;

pub(crate) use waiter::{Gone, Waiter};

use crate::{
    context::Criticality,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
        lock, try_lock,
    },
    time::{Moment, now},
};
use adaptive::Limiter;
use class::share;
use queue::{Arrival, Queue, State};
use resilient_policy::Bulkhead;
use std::{mem, task::Waker, time::Duration};
use word::{WAITING, Word};

/// A gate of so many permits, and who waits for one.
#[derive(Debug)]
pub(crate) struct Gate {
    word: AtomicU64,
    /// Nanoseconds that a call may wait; zero: a full gate answers at once.
    max_wait: AtomicU64,
    /// Whether there is a limiter, for who would ask its lock.
    adapts: AtomicBool,
    /// Moves an adaptive limit. Whoever changes the limit holds this lock.
    limiter: Mutex<Option<Limiter>>,
    queue: Mutex<Queue>,
}

/// What a call finds at the gate.
#[derive(Debug)]
pub(crate) enum Entry {
    /// It is in.
    Permit(Permit),
    /// It may wait.
    Wait(Waiter),
    /// It may not.
    Full,
}

/// What a call was to an adaptive limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// The dependency answered, and took its normal time for it.
    Answered,
    /// It failed, was too slow, or said that it has too much to do.
    Failed,
    /// Nobody knows: the call was cancelled, or lost to its hedge.
    Unknown,
}

impl Gate {
    pub(crate) fn new(settings: &Bulkhead) -> Self {
        let (limit, limiter) = adaptive::start(settings.limit);
        Self {
            word: AtomicU64::new(Word::of(limit).0),
            max_wait: AtomicU64::new(nanos(settings.max_wait)),
            adapts: AtomicBool::new(limiter.is_some()),
            limiter: Mutex::new(limiter),
            queue: Mutex::new(Queue::new(settings)),
        }
    }

    /// New settings for those who come from now on; nobody inside or waiting is lost. An adaptive limit goes on from
    /// where it is.
    pub(crate) fn adopt(&self, settings: &Bulkhead) {
        self.lock_queue().adopt(settings);
        self.max_wait.store(nanos(settings.max_wait), Ordering::Relaxed);
        self.move_limit(now(), |limiter, limit| adaptive::adopt(limiter, limit, settings.limit));
    }

    /// New settings and nothing learned: for a slot that is another's from now on.
    pub(crate) fn recycle(&self, settings: &Bulkhead) {
        self.lock_queue().adopt(settings);
        self.max_wait.store(nanos(settings.max_wait), Ordering::Relaxed);
        self.move_limit(now(), |limiter, _| {
            let (limit, fresh) = adaptive::start(settings.limit);
            *limiter = fresh;
            limit
        });
    }

    /// Changes the limit: permits above a smaller one retire as they come back, a larger one admits who waits at once.
    /// An adaptive limit stays within its bounds.
    pub(crate) fn resize(&self, limit: u32) {
        self.move_limit(now(), |limiter, _| limiter.as_mut().map_or(limit, |limiter| limiter.move_to(limit)));
    }

    pub(crate) fn limit(&self) -> u32 {
        self.word().limit()
    }

    /// Permits in use, those included that were handed over and not taken yet.
    pub(crate) fn used(&self) -> u32 {
        self.word().used()
    }

    /// Calls that wait.
    pub(crate) fn waiting(&self) -> u32 {
        self.lock_queue().waiting()
    }

    /// Whether nobody is inside and nobody waits.
    pub(crate) fn is_idle(&self) -> bool {
        let word = self.word();
        word.used() == 0 && !word.waits() && self.lock_queue().is_unused()
    }

    /// A permit, if one is free now and nobody waits for it.
    #[cfg(test)]
    pub(crate) fn try_acquire(&'static self) -> Option<Permit> {
        self.try_acquire_as(Criticality::default())
    }

    /// [`try_acquire`](Self::try_acquire), within what this class may use.
    pub(crate) fn try_acquire_as(&'static self, criticality: Criticality) -> Option<Permit> {
        self.take(|word| !word.waits() && word.used() < share(word.limit(), criticality)).then(|| Permit(self))
    }

    /// A permit, or a place in the queue, or neither.
    pub(crate) fn enter(&'static self, at: Moment, criticality: Criticality, deadline: Moment) -> Entry {
        if let Some(permit) = self.try_acquire_as(criticality) {
            return Entry::Permit(permit);
        }
        let max_wait = Duration::from_nanos(self.max_wait.load(Ordering::Relaxed));
        if max_wait.is_zero() && !self.word().waits() {
            return Entry::Full;
        }
        self.line_up(Arrival { at, criticality, max_wait, deadline })
    }

    #[cold]
    fn line_up(&'static self, arrival: Arrival) -> Entry {
        let (entry, displaced) = {
            let mut queue = self.lock_queue();
            // From here on whoever gives a permit back comes to the queue's lock.
            self.word.fetch_or(WAITING, Ordering::AcqRel);
            let found = if !queue.goes_before(arrival.criticality) && self.take_for(arrival.criticality) {
                (Entry::Permit(Permit(self)), None)
            } else if arrival.max_wait.is_zero() {
                (Entry::Full, None)
            } else {
                match queue.join(arrival, self.limit()) {
                    Some(joined) => {
                        let waiter = Waiter::new(self, joined.slot, joined.until, arrival.deadline);
                        (Entry::Wait(waiter), joined.displaced)
                    }
                    None => (Entry::Full, None),
                }
            };
            self.note_waiting(&queue);
            found
        };
        if let Some(displaced) = displaced {
            displaced.wake();
        }
        entry
    }

    // ===== the word =====

    fn word(&self) -> Word {
        Word(self.word.load(Ordering::Acquire))
    }

    /// Takes a permit while `may` says so.
    fn take(&self, may: impl Fn(Word) -> bool) -> bool {
        let taken = |word: u64| may(Word(word)).then_some(word + 1);
        // Acquire pairs with the Release of a permit given back: what its holder wrote is seen by the next one.
        self.word.fetch_update(Ordering::Acquire, Ordering::Relaxed, taken).is_ok()
    }

    /// Takes a permit for one in the queue; under the queue's lock.
    fn take_for(&self, criticality: Criticality) -> bool {
        self.take(|word| word.used() < share(word.limit(), criticality))
    }

    /// Says in the word whether somebody waits; under the queue's lock.
    fn note_waiting(&self, queue: &Queue) {
        if queue.waiting() == 0 {
            self.word.fetch_and(!WAITING, Ordering::AcqRel);
        }
    }

    fn lock_queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    // ===== a permit comes back, a limit moves =====

    fn release(&self, at: impl FnOnce() -> Moment) {
        let before = Word(self.word.fetch_sub(1, Ordering::AcqRel));
        if before.waits() {
            self.hand_over(at());
        }
    }

    /// Gives free permits to those who wait, and turns away those who waited too long.
    #[cold]
    fn hand_over(&self, at: Moment) {
        // One at a time, so that each is woken outside the lock and nothing needs to be collected.
        while let Some(woken) = self.hand_one(at) {
            if let Some(waker) = woken {
                waker.wake();
            }
        }
    }

    /// Lets the next one in or turns it away, and says whom to wake; `None` where nobody's turn has come.
    fn hand_one(&self, at: Moment) -> Option<Option<Waker>> {
        let mut queue = self.lock_queue();
        let next = queue.next(at)?;
        let state = if next.is_late {
            State::Refused
        } else if self.take_for(next.criticality) {
            State::Handed
        } else {
            // Who comes after it in its class comes later, and a lesser class may use less.
            return None;
        };
        let waker = queue.take_out(next.slot, state);
        self.note_waiting(&queue);
        Some(waker)
    }

    fn move_limit(&self, at: Moment, change: impl FnOnce(&mut Option<Limiter>, u32) -> u32) {
        let mut limiter = lock(&self.limiter);
        let limit = change(&mut limiter, self.limit());
        self.adapts.store(limiter.is_some(), Ordering::Relaxed);
        self.publish(limit);
        drop(limiter);
        if self.word().waits() {
            self.hand_over(at);
        }
    }

    /// Under the limiter's lock.
    fn publish(&self, limit: u32) {
        let moved = |word: u64| (Word(word).limit() != limit).then(|| Word(word).with_limit(limit).0);
        let _ = self.word.fetch_update(Ordering::AcqRel, Ordering::Relaxed, moved);
    }

    /// Tells an adaptive limit how a call ended that is still inside, or whose body is. Its permit comes back later, and
    /// then whoever a larger limit lets in is let in.
    pub(crate) fn sample(&self, served: Served, took: Duration, at: Moment) {
        if !self.adapts.load(Ordering::Relaxed) {
            return;
        }
        let answered = served == Served::Answered;
        let limiter = match served {
            // The next answer says as much, so this one need not wait for the lock; a failure may be the only one.
            Served::Answered => try_lock(&self.limiter),
            Served::Failed => Some(lock(&self.limiter)),
            Served::Unknown => None,
        };
        let Some(mut limiter) = limiter else { return };
        if let Some(limiter) = &mut *limiter {
            let in_flight = self.used();
            self.publish(limiter.sample(adaptive::Sample { answered, took, in_flight, at }));
        }
    }
}

fn nanos(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX)
}

/// A place behind the gate, until it is dropped; then it is the next one's.
#[derive(Debug)]
pub(crate) struct Permit(&'static Gate);

impl Permit {
    /// Gives the permit back and tells an adaptive limit how long the call took. A permit that is only dropped says
    /// nothing, as [`Served::Unknown`].
    pub(crate) fn finish(self, served: Served, took: Duration, at: Moment) {
        let gate = self.0;
        gate.sample(served, took, at);
        mem::forget(self);
        gate.release(|| at);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release(now);
    }
}

#[cfg(all(test, resilient_loom))]
mod loom_tests;
#[cfg(all(test, not(resilient_loom)))]
mod tests;
