//! A model of the breaker: one thread, plain lists, every count taken anew at every look.

use super::*;
use resilient_policy::Window::{Count, Time};

#[derive(Clone, Copy, Debug)]
struct Ended {
    at: u64,
    call: window::Call,
    /// It failed, and so did all that came after it.
    in_run: bool,
}

#[derive(Debug)]
enum ModelState {
    Closed,
    Open { until: u64 },
    HalfOpen { in_flight: Vec<(u32, u64)>, passed: u32, failed: u32 },
}

#[derive(Debug)]
pub(super) struct Model {
    pub(super) settings: Settings,
    state: ModelState,
    forced: Option<Forced>,
    generation: u32,
    sent: u32,
    calls: Vec<Ended>,
    reopened: u32,
    pub(super) opened: u64,
    would_open: u64,
    in_episode: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ModelTicket {
    generation: u32,
    pub(super) probe: Option<u32>,
}

pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap()
}

impl Model {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            state: ModelState::Closed,
            forced: None,
            generation: 0,
            sent: 0,
            calls: Vec::new(),
            reopened: 0,
            opened: 0,
            would_open: 0,
            in_episode: false,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.state, ModelState::Closed) && self.forced != Some(Forced::Open)
    }

    fn enter(&mut self, state: ModelState) {
        self.generation += 1;
        self.calls.clear();
        self.in_episode = false;
        match state {
            ModelState::Closed => self.reopened = 0,
            ModelState::Open { .. } => (self.reopened, self.opened) = (self.reopened + 1, self.opened + 1),
            ModelState::HalfOpen { .. } => {}
        }
        self.state = state;
    }

    fn half_open(&mut self) {
        self.enter(ModelState::HalfOpen { in_flight: Vec::new(), passed: 0, failed: 0 });
    }

    fn open(&mut self, at: u64) {
        let Settings { open, open_factor, open_cap, .. } = self.settings;
        let grown = (0..self.reopened).fold(nanos(open), |open, _| {
            open.saturating_mul(open_factor as u64).min(nanos(open_cap.max(self.settings.open)))
        });
        self.enter(ModelState::Open { until: at.saturating_add(grown) });
    }

    pub(super) fn peek(&self, at: u64) -> Option<Option<u64>> {
        match self.state {
            _ if self.forced == Some(Forced::Open) => Some(None),
            ModelState::Open { until } if at < until => Some(Some(until - at)),
            _ => None,
        }
    }

    pub(super) fn admit(&mut self, at: u64, lease: Option<u64>) -> Result<ModelTicket, Option<u64>> {
        if let Some(refused) = self.peek(at) {
            return Err(refused);
        }
        if matches!(self.state, ModelState::Open { .. }) {
            self.half_open();
        }
        let most = self.settings.probes;
        if let ModelState::HalfOpen { in_flight, passed, .. } = &mut self.state {
            if *passed + in_flight.len() as u32 >= most {
                in_flight.retain(|(_, expires)| at < *expires);
            }
            if *passed + in_flight.len() as u32 >= most {
                let soonest = in_flight.iter().map(|probe| probe.1).min().filter(|expires| *expires != u64::MAX);
                return Err(soonest.map(|expires| expires - at));
            }
            self.sent += 1;
            in_flight.push((self.sent, lease.map_or(u64::MAX, |lease| at.saturating_add(lease))));
            return Ok(ModelTicket { generation: self.generation, probe: Some(self.sent) });
        }
        Ok(ModelTicket { generation: self.generation, probe: None })
    }

    pub(super) fn record(&mut self, ticket: ModelTicket, sample: Sample, at: u64) {
        if ticket.generation != self.generation {
            return;
        }
        let Some(number) = ticket.probe else { return self.count(sample, at) };
        let ModelState::HalfOpen { in_flight, passed, failed } = &mut self.state else { unreachable!() };
        let Some(place) = in_flight.iter().position(|probe| probe.0 == number) else { return };
        in_flight.remove(place);
        match sample {
            OK | Sample::Throttled => *passed += 1,
            Sample::Neutral => {}
            _ => *failed += 1,
        }
        if *passed >= self.settings.passes() {
            self.enter(ModelState::Closed);
        } else if self.settings.probes - *failed < self.settings.passes() {
            self.open(at);
        }
    }

    fn count(&mut self, sample: Sample, at: u64) {
        let (failed, slow) = match sample {
            Sample::Success { slow } => (false, slow),
            Sample::Failure { slow } => (true, slow),
            Sample::Throttled | Sample::Neutral => return,
        };
        if !failed {
            self.calls.iter_mut().for_each(|call| call.in_run = false);
        }
        self.forget(at);
        let new = Ended { at, call: window::Call { failed, slow }, in_run: failed };
        if let Time { span } = self.settings.window {
            // Only a clock that jumped back finds somebody else in its bucket who still counts.
            let (width, fast) = (nanos(span) / 10, new.call.is_fast_success());
            let tick = at / width;
            self.calls.retain(|old| {
                let place = (old.call.is_fast_success(), old.at / width % 10);
                place != (fast, tick % 10) || old.at / width == tick
            });
        }
        self.calls.push(new);
        self.forget(at);
        let tally = self.tally(at);
        let Settings { consecutive, failure_rate, slow_rate, .. } = self.settings;
        let share = |count: u32, rate: f64| count > 0 && f64::from(count) / f64::from(tally.calls) + 1e-12 >= rate;
        let failing = consecutive.is_some_and(|most| tally.in_a_row >= most)
            || (tally.calls >= self.settings.min_calls()
                && (share(tally.failures, failure_rate) || share(tally.slow, slow_rate)));
        match self.forced {
            None if failing => self.open(at),
            Some(Forced::Observe) => {
                self.would_open += u64::from(failing && !self.in_episode);
                self.in_episode = failing;
            }
            _ => {}
        }
    }

    /// Drops what a count window no longer holds.
    fn forget(&mut self, at: u64) {
        let Count { size, max_age } = self.settings.window else { return };
        // Without an age limit the list also serves for failures in a row, of which there may be more than calls.
        if let Some(max_age) = max_age {
            let kept = self.calls.len().saturating_sub(size as usize);
            self.calls.drain(..kept);
            let too_old = |call: &Ended| at.saturating_sub(call.at) >= nanos(max_age);
            let old = self.calls.iter().take_while(|call| too_old(call)).count();
            self.calls.drain(..old);
        }
    }

    fn tally(&mut self, at: u64) -> window::Tally {
        self.forget(at);
        let in_window: Vec<_> = match self.settings.window {
            Count { size, .. } => self.calls.iter().rev().take(size as usize).collect(),
            Time { span } => {
                let now = at / (nanos(span) / 10);
                let is_in = |call: &&Ended| (now.saturating_sub(9)..=now).contains(&(call.at / (nanos(span) / 10)));
                self.calls.iter().filter(is_in).collect()
            }
        };
        let in_a_row = match self.settings.window {
            Count { .. } => self.calls.iter().filter(|call| call.in_run).count(),
            Time { .. } => in_window.iter().filter(|call| call.in_run).count(),
        };
        window::Tally {
            calls: in_window.len() as u32,
            failures: in_window.iter().filter(|ended| ended.call.failed).count() as u32,
            slow: in_window.iter().filter(|ended| ended.call.slow).count() as u32,
            in_a_row: in_a_row as u32,
        }
    }

    pub(super) fn snapshot(&mut self, at: u64) -> BreakerCounts {
        let tally = self.tally(at);
        let (state, probes_in_flight, probes_passed, open_for) = match &self.state {
            ModelState::Closed => (BreakerState::Closed, 0, 0, None),
            ModelState::Open { until } => {
                (BreakerState::Open, 0, 0, Some(Duration::from_nanos(until.saturating_sub(at))))
            }
            ModelState::HalfOpen { in_flight, passed, .. } => {
                (BreakerState::HalfOpen, in_flight.len() as u32, *passed, None)
            }
        };
        let state = match self.forced {
            None => state,
            Some(Forced::Open) => BreakerState::ForcedOpen,
            Some(Forced::Closed) => BreakerState::ForcedClosed,
            Some(Forced::Observe) => BreakerState::Observing,
        };
        BreakerCounts {
            state,
            calls: tally.calls,
            failures: tally.failures,
            slow: tally.slow,
            probes_in_flight,
            probes_passed,
            open_for,
            opened: self.opened,
            would_open: self.would_open,
        }
    }

    pub(super) fn force(&mut self, forced: Option<Forced>) {
        if self.forced != forced {
            self.forced = forced;
            self.enter(ModelState::Closed);
        }
    }

    pub(super) fn reset(&mut self) {
        self.forced = None;
        self.enter(ModelState::Closed);
    }

    pub(super) fn recycle(&mut self, settings: Settings) {
        *self = Self { generation: self.generation + 1, sent: self.sent, ..Self::new(settings) };
    }

    pub(super) fn adopt(&mut self, settings: Settings) {
        let old = std::mem::replace(&mut self.settings, settings);
        if old.window != settings.window {
            self.calls.clear();
            self.in_episode = false;
        }
        if old.consecutive.is_none() && matches!(settings.window, Time { .. }) {
            self.calls.iter_mut().for_each(|call| call.in_run = false);
        }
        let terms = |settings: &Settings| (settings.probes, settings.passes());
        if matches!(self.state, ModelState::HalfOpen { .. }) && terms(&old) != terms(&settings) {
            self.half_open();
        }
    }
}
