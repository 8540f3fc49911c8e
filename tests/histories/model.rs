//! One operation with every guard that counts, written from the design's words: plain structs, one thread, whole
//! milliseconds, no futures. Slow and obvious is what it is for.
//!
//! Its layers, outermost first: deadline, bulkhead, breaker, retries and budget, rate limit, attempt timeout, hedge, body.

mod breaker;
mod budget;
mod gate;
mod pace;

pub use breaker::{State, tally};
pub use budget::Shape;

use breaker::{Breaker, Sample, Ticket};
use budget::{Budget, Token};
use gate::{Entry, Gate, Place};
use pace::Pace;
use resilient::{
    Class::{self, Overloaded, Permanent, Throttled, Timeout, Transient},
    RejectedKind, Stop, Verdict,
};
use std::collections::BTreeMap;

pub const TIMEOUT: u64 = 60;
pub const DEADLINE: u64 = 180;
const BACKOFF: u64 = 20;
const HEDGE: u64 = 15;
const SLOW: u64 = 40;
const OPEN: u64 = 70;
const WINDOW: usize = 8;
const MIN_CALLS: usize = 6;
const PROBES: u32 = 3;
const PASSES: u32 = 2;
const PERMITS: u32 = 4;
const MAX_WAIT: u64 = 50;
const MAX_QUEUE: usize = 2;
const INTERVAL: i64 = 20;
const BURST: i64 = 3;
const MAX_TURN: u64 = 30;

/// In what the functions of the histories differ.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub name: &'static str,
    pub retries: u32,
    /// The breaker is told of every attempt, and not of the call.
    pub by_attempt: bool,
    pub budget: Shape,
}

/// What a body does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    Answer,
    Fail(Verdict),
    Panic,
}

/// How a call ended. Bodies are counted within their call, from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Answered { body: u32 },
    Failed { verdict: Verdict, body: u32, why: Stop },
    Rejected { kind: RejectedKind, retry_after: Option<u64>, why: Option<Stop> },
    Panicked,
}

/// What a body finds when it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    pub body: u32,
    pub attempt: u32,
    pub left: u64,
}

#[derive(Debug)]
struct Call {
    deadline: u64,
    own_deadline: bool,
    permit: bool,
    ticket: Option<Ticket>,
    /// A moment promised by the rate limit.
    turn: Option<u64>,
    /// The running attempt's, or that of the one to come.
    token: Option<Token>,
    attempt: u32,
    bodies: u32,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Arriving,
    Queued,
    Limited,
    Running(Attempt),
    Backoff { until: u64, last: Last },
}

#[derive(Clone, Copy, Debug)]
struct Attempt {
    until: u64,
    since: u64,
    /// Its first copy, while it runs.
    first: Option<u32>,
    /// Its second copy, while it runs, and since when.
    second: Option<Second>,
    /// The first copy's failure, while the second runs on.
    failed: Option<(Verdict, u32)>,
    /// When the second copy is due.
    due: Option<u64>,
    retried: bool,
}

#[derive(Clone, Copy, Debug)]
struct Second {
    body: u32,
    since: u64,
    token: Option<Token>,
}

/// What a failed attempt was.
#[derive(Clone, Copy, Debug)]
struct Last {
    sample: Sample,
    /// `None`: it was cut.
    error: Option<(Verdict, u32)>,
}

macro_rules! counts {
    ($($name:ident)*) => {
        /// The library's counters, one by one.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Counts {
            $(pub $name: u64,)*
            pub stops: BTreeMap<&'static str, u64>,
        }

        impl Counts {
            pub fn add(&mut self, more: &Self) {
                $(self.$name += more.$name;)*
                more.stops.iter().for_each(|(why, n)| *self.stops.entry(why).or_default() += n);
            }

            /// What has never happened, of what can.
            pub fn nowhere(&self) -> Vec<&'static str> {
                let counters = [$((stringify!($name), self.$name)),*];
                let never = counters.into_iter().filter(|(name, n)| *n == 0 && !ELSEWHERE.contains(name));
                let stops = STOPS.iter().map(|why| why.as_str());
                let stops = stops.filter(|why| !self.stops.contains_key(why) && !ELSEWHERE.contains(why));
                never.map(|(name, _)| name).chain(stops).collect()
            }
        }

        impl From<&resilient::Counts> for Counts {
            fn from(counts: &resilient::Counts) -> Self {
                let stops = STOPS.iter().map(|why| (why.as_str(), counts.stopped(*why)));
                Self { $($name: counts.$name,)* stops: stops.filter(|(_, n)| *n > 0).collect() }
            }
        }
    };
}

counts! {
    calls in_flight attempts retries succeeded failed transient timeout throttled overloaded permanent full open limited
    expired timed_out deadline dropped panicked left_behind coalesced slow queued hedges hedges_won fallback
}

/// What this policy does not do.
const ELSEWHERE: [&str; 7] =
    ["in_flight", "left_behind", "coalesced", "fallback", "inner_layer", "pushback", Stop::Full.as_str()];

const STOPS: [Stop; 9] = [
    Stop::NotRepeatable,
    Stop::Exhausted,
    Stop::NoTime,
    Stop::CircuitOpen,
    Stop::InnerLayer,
    Stop::Budget,
    Stop::RateLimit,
    Stop::Pushback,
    Stop::Full,
];

#[derive(Debug)]
pub struct Model {
    kind: Kind,
    pub now: u64,
    pub gate: Gate,
    pub breaker: Breaker,
    pace: Pace,
    pub budget: Budget,
    pub counts: Counts,
    calls: BTreeMap<usize, Call>,
    /// What bodies were told and have not been asked for yet, by call and body.
    words: BTreeMap<(usize, u32), Word>,
    /// Bodies that have started since the last look.
    pub visits: Vec<Visit>,
}

/// A guard's no to a first attempt.
type Refusal = (RejectedKind, Option<u64>);

// ===== what happens to calls =====

impl Model {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            now: 0,
            gate: Gate::new(),
            breaker: Breaker::new(),
            pace: Pace::new(),
            budget: Budget::new(kind.budget),
            counts: Counts::default(),
            calls: BTreeMap::new(),
            words: BTreeMap::new(),
            visits: Vec::new(),
        }
    }

    /// A call comes in, from a caller that has so much time.
    pub fn start(&mut self, number: usize, within: Option<u64>) -> Option<End> {
        self.counts.calls += 1;
        self.counts.in_flight += 1;
        let call = Call {
            deadline: self.now + within.map_or(DEADLINE, |within| within.min(DEADLINE)),
            own_deadline: within.is_none_or(|within| DEADLINE <= within),
            permit: false,
            ticket: None,
            turn: None,
            token: None,
            attempt: 0,
            bodies: 0,
            phase: Phase::Arriving,
        };
        self.calls.insert(number, call);
        self.poll(number)
    }

    /// Bodies that run, by call.
    pub fn running(&self) -> Vec<(usize, u32)> {
        let bodies = |(number, call): (&usize, &Call)| {
            let Phase::Running(attempt) = call.phase else { return Vec::new() };
            let copies = [attempt.first, attempt.second.map(|second| second.body)];
            copies.into_iter().flatten().map(|body| (*number, body)).collect()
        };
        self.calls.iter().flat_map(bodies).collect()
    }

    pub fn say(&mut self, body: (usize, u32), word: Word) {
        self.words.insert(body, word);
    }

    pub fn resize(&mut self, limit: u32) {
        self.gate.resize(limit, self.now);
    }

    /// Its caller drops it.
    pub fn leave(&mut self, number: usize) {
        let call = self.calls.remove(&number).unwrap();
        self.counts.dropped += 1;
        let mut sample = Sample::Neutral;
        match call.phase {
            Phase::Running(attempt) => {
                if self.now - attempt.since > SLOW {
                    sample = Sample::Failure { slow: true };
                }
                self.end_second(&attempt);
            }
            Phase::Queued => self.gate.leave(number, self.now),
            _ => {}
        }
        self.hear(&call, sample);
        self.release(&call);
    }

    /// Somebody looks at it.
    pub fn poll(&mut self, number: usize) -> Option<End> {
        let mut call = self.calls.remove(&number).unwrap();
        let end = self.go_on(number, &mut call);
        match end {
            None => drop(self.calls.insert(number, call)),
            Some(_) => self.release(&call),
        }
        end
    }

    fn go_on(&mut self, number: usize, call: &mut Call) -> Option<End> {
        loop {
            match call.phase {
                Phase::Running(attempt) => {
                    let (attempt, end) = self.look_at_bodies(number, call, attempt);
                    if let Some(end) = end {
                        return Some(end);
                    }
                    if let Phase::Running(_) = call.phase {
                        call.phase = Phase::Running(attempt);
                        return None;
                    }
                }
                Phase::Backoff { until, .. } if self.now < until => return None,
                Phase::Backoff { last, .. } => {
                    if let Err(why) = self.resume(call, last) {
                        return Some(self.call_off(call, last, why));
                    }
                }
                Phase::Arriving | Phase::Queued | Phase::Limited => match self.admit(number, call) {
                    Ok(true) => self.run(call, false),
                    Ok(false) => return None,
                    Err((kind, retry_after)) => {
                        self.reject(kind);
                        self.hear(call, Sample::Neutral);
                        return Some(End::Rejected { kind, retry_after, why: None });
                    }
                },
            }
        }
    }

    /// Every guard has back what it gave.
    fn release(&mut self, call: &Call) {
        self.counts.in_flight -= 1;
        if call.permit {
            self.gate.release(self.now);
        }
        if let Some(turn) = call.turn {
            self.pace.give_back(turn, self.now);
        }
        if call.attempt > 0 {
            self.budget.ended();
        }
        self.budget.is_over(call.token);
    }

    fn reject(&mut self, kind: RejectedKind) {
        *match kind {
            RejectedKind::Full { .. } => &mut self.counts.full,
            RejectedKind::Open => &mut self.counts.open,
            RejectedKind::Limited => &mut self.counts.limited,
            RejectedKind::Expired => &mut self.counts.expired,
            RejectedKind::TimedOut { .. } => &mut self.counts.timed_out,
            _ => &mut self.counts.deadline,
        } += 1;
    }
}

// ===== before an attempt =====

impl Model {
    /// `false`: it waits.
    fn admit(&mut self, number: usize, call: &mut Call) -> Result<bool, Refusal> {
        let open = |retry_after| (RejectedKind::Open, retry_after);
        match call.phase {
            Phase::Arriving => {
                if call.deadline <= self.now {
                    return Err((RejectedKind::Expired, None));
                }
                self.breaker.look(self.now).map_err(open)?;
                match self.gate.enter(number, self.now, call.deadline) {
                    Entry::Permit => call.permit = true,
                    Entry::Full => return Err((RejectedKind::Full { limit: self.gate.limit }, None)),
                    Entry::Wait => {
                        self.counts.queued += 1;
                        call.phase = Phase::Queued;
                        return Ok(false);
                    }
                }
            }
            Phase::Queued => match self.gate.come(number, self.now) {
                Place::Waiting => return Ok(false),
                Place::Permit => {
                    call.permit = true;
                    if call.deadline <= self.now {
                        return Err((RejectedKind::Expired, None));
                    }
                }
                Place::Gone if call.deadline <= self.now => return Err((RejectedKind::Expired, None)),
                Place::Gone => return Err((RejectedKind::Full { limit: self.gate.limit }, None)),
            },
            _ if call.turn.is_some_and(|turn| self.now < turn) => return Ok(false),
            _ => {
                // Nothing that was so before the wait is so for sure: the time left, the breaker, a probe's slot.
                self.hear(call, Sample::Neutral);
                call.ticket = None;
                if call.deadline <= self.now {
                    return Err((RejectedKind::Expired, None));
                }
            }
        }
        call.ticket = Some(self.breaker.ask(self.now).map_err(open)?);
        call.phase = Phase::Limited;
        let is_its_turn = self.turn(call).map_err(|wait| (RejectedKind::Limited, Some(wait)))?;
        if let (Some(turn), Some(ticket)) = (call.turn, call.ticket) {
            self.breaker.hold(ticket, turn);
        }
        if is_its_turn {
            self.budget.called();
        }
        Ok(is_its_turn)
    }

    /// Whether the rate limit lets it run now; else when, in `call.turn`; else the wait that it would take.
    fn turn(&mut self, call: &mut Call) -> Result<bool, u64> {
        let ready = match call.turn {
            Some(ready) => ready,
            None => self.pace.reserve(self.now, call.deadline)?,
        };
        call.turn = (ready > self.now).then_some(ready);
        Ok(call.turn.is_none())
    }

    fn run(&mut self, call: &mut Call, retried: bool) {
        call.attempt += 1;
        let until = call.deadline.min(self.now + TIMEOUT);
        let is_probe = call.ticket.is_some_and(|ticket| ticket.probe.is_some());
        call.phase = Phase::Running(Attempt {
            until,
            since: self.now,
            first: Some(self.body(call, until)),
            second: None,
            failed: None,
            due: (!is_probe).then_some(self.now + HEDGE),
            retried,
        });
    }

    fn body(&mut self, call: &mut Call, until: u64) -> u32 {
        self.counts.attempts += 1;
        self.visits.push(Visit { body: call.bodies, attempt: call.attempt, left: until - self.now });
        call.bodies += 1;
        call.bodies - 1
    }
}

// ===== during an attempt =====

impl Model {
    /// The first good answer wins. A result that is there wins over the clock.
    fn look_at_bodies(&mut self, number: usize, call: &mut Call, mut it: Attempt) -> (Attempt, Option<End>) {
        loop {
            if let Some(body) = it.first {
                if let Some(word) = self.words.remove(&(number, body)) {
                    it.first = None;
                    if word == Word::Panic {
                        return (it, Some(self.panicked(call, &it)));
                    }
                    if it.second.is_none() || is_answer(word) {
                        return (it, self.settle(call, &it, (word, body), it.since));
                    }
                    let Word::Fail(verdict) = word else { unreachable!() };
                    it.failed = Some((verdict, body));
                }
            }
            if let Some(Second { body, since, token }) = it.second {
                if let Some(word) = self.words.remove(&(number, body)) {
                    if word == Word::Panic {
                        return (it, Some(self.panicked(call, &it)));
                    }
                    if is_answer(word) {
                        self.counts.hedges_won += 1;
                        // It is the attempt from here on, by its own token.
                        self.budget.is_over(call.token);
                        call.token = token;
                        it.second = Some(Second { body, since, token: None });
                        return (it, self.settle(call, &it, (word, body), since));
                    }
                    self.end_second(&it);
                    it.second = None;
                    // Both failed: the first one's failure stands.
                    if let Some((verdict, body)) = it.failed {
                        return (it, self.settle(call, &it, (Word::Fail(verdict), body), it.since));
                    }
                }
            }
            if self.now >= it.until {
                let end = match it.failed {
                    Some((verdict, body)) => self.settle(call, &it, (Word::Fail(verdict), body), it.since),
                    None => self.cut(call, &it),
                };
                return (it, end);
            }
            if it.due.take_if(|due| *due <= self.now).is_none() {
                return (it, None);
            }
            let Some(token) = self.pay_for_second() else { return (it, None) };
            self.counts.hedges += 1;
            it.second = Some(Second { body: self.body(call, it.until), since: self.now, token: Some(token) });
        }
    }

    /// Everything that a second copy pays, or nothing.
    fn pay_for_second(&mut self) -> Option<Token> {
        if !self.breaker.is_closed() || !self.gate.try_enter() {
            return None;
        }
        if self.pace.try_now(self.now) {
            if let Some(token) = self.budget.take(Timeout) {
                return Some(token.started());
            }
            self.pace.give_back(self.now, self.now);
        }
        self.gate.release(self.now);
        None
    }

    /// One of two permits comes back, and the second copy's token has been for nothing.
    fn end_second(&mut self, attempt: &Attempt) {
        if let Some(Second { token, .. }) = attempt.second {
            self.gate.release(self.now);
            self.budget.is_over(token);
        }
    }
}

fn is_answer(word: Word) -> bool {
    match word {
        Word::Answer => true,
        Word::Fail(verdict) => verdict.class == Permanent,
        Word::Panic => false,
    }
}

// ===== after an attempt =====

impl Model {
    /// `None`: one more attempt.
    fn settle(&mut self, call: &mut Call, it: &Attempt, (word, body): (Word, u32), since: u64) -> Option<End> {
        self.end_second(it);
        let slow = self.now - since > SLOW;
        self.counts.slow += u64::from(slow);
        let sample = match word {
            Word::Answer => Sample::Success { slow },
            Word::Fail(verdict) => match verdict.class {
                Permanent => Sample::Success { slow },
                Throttled => Sample::Throttled,
                _ => Sample::Failure { slow },
            },
            Word::Panic => unreachable!(),
        };
        self.attempt_was(call, sample);
        match word {
            Word::Fail(verdict) => self.ask(call, verdict, Last { sample, error: Some((verdict, body)) }),
            _ => {
                self.counts.succeeded += 1;
                self.budget.succeeded(call.token.take());
                self.call_was(call, sample);
                Some(End::Answered { body })
            }
        }
    }

    /// Out of time.
    fn cut(&mut self, call: &mut Call, it: &Attempt) -> Option<End> {
        self.end_second(it);
        let late = Sample::Failure { slow: true };
        if it.until < call.deadline {
            self.reject(RejectedKind::TimedOut { limit_ms: 0 });
            self.attempt_was(call, late);
            return self.ask(call, Verdict::TIMEOUT, Last { sample: late, error: None });
        }
        let ran = self.now - it.since;
        let to_blame = if call.own_deadline { it.retried || 2 * ran >= TIMEOUT } else { ran > SLOW };
        let sample = if to_blame { late } else { Sample::Neutral };
        self.attempt_was(call, sample);
        self.call_was(call, sample);
        self.reject(RejectedKind::Deadline);
        self.stop(Stop::NoTime);
        Some(End::Rejected { kind: RejectedKind::Deadline, retry_after: None, why: Some(Stop::NoTime) })
    }

    fn panicked(&mut self, call: &Call, it: &Attempt) -> End {
        self.end_second(it);
        self.counts.panicked += 1;
        self.hear(call, Sample::Failure { slow: false });
        End::Panicked
    }

    /// Verdict, retries left, time, breaker, a token; in this order.
    fn ask(&mut self, call: &mut Call, verdict: Verdict, last: Last) -> Option<End> {
        if matches!(verdict.class, Overloaded | Permanent) {
            return Some(self.call_off(call, last, Stop::NotRepeatable));
        }
        self.budget.failed();
        let why = if call.attempt > self.kind.retries {
            Stop::Exhausted
        } else if self.now + BACKOFF + TIMEOUT / 2 > call.deadline {
            Stop::NoTime
        } else if self.forbids(call) {
            Stop::CircuitOpen
        } else {
            // The last retry's is over before the next one's is asked for.
            self.budget.is_over(call.token.take());
            call.token = self.budget.take(verdict.class);
            if call.token.is_some() {
                call.phase = Phase::Backoff { until: self.now + BACKOFF, last };
                return None;
            }
            Stop::Budget
        };
        Some(self.call_off(call, last, why))
    }

    fn forbids(&self, call: &Call) -> bool {
        !self.breaker.is_closed() || call.ticket.is_some_and(|ticket| ticket.probe.is_some())
    }

    /// After the backoff: time, breaker, rate limit.
    fn resume(&mut self, call: &mut Call, last: Last) -> Result<(), Stop> {
        if self.now >= call.deadline {
            return Err(Stop::NoTime);
        }
        if self.forbids(call) {
            return Err(Stop::CircuitOpen);
        }
        if self.turn(call).map_err(|_| Stop::RateLimit)? {
            self.counts.retries += 1;
            call.token = call.token.map(Token::started);
            self.run(call, true);
        } else if let Some(until) = call.turn {
            call.phase = Phase::Backoff { until, last };
        }
        Ok(())
    }

    /// It ends as its last attempt did.
    fn call_off(&mut self, call: &Call, last: Last, why: Stop) -> End {
        self.call_was(call, last.sample);
        self.stop(why);
        self.fail(last.error.map_or(Timeout, |(verdict, _)| verdict.class));
        match last.error {
            Some((verdict, body)) => End::Failed { verdict, body, why },
            None => {
                // Only an attempt that had all its time is cut by its timeout.
                let kind = RejectedKind::TimedOut { limit_ms: TIMEOUT as u32 };
                End::Rejected { kind, retry_after: None, why: Some(why) }
            }
        }
    }

    fn fail(&mut self, class: Class) {
        self.counts.failed += 1;
        *match class {
            Transient => &mut self.counts.transient,
            Timeout => &mut self.counts.timeout,
            Throttled => &mut self.counts.throttled,
            Overloaded => &mut self.counts.overloaded,
            _ => &mut self.counts.permanent,
        } += 1;
    }

    fn stop(&mut self, why: Stop) {
        *self.counts.stops.entry(why.as_str()).or_default() += 1;
    }

    /// A probe is both: an attempt and its call.
    fn is_told_of_attempts(&self, call: &Call) -> bool {
        self.kind.by_attempt && call.ticket.is_some_and(|ticket| ticket.probe.is_none())
    }

    fn attempt_was(&mut self, call: &Call, sample: Sample) {
        if self.is_told_of_attempts(call) {
            self.hear(call, sample);
        }
    }

    fn call_was(&mut self, call: &Call, sample: Sample) {
        if !self.is_told_of_attempts(call) {
            self.hear(call, sample);
        }
    }

    fn hear(&mut self, call: &Call, sample: Sample) {
        if let Some(ticket) = call.ticket {
            self.breaker.hear(ticket, sample, self.now);
        }
    }
}
