//! The circuit breaker: refuses early while the dependency is plainly failing, and tries it out before it trusts it
//! again.
//!
//! While it is closed, admitting a call reads one atomic word. A fast success then writes nothing where the count window
//! is full of fast successes, and one atomic word in a time window. Anything else takes a short lock, inside which
//! nothing of the user's runs: failures and slow calls, every call of a count window with an age limit, and of a time
//! window the success after a failure where `consecutive` is set.
//!
//! | file | its noun |
//! |---|---|
//! | `state` | the state machine behind the lock |
//! | `window` | what is remembered of calls |
//! | `successes` | the fast successes of a time window, beside the lock |
//! | `trial` | the probes of a half-open breaker |
//! | `ticket` | what an admitted call holds |

mod cost;
mod state;
mod successes;
mod ticket;
mod trial;
mod window;

#[cfg(all(test, resilient_loom))]
mod loom_tests;
#[cfg(all(test, not(resilient_loom)))]
mod tests;

pub(crate) use ticket::Ticket;

use crate::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
        lock,
    },
    time::Moment,
};
use resilient_policy::Breaker as Settings;
use state::{Inner, State};
use std::{num::NonZeroU32, time::Duration};
use successes::Successes;
use trial::{Terms, Trial};
use window::Window;

/// What one call was to its breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    Success {
        slow: bool,
    },
    Failure {
        slow: bool,
    },
    /// Neither, except to a probe, which passed: the dependency is up enough to say no.
    Throttled,
    /// Not counted; a probe's slot comes back.
    Neutral,
}

/// What a breaker does with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakerState {
    /// Admits every call and watches them.
    Closed,
    /// Refuses every call until its open time is over.
    Open,
    /// Admits a few probes to find out whether it may close.
    HalfOpen,
    /// Refuses every call until an operator lets it go.
    ForcedOpen,
    /// Admits every call and counts them, but does not open.
    ForcedClosed,
    /// Admits every call, counts them, and says when it would have opened.
    Observing,
}

/// What an operator can make a breaker do, whatever its calls bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// Refuse every call, without saying when to come back.
    Open,
    /// Admit and count every call, and never open.
    Closed,
    /// Admit and count every call, and count how often it would have opened.
    Observe,
}

/// No probe is free, the open time is not over, or an operator said so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    /// How long until a probe may be admitted, where that is known.
    pub(crate) retry_after: Option<Duration>,
}

/// The counts of one breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BreakerCounts {
    pub(crate) state: BreakerState,
    pub(crate) calls: u32,
    pub(crate) failures: u32,
    pub(crate) slow: u32,
    pub(crate) probes_in_flight: u32,
    pub(crate) probes_passed: u32,
    /// The open time left; zero once the next call will be a probe.
    pub(crate) open_for: Option<Duration>,
    /// How often it has opened by itself.
    pub(crate) opened: u64,
    /// How often it would have, while observed.
    pub(crate) would_open: u64,
}

#[derive(Debug)]
pub(crate) struct Breaker {
    /// `generation << 3 | TIMED | EASY | CLOSED`: what the fast path needs. Written under the lock only.
    word: AtomicU64,
    /// Used by a time window only.
    successes: Successes,
    inner: Mutex<Inner>,
}

/// Every call is admitted.
const CLOSED: u64 = 1;
/// A fast success needs no lock.
const EASY: u64 = 2;
/// It has a time window, so a fast success is to be counted.
const TIMED: u64 = 4;
const GENERATION_SHIFT: u32 = 3;

// ===== calls =====

impl Breaker {
    pub(crate) fn new(settings: Settings) -> Self {
        let breaker = Self {
            word: AtomicU64::new(0),
            successes: Successes::new(window::width(&settings)),
            inner: Mutex::new(Inner::of_generation(0, settings)),
        };
        breaker.publish(&breaker.lock());
        breaker
    }

    /// A look without an admission: is the breaker open and not yet due?
    pub(crate) fn peek(&self, at: Moment) -> Result<(), Refused> {
        if self.is_closed() {
            return Ok(());
        }
        let inner = self.lock();
        match inner.state {
            _ if inner.forced == Some(Forced::Open) => Err(Refused { retry_after: None }),
            State::Open { until } if at < until => Err(Refused { retry_after: Some(until.since(at)) }),
            _ => Ok(()),
        }
    }

    /// Admits a call, as a probe where the breaker is half-open. A probe's slot is taken back after `lease`.
    pub(crate) fn admit(&'static self, at: Moment, lease: Option<Duration>) -> Result<Ticket, Refused> {
        let word = self.word.load(Ordering::Acquire);
        if word & CLOSED != 0 {
            return Ok(Ticket::new(self, word >> GENERATION_SHIFT, None));
        }
        let mut inner = self.lock();
        if inner.forced == Some(Forced::Open) {
            return Err(Refused { retry_after: None });
        }
        if let State::Open { until } = inner.state {
            if at < until {
                return Err(Refused { retry_after: Some(until.since(at)) });
            }
            self.enter(&mut inner, State::HalfOpen(Trial::default()));
        }
        let (generation, terms) = (inner.generation, Terms::of(&inner.settings));
        let State::HalfOpen(trial) = &mut inner.state else {
            // Closed between the look at the word and the lock.
            return Ok(Ticket::new(self, generation, None));
        };
        let expires = lease.map_or(Moment::NEVER, |lease| at.after(lease));
        match trial.admit(at, expires, terms) {
            Ok(probe) => Ok(Ticket::new(self, generation, Some(probe))),
            Err(free) => Err(Refused { retry_after: free.map(|free| free.since(at)) }),
        }
    }

    fn is_closed(&self) -> bool {
        self.word.load(Ordering::Acquire) & CLOSED != 0
    }

    fn is_current(&self, generation: u64) -> bool {
        self.word.load(Ordering::Acquire) >> GENERATION_SHIFT == generation
    }

    /// What a call that was no probe came to.
    fn record(&self, generation: u64, sample: Sample, at: Moment) {
        let word = self.word.load(Ordering::Acquire);
        // An older generation's result is ignored.
        let Some(call) = sample.counted().filter(|_| word >> GENERATION_SHIFT == generation) else { return };
        if !call.is_fast_success() || word & EASY == 0 {
            return self.decide(generation, |inner| inner.record(sample, at, &self.successes));
        }
        let counted = word & TIMED != 0 && self.successes.count(at, || self.is_current(generation));
        if counted && self.successes.may_complete(at) {
            self.decide(generation, |inner| inner.judge(at, &self.successes));
        }
    }

    fn end_probe(&self, generation: u64, probe: NonZeroU32, sample: Sample, at: Moment) {
        self.decide(generation, |inner| inner.end_probe(probe, sample, at));
    }

    fn hold_probe(&self, generation: u64, probe: NonZeroU32, expires: Moment) {
        let inner = &mut *self.lock();
        match &mut inner.state {
            State::HalfOpen(trial) if inner.generation == generation => trial.hold(probe, expires),
            _ => {}
        }
    }

    /// Asks the state machine, if it is still of this generation, and follows.
    fn decide(&self, generation: u64, ask: impl FnOnce(&mut Inner) -> Option<State>) {
        let mut inner = self.lock();
        if inner.generation == generation {
            match ask(&mut inner) {
                Some(state) => self.enter(&mut inner, state),
                None => self.publish(&inner),
            }
        }
    }

    /// Makes a transition.
    fn enter(&self, inner: &mut Inner, state: State) {
        self.begin(inner);
        inner.enter(state);
        self.successes.clear();
        self.publish(inner);
    }

    /// Begins a generation, which is not closed until it is published: nothing of it is counted before everything of the
    /// older one is gone.
    fn begin(&self, inner: &mut Inner) {
        inner.generation += 1;
        self.word.store(inner.generation << GENERATION_SHIFT, Ordering::Release);
    }

    fn publish(&self, inner: &Inner) {
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        let closed = inner.is_closed();
        let flags = flag(closed, CLOSED)
            | flag(closed && inner.is_easy(), EASY)
            | flag(matches!(inner.window, Window::Time(_)), TIMED);
        // Release pairs with the Acquire of the fast path: who sees the new word sees what led to it.
        self.word.store(inner.generation << GENERATION_SHIFT | flags, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

// ===== the operator =====

impl Breaker {
    /// What it is as of `at`. A look changes nothing: an open breaker whose time is over stays so until a call comes.
    pub(crate) fn snapshot(&self, at: Moment) -> BreakerCounts {
        let mut inner = self.lock();
        let tally = inner.window.tally(at, || self.successes.seen(at));
        let (probes_in_flight, probes_passed, open_for) = match &inner.state {
            State::Closed => (0, 0, None),
            State::Open { until } => (0, 0, Some(until.since(at))),
            State::HalfOpen(trial) => (trial.in_flight(), trial.passed(), None),
        };
        BreakerCounts {
            state: inner.shown(),
            calls: tally.calls,
            failures: tally.failures,
            slow: tally.slow,
            probes_in_flight,
            probes_passed,
            open_for,
            opened: inner.opened,
            would_open: inner.would_open,
        }
    }

    /// Makes it do as the operator says, or lets it go again with `None`: closed then, with an empty window, since what it
    /// knew is from before. Saying the same twice changes nothing.
    pub(crate) fn force(&self, forced: Option<Forced>) {
        let mut inner = self.lock();
        if inner.forced != forced {
            inner.forced = forced;
            self.enter(&mut inner, State::Closed);
        }
    }

    /// Makes it as good as new: closed, with an empty window and not forced. Its counters go on.
    pub(crate) fn reset(&self) {
        let mut inner = self.lock();
        inner.forced = None;
        self.enter(&mut inner, State::Closed);
    }

    /// Takes other settings and keeps the state. The counts stay too, unless the window is another one; a trial starts
    /// again if its terms are others.
    pub(crate) fn adopt(&self, settings: Settings) {
        let mut inner = self.lock();
        let (new_window, new_trial) = inner.adopt(settings);
        if new_window {
            self.successes.restart(window::width(&settings));
        }
        inner.watch(&self.successes);
        if new_trial {
            self.enter(&mut inner, State::HalfOpen(Trial::default()));
        }
        self.publish(&inner);
    }

    /// Makes it another breaker, for another key: only the generation goes on, so that nothing of the old key counts.
    pub(crate) fn recycle(&self, settings: Settings) {
        let mut inner = self.lock();
        self.begin(&mut inner);
        *inner = Inner::of_generation(inner.generation, settings);
        self.successes.restart(window::width(&settings));
        self.publish(&inner);
    }

    /// Whether calls depend on its not being forgotten: it is forced, half-open or open. An open breaker to which nobody
    /// came back for as long again as it may stay open is not missed.
    pub(crate) fn is_refusing(&self, at: Moment) -> bool {
        let inner = self.lock();
        match inner.state {
            _ if inner.forced.is_some() => true,
            State::Closed => false,
            State::HalfOpen(_) => true,
            State::Open { until } => at < until.after(inner.settings.open_cap.max(inner.settings.open)),
        }
    }
}
