//! A small obvious model of one function with a bulkhead, a breaker, retries and a budget.
//!
//! It is written from the design, with plain structs and without any of the library's cleverness. It knows no futures:
//! whoever is due is looked at in the order of arrival. `history` holds the library to it.

mod history;

use resilient::{
    Class::{Overloaded, Permanent, Throttled},
    RejectedKind, Stop, Verdict,
};
use std::collections::VecDeque;

const TIMEOUT: u64 = 60;
const BACKOFF: u64 = 20;
const RETRIES: u32 = 2;
const OPEN: u64 = 200;
const SLOW: u64 = 40;
const WINDOW: usize = 6;
const MIN_CALLS: usize = 4;
const PROBES: u32 = 3;
const PASSES: u32 = 2;
const PERMITS: usize = 3;
/// Thousandths of a token.
const BURST: u64 = 3_000;
const RATIO: u64 = 300;

/// What a body returns. `None`: success.
type Word = Option<Verdict>;

/// How a call ended: with an answer, or an error of this attempt, or a rejection; and why it was not repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Answered,
    Failed(Verdict, u32, Stop),
    Cut(Stop),
    Refused(RejectedKind),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Success,
    Slow,
    Failure,
    SlowFailure,
    Neutral,
    Throttled,
}

#[derive(Debug)]
enum Breaker {
    Closed(VecDeque<Sample>),
    Open { until: u64 },
    HalfOpen { in_flight: u32, passed: u32, failed: u32 },
}

#[derive(Debug)]
struct Call {
    generation: u32,
    /// The moment its slot is taken back, if it is a probe that still holds one.
    probe: Option<u64>,
    is_probe: bool,
    attempt: u32,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Running { since: u64 },
    Waiting { until: u64, sample: Sample, last: Result<Verdict, ()> },
}

#[derive(Debug)]
struct Model {
    now: u64,
    breaker: Breaker,
    generation: u32,
    tokens: u64,
    runs: u64,
    /// By number of arrival.
    calls: Vec<(usize, Call)>,
}

impl Model {
    fn new() -> Self {
        let breaker = Breaker::Closed(VecDeque::new());
        Self { now: 0, breaker, generation: 0, tokens: BURST, runs: 0, calls: Vec::new() }
    }

    fn is_closed(&self) -> bool {
        matches!(self.breaker, Breaker::Closed(_))
    }

    fn enter(&mut self, breaker: Breaker) {
        self.breaker = breaker;
        self.generation += 1;
    }

    fn earn(&mut self, amount: u64) {
        self.tokens = (self.tokens + amount).min(BURST);
    }

    fn start(&mut self, number: usize) -> Option<End> {
        if matches!(self.breaker, Breaker::Open { until } if self.now < until) {
            return Some(End::Refused(RejectedKind::Open));
        }
        if self.calls.len() == PERMITS {
            return Some(End::Refused(RejectedKind::Full { limit: PERMITS as u32 }));
        }
        if matches!(self.breaker, Breaker::Open { .. }) {
            self.enter(Breaker::HalfOpen { in_flight: 0, passed: 0, failed: 0 });
        }
        let mut probe = None;
        if let Breaker::HalfOpen { in_flight, passed, .. } = &mut self.breaker {
            if *passed + *in_flight >= PROBES {
                // A slot whose probe must have ended by now, and 1 ms for its timer, is taken back.
                for (_, call) in &mut self.calls {
                    if call.generation == self.generation && call.probe.is_some_and(|lease| lease <= self.now) {
                        call.probe = None;
                        *in_flight -= 1;
                    }
                }
            }
            if *passed + *in_flight >= PROBES {
                return Some(End::Refused(RejectedKind::Open));
            }
            *in_flight += 1;
            probe = Some(self.now + TIMEOUT + 1);
        }
        self.earn(RATIO);
        self.runs += 1;
        let phase = Phase::Running { since: self.now };
        let call = Call { generation: self.generation, is_probe: probe.is_some(), probe, attempt: 1, phase };
        self.calls.push((number, call));
        None
    }

    /// Looks at one call: what its body was told to return, else whether it is due.
    fn look(&mut self, number: usize, told: Option<Word>) -> Option<End> {
        let at = self.calls.iter().position(|(known, _)| *known == number)?;
        let (_, mut call) = self.calls.remove(at);
        let end = self.go_on(&mut call, told);
        if end.is_none() {
            self.calls.insert(at, (number, call));
        }
        end
    }

    fn go_on(&mut self, call: &mut Call, told: Option<Word>) -> Option<End> {
        match call.phase {
            Phase::Running { since } => match told {
                Some(None) => {
                    self.record(call, if self.now - since > SLOW { Sample::Slow } else { Sample::Success });
                    Some(End::Answered)
                }
                Some(Some(verdict)) => {
                    let slow = self.now - since > SLOW;
                    let sample = match verdict.class {
                        Permanent if slow => Sample::Slow,
                        Permanent => Sample::Success,
                        Throttled => Sample::Throttled,
                        _ if slow => Sample::SlowFailure,
                        _ => Sample::Failure,
                    };
                    self.ask(call, verdict, sample, Ok(verdict))
                }
                None if self.now >= since + TIMEOUT => self.ask(call, Verdict::TIMEOUT, Sample::SlowFailure, Err(())),
                None => None,
            },
            Phase::Waiting { until, sample, last } if self.now >= until => {
                if call.is_probe || !self.is_closed() {
                    self.earn(1_000);
                    self.record(call, sample);
                    return Some(Self::failed(last, call.attempt, Stop::CircuitOpen));
                }
                call.attempt += 1;
                call.phase = Phase::Running { since: self.now };
                self.runs += 1;
                None
            }
            Phase::Waiting { .. } => None,
        }
    }

    /// Verdict, retries left, breaker, budget.
    fn ask(&mut self, call: &mut Call, verdict: Verdict, sample: Sample, last: Result<Verdict, ()>) -> Option<End> {
        let why = if matches!(verdict.class, Overloaded | Permanent) {
            Stop::NotRepeatable
        } else if call.attempt > RETRIES {
            Stop::Exhausted
        } else if call.is_probe || !self.is_closed() {
            Stop::CircuitOpen
        } else if self.tokens < 1_000 {
            Stop::Budget
        } else {
            self.tokens -= 1_000;
            call.phase = Phase::Waiting { until: self.now + BACKOFF, sample, last };
            return None;
        };
        self.record(call, sample);
        Some(Self::failed(last, call.attempt, why))
    }

    fn failed(last: Result<Verdict, ()>, attempt: u32, why: Stop) -> End {
        match last {
            Ok(verdict) => End::Failed(verdict, attempt, why),
            Err(()) => End::Cut(why),
        }
    }

    fn leave(&mut self, number: usize) {
        let at = self.calls.iter().position(|(known, _)| *known == number).unwrap();
        let (_, mut call) = self.calls.remove(at);
        let sample = match call.phase {
            Phase::Running { since } if self.now - since > SLOW => Sample::SlowFailure,
            Phase::Running { .. } => Sample::Neutral,
            Phase::Waiting { .. } => {
                self.earn(1_000);
                Sample::Neutral
            }
        };
        self.record(&mut call, sample);
    }

    fn record(&mut self, call: &mut Call, sample: Sample) {
        if call.generation != self.generation {
            return;
        }
        match &mut self.breaker {
            Breaker::Open { .. } => {}
            Breaker::Closed(window) => {
                if !matches!(sample, Sample::Neutral | Sample::Throttled) {
                    window.push_back(sample);
                }
                if window.len() > WINDOW {
                    window.pop_front();
                }
                let share = |bad: &[Sample]| window.iter().filter(|sample| bad.contains(sample)).count() * 2;
                let failures = share(&[Sample::Failure, Sample::SlowFailure]);
                let slow = share(&[Sample::Slow, Sample::SlowFailure]);
                if window.len() >= MIN_CALLS && failures.max(slow) >= window.len() {
                    self.enter(Breaker::Open { until: self.now + OPEN });
                }
            }
            Breaker::HalfOpen { in_flight, passed, failed } => {
                if call.probe.take().is_none() {
                    return;
                }
                *in_flight -= 1;
                match sample {
                    Sample::Success | Sample::Throttled => *passed += 1,
                    Sample::Neutral => {}
                    Sample::Slow | Sample::Failure | Sample::SlowFailure => *failed += 1,
                }
                if *passed >= PASSES {
                    self.enter(Breaker::Closed(VecDeque::new()));
                } else if PROBES - *failed < PASSES {
                    self.enter(Breaker::Open { until: self.now + OPEN });
                }
            }
        }
    }
}
