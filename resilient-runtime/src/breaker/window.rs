//! What a breaker remembers of its calls.

use super::{
    Sample, cost,
    successes::{BUCKETS, Successes, tick},
};
use crate::time::Moment;
use resilient_policy::Breaker as Settings;

/// The calls that the rates are taken over. Changed under the breaker's lock; the fast successes of a time window stand
/// beside it, in [`Successes`].
#[derive(Debug)]
pub(super) enum Window {
    Count(Count),
    Time(Time),
}

/// What one counted call was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) failed: bool,
    pub(super) slow: bool,
}

/// What a window holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) calls: u32,
    pub(super) failures: u32,
    pub(super) slow: u32,
    /// Failures since the last call that did not fail.
    pub(super) in_a_row: u32,
}

impl Sample {
    /// The call that a window counts, if it counts this.
    pub(super) fn counted(self) -> Option<Call> {
        match self {
            Self::Success { slow } => Some(Call { failed: false, slow }),
            Self::Failure { slow } => Some(Call { failed: true, slow }),
            Self::Throttled | Self::Neutral => None,
        }
    }
}

impl Call {
    pub(super) fn is_fast_success(self) -> bool {
        !self.failed && !self.slow
    }
}

impl Window {
    pub(super) fn new(settings: &Settings) -> Self {
        match settings.window {
            resilient_policy::Window::Count { size, max_age } => {
                let ring = vec![Call::default(); size.max(1) as usize].into_boxed_slice();
                let ages = max_age.map(|limit| {
                    let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
                    Ages { limit, ended: vec![0; ring.len()].into_boxed_slice() }
                });
                Self::Count(Count { ring, ages, next: 0, tally: Tally::default() })
            }
            resilient_policy::Window::Time { .. } => {
                Self::Time(Time { width: width(settings), ring: [Bucket::default(); BUCKETS as usize] })
            }
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Count(count) => (count.next, count.tally) = (0, Tally::default()),
            Self::Time(time) => time.ring = [Bucket::default(); BUCKETS as usize],
        }
    }

    pub(super) fn push(&mut self, call: Call, at: Moment, successes: &Successes) {
        match self {
            Self::Count(count) => count.push(call, at),
            Self::Time(time) => time.push(call, at, successes),
        }
    }

    /// What counts as of `at`; `fast` says how many fast successes a time window holds.
    pub(super) fn tally(&mut self, at: Moment, fast: impl FnOnce() -> u64) -> Tally {
        match self {
            Self::Count(count) => {
                count.forget_old(at);
                count.tally
            }
            Self::Time(time) => time.tally(at, fast()),
        }
    }

    /// Full of fast successes that never grow old: one more changes nothing, wherever in the ring it would go.
    pub(super) fn is_spotless(&self) -> bool {
        match self {
            Self::Count(Count { ring, ages, tally, .. }) => {
                ages.is_none() && tally.calls as usize == ring.len() && tally.failures == 0 && tally.slow == 0
            }
            Self::Time(_) => false,
        }
    }
}

/// Nanoseconds of one bucket of a time window, rounded down: no call is remembered for longer than the span.
pub(super) fn width(settings: &Settings) -> u64 {
    match settings.window {
        resilient_policy::Window::Time { span } => {
            (u64::try_from(span.as_nanos()).unwrap_or(u64::MAX) / BUCKETS).max(1)
        }
        resilient_policy::Window::Count { .. } => 1,
    }
}

/// The last calls as a ring, with running counts: O(1) per call.
#[derive(Debug)]
pub(super) struct Count {
    ring: Box<[Call]>,
    ages: Option<Ages>,
    next: usize,
    tally: Tally,
}

/// When each call of a ring ended, where calls grow too old to count.
#[derive(Debug)]
struct Ages {
    /// Nanoseconds from which on a call no longer counts.
    limit: u64,
    /// Nanoseconds on the clock.
    ended: Box<[u64]>,
}

impl Ages {
    /// A call that ended in the future, by a clock that jumped back, is not old.
    fn is_too_old(&self, place: usize, at: Moment) -> bool {
        at.nanos().saturating_sub(self.ended[place]) >= self.limit
    }
}

impl Count {
    fn push(&mut self, call: Call, at: Moment) {
        self.forget_old(at);
        if self.tally.calls as usize == self.ring.len() {
            self.forget_oldest();
        }
        cost::touch();
        self.ring[self.next] = call;
        if let Some(ages) = &mut self.ages {
            ages.ended[self.next] = at.nanos();
        }
        self.next = (self.next + 1) % self.ring.len();
        self.tally.calls += 1;
        self.tally.failures += u32::from(call.failed);
        self.tally.slow += u32::from(call.slow);
        self.tally.in_a_row = if call.failed { self.tally.in_a_row.saturating_add(1) } else { 0 };
    }

    /// Drops the oldest calls while they are too old. Each call is dropped once, so this is O(1) per call.
    fn forget_old(&mut self, at: Moment) {
        while self.tally.calls > 0 && self.ages.as_ref().is_some_and(|ages| ages.is_too_old(self.oldest(), at)) {
            self.forget_oldest();
            // What was before the oldest call is older still.
            self.tally.in_a_row = self.tally.in_a_row.min(self.tally.calls);
        }
    }

    fn forget_oldest(&mut self) {
        cost::touch();
        let oldest = self.ring[self.oldest()];
        self.tally.calls -= 1;
        self.tally.failures -= u32::from(oldest.failed);
        self.tally.slow -= u32::from(oldest.slow);
    }

    fn oldest(&self) -> usize {
        (self.next + self.ring.len() - self.tally.calls as usize) % self.ring.len()
    }
}

/// What was not a fast success in the last ten buckets of time. A bucket starts again as one of [`Successes`] does.
#[derive(Debug)]
pub(super) struct Time {
    /// Nanoseconds of one bucket, at least 1.
    width: u64,
    ring: [Bucket; BUCKETS as usize],
}

#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    tick: u64,
    /// Failures and slow successes; the other three count among them.
    tally: Tally,
}

impl Time {
    fn push(&mut self, call: Call, at: Moment, successes: &Successes) {
        if !call.failed {
            self.end_run();
        }
        if call.is_fast_success() {
            successes.count(at, || true);
            return;
        }
        let tick = tick(at, self.width);
        let bucket = &mut self.ring[(tick % BUCKETS) as usize];
        cost::touch();
        if bucket.tick != tick {
            *bucket = Bucket { tick, tally: Tally::default() };
        }
        let add = |count: &mut u32, one: bool| *count = count.saturating_add(u32::from(one));
        add(&mut bucket.tally.calls, true);
        add(&mut bucket.tally.failures, call.failed);
        add(&mut bucket.tally.slow, call.slow);
        add(&mut bucket.tally.in_a_row, call.failed);
    }

    fn tally(&self, at: Moment, fast: u64) -> Tally {
        let now = tick(at, self.width);
        let recent = |bucket: &&Bucket| now.checked_sub(bucket.tick).is_some_and(|age| age < BUCKETS);
        let fast = Tally { calls: u32::try_from(fast).unwrap_or(u32::MAX), ..Tally::default() };
        self.ring.iter().inspect(|_| cost::touch()).filter(recent).fold(fast, |sum, bucket| sum.plus(bucket.tally))
    }

    /// The most failures and slow calls that any look could find here, and when the last of them has left, in nanoseconds
    /// on the clock.
    pub(super) fn worst(&self) -> (Tally, u64) {
        let tally = self.ring.iter().fold(Tally::default(), |sum, bucket| sum.plus(bucket.tally));
        let last = self.ring.iter().filter(|bucket| bucket.tally.calls > 0).map(|bucket| bucket.tick).max();
        (tally, last.map_or(0, |tick| tick.saturating_add(BUCKETS).saturating_mul(self.width)))
    }

    /// Whether the last call failed.
    pub(super) fn in_a_run(&self) -> bool {
        self.ring.iter().any(|bucket| bucket.tally.in_a_row > 0)
    }

    /// The last call did not fail.
    pub(super) fn end_run(&mut self) {
        self.ring.iter_mut().for_each(|bucket| bucket.tally.in_a_row = 0);
    }
}

impl Tally {
    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            failures: self.failures.saturating_add(other.failures),
            slow: self.slow.saturating_add(other.slow),
            in_a_row: self.in_a_row.saturating_add(other.in_a_row),
        }
    }
}
