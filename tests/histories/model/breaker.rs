//! The breaker: a window of the last calls, an open time, a trial.

use super::{MIN_CALLS, OPEN, PASSES, PROBES, TIMEOUT, WINDOW};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    Success { slow: bool },
    Failure { slow: bool },
    Throttled,
    Neutral,
}

/// What an admitted call holds.
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    generation: u32,
    /// The number of a probe.
    pub probe: Option<u32>,
}

#[derive(Debug)]
pub enum State {
    Closed { window: VecDeque<Sample> },
    Open { until: u64 },
    HalfOpen(Trial),
}

#[derive(Debug, Default)]
pub struct Trial {
    /// Each probe under way, and when its slot is taken back: 1 ms, a timer's lateness, after its timeout.
    pub leases: Vec<(u32, u64)>,
    sent: u32,
    pub passed: u32,
    failed: u32,
}

#[derive(Debug)]
pub struct Breaker {
    pub state: State,
    /// Every change of state begins one.
    generation: u32,
    pub opened: u64,
}

impl Breaker {
    pub fn new() -> Self {
        Self { state: State::Closed { window: VecDeque::new() }, generation: 0, opened: 0 }
    }

    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    fn enter(&mut self, state: State) {
        self.generation += 1;
        self.opened += u64::from(matches!(state, State::Open { .. }));
        self.state = state;
    }

    /// Open and not due? Then for how long.
    pub fn look(&self, now: u64) -> Result<(), Option<u64>> {
        match self.state {
            State::Open { until } if now < until => Err(Some(until - now)),
            _ => Ok(()),
        }
    }

    pub fn ask(&mut self, now: u64) -> Result<Ticket, Option<u64>> {
        self.look(now)?;
        if let State::Open { .. } = self.state {
            self.enter(State::HalfOpen(Trial::default()));
        }
        let mut probe = None;
        if let State::HalfOpen(trial) = &mut self.state {
            let is_full = |trial: &Trial| trial.passed + trial.leases.len() as u32 >= PROBES;
            if is_full(trial) {
                trial.leases.retain(|(_, until)| now < *until);
            }
            if is_full(trial) {
                return Err(trial.leases.iter().map(|(_, until)| until - now).min());
            }
            trial.sent += 1;
            trial.leases.push((trial.sent, now + TIMEOUT + 1));
            probe = Some(trial.sent);
        }
        Ok(Ticket { generation: self.generation, probe })
    }

    /// A probe waits for something else first: its timeout, and with it its slot's, begins then.
    pub fn hold(&mut self, ticket: Ticket, starts: u64) {
        if let State::HalfOpen(trial) = &mut self.state {
            let own = trial.leases.iter_mut().filter(|(probe, _)| Some(*probe) == ticket.probe);
            own.for_each(|(_, until)| *until = starts + TIMEOUT + 1);
        }
    }

    /// What the holder of this ticket found out.
    pub fn hear(&mut self, ticket: Ticket, sample: Sample, now: u64) {
        if ticket.generation != self.generation {
            return;
        }
        match &mut self.state {
            State::Open { .. } => {}
            State::Closed { window } => {
                if matches!(sample, Sample::Throttled | Sample::Neutral) {
                    return;
                }
                window.push_back(sample);
                if window.len() > WINDOW {
                    window.pop_front();
                }
                let (calls, failures, slow) = tally(window);
                if calls >= MIN_CALLS && (2 * failures >= calls || 2 * slow >= calls) {
                    self.enter(State::Open { until: now + OPEN });
                }
            }
            State::HalfOpen(trial) => {
                let held = trial.leases.len();
                trial.leases.retain(|(probe, _)| Some(*probe) != ticket.probe);
                if trial.leases.len() == held {
                    return;
                }
                match sample {
                    Sample::Success { slow: false } | Sample::Throttled => trial.passed += 1,
                    Sample::Success { slow: true } | Sample::Failure { .. } => trial.failed += 1,
                    Sample::Neutral => {}
                }
                if trial.passed >= PASSES {
                    self.enter(State::Closed { window: VecDeque::new() });
                } else if PROBES - trial.failed < PASSES {
                    self.enter(State::Open { until: now + OPEN });
                }
            }
        }
    }
}

/// Calls, failures among them, slow ones among them.
pub fn tally(window: &VecDeque<Sample>) -> (usize, usize, usize) {
    let is_slow = |sample: &&Sample| matches!(sample, Sample::Success { slow: true } | Sample::Failure { slow: true });
    let failures = window.iter().filter(|sample| matches!(sample, Sample::Failure { .. })).count();
    (window.len(), failures, window.iter().filter(is_slow).count())
}
