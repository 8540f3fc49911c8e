//! The state machine behind the breaker's lock.
//!
//! It says which state follows; [`Breaker`](super::Breaker) makes the transition, since that is also an atomic matter.

use super::{
    BreakerState, Forced, Sample,
    successes::Successes,
    trial::{Terms, Trial, Verdict},
    window::{Tally, Window},
};
use crate::{random, time::Moment};
use resilient_policy::Breaker as Settings;
use std::num::NonZeroU32;

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) settings: Settings,
    pub(super) state: State,
    /// What the operator said, which the state then follows: `Open` alone refuses, under the others it is closed.
    pub(super) forced: Option<Forced>,
    /// Counts transitions, so that the result of a call admitted before one is told from those after it.
    pub(super) generation: u64,
    pub(super) window: Window,
    /// Openings since it was last closed: the open time may grow with them.
    reopened: u32,
    pub(super) opened: u64,
    pub(super) would_open: u64,
    /// Observed, and the condition to open is met.
    in_episode: bool,
}

#[derive(Debug)]
pub(super) enum State {
    Closed,
    Open { until: Moment },
    HalfOpen(Trial),
}

impl Inner {
    /// As new, in this generation.
    pub(super) fn of_generation(generation: u64, settings: Settings) -> Self {
        Self {
            window: Window::new(&settings),
            settings,
            state: State::Closed,
            forced: None,
            generation,
            reopened: 0,
            opened: 0,
            would_open: 0,
            in_episode: false,
        }
    }

    /// What an operator sees.
    pub(super) fn shown(&self) -> BreakerState {
        match (self.forced, &self.state) {
            (Some(Forced::Open), _) => BreakerState::ForcedOpen,
            (Some(Forced::Closed), _) => BreakerState::ForcedClosed,
            (Some(Forced::Observe), _) => BreakerState::Observing,
            (None, State::Closed) => BreakerState::Closed,
            (None, State::Open { .. }) => BreakerState::Open,
            (None, State::HalfOpen(_)) => BreakerState::HalfOpen,
        }
    }

    /// Whether every call is admitted.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed) && self.forced != Some(Forced::Open)
    }

    /// Whether a fast success needs no lock: it changes nothing here, or, in a time window, only a number of calls.
    pub(super) fn is_easy(&self) -> bool {
        match &self.window {
            Window::Count(_) => self.window.is_spotless(),
            Window::Time(time) => !self.in_episode && (self.settings.consecutive.is_none() || !time.in_a_run()),
        }
    }

    /// Every transition starts a generation and an empty window.
    pub(super) fn enter(&mut self, state: State) {
        match state {
            State::Closed => self.reopened = 0,
            State::Open { .. } => {
                self.reopened = self.reopened.saturating_add(1);
                self.opened += 1;
            }
            State::HalfOpen(_) => {}
        }
        self.state = state;
        self.in_episode = false;
        self.window.clear();
    }

    /// New numbers in the same state; says whether the window had to start again, and whether the trial must.
    pub(super) fn adopt(&mut self, settings: Settings) -> (bool, bool) {
        let old = std::mem::replace(&mut self.settings, settings);
        let new_window = old.window != settings.window;
        if new_window {
            self.window = Window::new(&settings);
            self.in_episode = false;
        }
        if let (Window::Time(time), None) = (&mut self.window, old.consecutive) {
            // Nobody has told it of the successes in between.
            time.end_run();
        }
        // Probes sent under other terms might leave no slot and no decision.
        let new_trial = matches!(self.state, State::HalfOpen(_)) && Terms::of(&old) != Terms::of(&settings);
        (new_window, new_trial)
    }

    /// A call's outcome while closed; the state that follows from it, if it is another one.
    pub(super) fn record(&mut self, sample: Sample, at: Moment, successes: &Successes) -> Option<State> {
        let call = sample.counted()?;
        self.window.push(call, at, successes);
        self.watch(successes);
        self.judge(at, successes)
    }

    /// A probe's outcome; the state that follows from it, if it is another one.
    pub(super) fn end_probe(&mut self, probe: NonZeroU32, sample: Sample, at: Moment) -> Option<State> {
        let terms = Terms::of(&self.settings);
        let State::HalfOpen(trial) = &mut self.state else { return None };
        match trial.end(probe, sample, terms) {
            Verdict::Undecided => None,
            Verdict::Passed => Some(State::Closed),
            Verdict::Failed => Some(self.opening(at)),
        }
    }

    /// Says from which fast success on it has to be asked, by what stands under its lock.
    pub(super) fn watch(&self, successes: &Successes) {
        let Window::Time(time) = &self.window else { return };
        let (worst, clean_from) = time.worst();
        // With more fast successes than this, neither share is reached. One more, for what floats round.
        let enough = |count: u32, rate: f64| (f64::from(count) / rate).ceil() as u64;
        let alarm = enough(worst.failures, self.settings.failure_rate).max(enough(worst.slow, self.settings.slow_rate));
        successes.watch(alarm.saturating_add(1), clean_from);
    }

    /// Whether it opens now, or would.
    pub(super) fn judge(&mut self, at: Moment, successes: &Successes) -> Option<State> {
        let tally = self.window.tally(at, || successes.settled(at));
        let failing = is_failing(&self.settings, tally);
        match self.forced {
            None if failing => return Some(self.opening(at)),
            Some(Forced::Observe) => {
                self.would_open += u64::from(failing && !self.in_episode);
                self.in_episode = failing;
            }
            _ => {}
        }
        None
    }

    fn opening(&self, at: Moment) -> State {
        let settings = &self.settings;
        let growth = settings.open_factor.powi(i32::try_from(self.reopened).unwrap_or(i32::MAX));
        let grown = random::scaled(settings.open, growth).min(settings.open_cap.max(settings.open));
        // Longer by a random share, never shorter: a fleet that opened together must not probe together.
        let longest = random::scaled(grown, 1.0 + settings.open_jitter);
        State::Open { until: at.after(random::between(grown, longest)) }
    }
}

fn is_failing(settings: &Settings, tally: Tally) -> bool {
    if settings.consecutive.is_some_and(|most| tally.in_a_row >= most.max(1)) {
        return true;
    }
    let reaches = |count: u32, rate: f64| count > 0 && f64::from(count) + 1e-9 >= rate * f64::from(tally.calls);
    tally.calls >= settings.min_calls()
        && (reaches(tally.failures, settings.failure_rate) || reaches(tally.slow, settings.slow_rate))
}
