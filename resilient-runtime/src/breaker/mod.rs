//! The circuit breaker: refuses early while the dependency is plainly failing, and tries it out before it trusts it
//! again.
//!
//! While it is closed and every call in the window was a fast success, admitting a call and recording its success read
//! one atomic word each and write nothing. Anything else takes a short lock, inside which nothing of the user's runs.

mod window;

use crate::{
    random,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
        lock,
    },
    time::{Moment, now},
};
use resilient_policy::Breaker as Settings;
use std::{num::NonZeroU32, time::Duration};
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
}

/// No probe is free or the open time is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    /// How long until a probe may be admitted, where that is known.
    pub(crate) retry_after: Option<Duration>,
}

#[derive(Debug)]
pub(crate) struct Breaker {
    /// `generation << 2 | SPOTLESS | CLOSED`: what the fast path needs. Written under the lock only.
    word: AtomicU64,
    inner: Mutex<Inner>,
}

const CLOSED: u64 = 1;
const SPOTLESS: u64 = 2;
const GENERATION_SHIFT: u32 = 2;

#[derive(Debug)]
struct Inner {
    settings: Settings,
    state: State,
    /// Counts transitions, so that the result of a call admitted before one is told from those after it.
    generation: u64,
    window: Window,
    /// Openings since it was last closed: the open time may grow with them.
    reopened: u32,
    opened_in_all: u64,
}

#[derive(Debug)]
enum State {
    Closed,
    Open { until: Moment },
    HalfOpen(Probes),
}

/// The trial of a half-open breaker.
#[derive(Debug, Default)]
struct Probes {
    /// One entry per probe in flight: its number, and when its slot is taken back from it.
    leases: Vec<(NonZeroU32, Moment)>,
    /// Probes so far: the number of the last one.
    sent: u32,
    passed: u32,
    failed: u32,
}

impl Breaker {
    pub(crate) fn new(settings: Settings) -> Self {
        let inner = Inner {
            window: Window::new(window_size(&settings)),
            settings,
            state: State::Closed,
            generation: 0,
            reopened: 0,
            opened_in_all: 0,
        };
        Self { word: AtomicU64::new(inner.word()), inner: Mutex::new(inner) }
    }

    /// A written setting replaces a default one: the counts start again, the state stays.
    pub(crate) fn adopt(&self, settings: Settings) {
        let mut inner = self.lock();
        inner.window = Window::new(window_size(&settings));
        inner.settings = settings;
        self.publish(&inner);
    }

    /// A look without an admission: is the breaker open and not yet due?
    pub(crate) fn peek(&self, now: Moment) -> Result<(), Refused> {
        if self.word.load(Ordering::Acquire) & CLOSED != 0 {
            return Ok(());
        }
        match self.lock().state {
            State::Open { until } if now < until => Err(Refused { retry_after: Some(until.since(now)) }),
            _ => Ok(()),
        }
    }

    /// Admits a call, as a probe where the breaker is half-open. A probe's slot is taken back after `lease`.
    pub(crate) fn admit(&'static self, now: Moment, lease: Option<Duration>) -> Result<Ticket, Refused> {
        let word = self.word.load(Ordering::Acquire);
        if word & CLOSED != 0 {
            return Ok(Ticket { breaker: self, generation: word >> GENERATION_SHIFT, probe: None });
        }
        let mut inner = self.lock();
        if let State::Open { until } = inner.state {
            if now < until {
                return Err(Refused { retry_after: Some(until.since(now)) });
            }
            inner.enter(State::HalfOpen(Probes::default()));
            self.publish(&inner);
        }
        let (generation, most) = (inner.generation, inner.settings.probes);
        let State::HalfOpen(probes) = &mut inner.state else {
            // Closed between the look at the word and the lock.
            return Ok(Ticket { breaker: self, generation, probe: None });
        };
        if probes.passed + probes.in_flight() >= most {
            probes.leases.retain(|(_, expires)| now < *expires);
        }
        if probes.passed + probes.in_flight() >= most {
            let soonest = probes.leases.iter().map(|(_, expires)| *expires).min().filter(|at| *at != Moment::NEVER);
            return Err(Refused { retry_after: soonest.map(|at| at.since(now)) });
        }
        probes.sent = probes.sent.wrapping_add(1);
        let number = NonZeroU32::new(probes.sent).unwrap_or(NonZeroU32::MIN);
        probes.leases.push((number, lease.map_or(Moment::NEVER, |lease| now.after(lease))));
        Ok(Ticket { breaker: self, generation, probe: Some(number) })
    }

    /// What an operator sees.
    pub(crate) fn snapshot(&self) -> BreakerCounts {
        let inner = self.lock();
        let (state, probes_in_flight, passed) = match &inner.state {
            State::Closed => (BreakerState::Closed, 0, 0),
            State::Open { .. } => (BreakerState::Open, 0, 0),
            State::HalfOpen(probes) => (BreakerState::HalfOpen, probes.in_flight(), probes.passed),
        };
        BreakerCounts {
            state,
            calls: inner.window.calls(),
            failures: inner.window.failures(),
            slow: inner.window.slow(),
            probes_in_flight,
            probes_passed: passed,
            opened: inner.opened_in_all,
        }
    }

    fn record(&self, generation: u64, probe: Option<NonZeroU32>, sample: Sample) {
        if probe.is_none() {
            let word = self.word.load(Ordering::Acquire);
            let spotless = word & SPOTLESS != 0 && sample == Sample::Success { slow: false };
            // An older generation's result is ignored, and a fast success changes nothing in a spotless window.
            if word >> GENERATION_SHIFT != generation
                || spotless
                || matches!(sample, Sample::Neutral | Sample::Throttled)
            {
                return;
            }
        }
        let mut inner = self.lock();
        if inner.generation == generation {
            inner.record(probe, sample);
            self.publish(&inner);
        }
    }

    fn publish(&self, inner: &Inner) {
        // Release pairs with the Acquire of the fast path: who sees the new word sees what led to it.
        self.word.store(inner.word(), Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

impl Inner {
    fn word(&self) -> u64 {
        let closed = matches!(self.state, State::Closed);
        let flags = if closed { CLOSED } else { 0 } | if closed && self.window.is_spotless() { SPOTLESS } else { 0 };
        self.generation << GENERATION_SHIFT | flags
    }

    /// Every transition starts a generation and an empty window.
    fn enter(&mut self, state: State) {
        match state {
            State::Closed => self.reopened = 0,
            State::Open { .. } => {
                self.reopened = self.reopened.saturating_add(1);
                self.opened_in_all += 1;
            }
            State::HalfOpen(_) => {}
        }
        self.state = state;
        self.generation += 1;
        self.window.clear();
    }

    fn record(&mut self, probe: Option<NonZeroU32>, sample: Sample) {
        match (&mut self.state, probe) {
            (State::Closed, _) => {
                self.window.push(sample);
                if self.is_failing() {
                    self.open();
                }
            }
            (State::HalfOpen(probes), Some(number)) => {
                let held = probes.leases.len();
                probes.leases.retain(|(lease, _)| *lease != number);
                if probes.leases.len() == held {
                    // Its slot was taken back: whatever it found out comes too late.
                    return;
                }
                match sample {
                    Sample::Success { slow: false } | Sample::Throttled => probes.passed += 1,
                    Sample::Success { slow: true } | Sample::Failure { .. } => probes.failed += 1,
                    Sample::Neutral => {}
                }
                let (passes, most) = (self.settings.passes(), self.settings.probes);
                if probes.passed >= passes {
                    self.enter(State::Closed);
                } else if most.saturating_sub(probes.failed) < passes {
                    self.open();
                }
            }
            (State::HalfOpen(_) | State::Open { .. }, _) => {}
        }
    }

    fn is_failing(&self) -> bool {
        let (settings, window) = (&self.settings, &self.window);
        if settings.consecutive.is_some_and(|most| window.in_a_row() >= most) {
            return true;
        }
        let calls = window.calls();
        let reaches = |count: u32, rate: f64| count > 0 && f64::from(count) + 1e-9 >= rate * f64::from(calls);
        calls >= settings.min_calls()
            && (reaches(window.failures(), settings.failure_rate) || reaches(window.slow(), settings.slow_rate))
    }

    fn open(&mut self) {
        let settings = &self.settings;
        let growth = settings.open_factor.powi(i32::try_from(self.reopened).unwrap_or(i32::MAX));
        let grown = random::scaled(settings.open, growth).min(settings.open_cap.max(settings.open));
        // Longer by a random share, never shorter: a fleet that opened together must not probe together.
        let until = now().after(random::between(grown, random::scaled(grown, 1.0 + settings.open_jitter)));
        self.enter(State::Open { until });
    }
}

impl Probes {
    fn in_flight(&self) -> u32 {
        self.leases.len() as u32
    }
}

fn window_size(settings: &Settings) -> u32 {
    match settings.window {
        resilient_policy::Window::Count { size, .. } => size,
        // Time windows are refused by the macro until they are built.
        resilient_policy::Window::Time { .. } => settings.min_calls(),
    }
}

/// The counts of one breaker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BreakerCounts {
    pub(crate) state: BreakerState,
    pub(crate) calls: u32,
    pub(crate) failures: u32,
    pub(crate) slow: u32,
    pub(crate) probes_in_flight: u32,
    pub(crate) probes_passed: u32,
    pub(crate) opened: u64,
}

/// One admitted call: stamped with the generation that admitted it, and neutral when dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    breaker: &'static Breaker,
    generation: u64,
    probe: Option<NonZeroU32>,
}

impl Ticket {
    pub(crate) fn is_probe(&self) -> bool {
        self.probe.is_some()
    }

    /// Whether a repeat may follow: a probe is one attempt, and nothing repeats while the breaker is not closed.
    pub(crate) fn allows_retry(&self) -> bool {
        !self.is_probe() && self.breaker.word.load(Ordering::Acquire) & CLOSED != 0
    }

    /// Says what the call was; a result of an older generation is ignored.
    pub(crate) fn record(mut self, sample: Sample) {
        self.breaker.record(self.generation, self.probe.take(), sample);
        // What is left to drop is no probe, so its drop records nothing.
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(probe) = self.probe.take() {
            self.breaker.record(self.generation, Some(probe), Sample::Neutral);
        }
    }
}

#[cfg(test)]
mod tests;
