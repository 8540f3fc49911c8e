//! How long an operation's attempts take, for a hedge that waits for a percentile of them.
//!
//! Counts in buckets that are each a sixteenth of a power of two wide, from a microsecond to an hour: a percentile is
//! off by 3.2 % of itself at the most. A sample that was cut short, a hedge's loser or a timeout, is known to have taken at least
//! so long; it moves to whoever took longer, so that losers do not make the percentile small, and more hedges smaller
//! still.

#[cfg(all(test, resilient_loom))]
mod loom_tests;
#[cfg(all(test, not(resilient_loom)))]
mod tests;

use crate::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    time::Moment,
};
use std::time::Duration;

/// Buckets per power of two.
const PARTS: u64 = 16;
/// The finest difference is 64 ns, so that a microsecond is the first that has its sixteenth.
const UNIT_BITS: u32 = 6;
/// 16 of one unit, then 32 powers of two up to 73 minutes. Loom gets by with fewer.
const BUCKETS: usize = if cfg!(resilient_loom) { 4 } else { 16 * 33 };

/// A percentile is good for this long: the scan that finds one reads 2 112 counts, and there is a call for each.
const REFRESH: Duration = Duration::from_millis(100);

/// A generation of samples ends when it is this old and this large: a busy operation is seen through its last 30 to 60
/// seconds.
const FRESH: Duration = Duration::from_secs(30);
const ENOUGH: u64 = 1_000;
/// Or when it is this old: a quiet operation is seen through its last 5 to 10 minutes.
const STALE: Duration = Duration::from_secs(300);

/// The durations of one operation, 8.5 kB. A sample costs one atomic addition.
#[derive(Debug)]
pub(crate) struct Histogram {
    generations: [Generation; 2],
    /// Which of them grows.
    current: AtomicUsize,
    /// Since when it does; nanoseconds since the epoch, as all times here.
    since: AtomicU64,
    /// Held by the one thread that turns generations or scans. Nobody waits for it.
    busy: AtomicBool,
    /// What was found last with the question that it answers, and when.
    answer: AtomicU64,
    answered: AtomicU64,
    epoch: Moment,
}

/// Counts of samples by bucket.
#[derive(Debug)]
struct Generation {
    whole: Box<[AtomicU32]>,
    /// By the age at which they were cut short.
    cut: Box<[AtomicU32]>,
}

impl Generation {
    fn new() -> Self {
        let counts = || (0..BUCKETS).map(|_| AtomicU32::new(0)).collect();
        Self { whole: counts(), cut: counts() }
    }

    fn counts(&self) -> impl Iterator<Item = &AtomicU32> {
        self.whole.iter().chain(&self.cut)
    }

    fn samples(&self) -> u64 {
        self.counts().map(|count| u64::from(count.load(Ordering::Relaxed))).sum()
    }

    fn clear(&self) {
        self.counts().for_each(|count| count.store(0, Ordering::Relaxed));
    }
}

impl Histogram {
    pub(crate) fn new(at: Moment) -> Self {
        Self {
            generations: [Generation::new(), Generation::new()],
            current: AtomicUsize::new(0),
            since: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            answer: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            epoch: at,
        }
    }

    /// An attempt that ended took this long.
    pub(crate) fn record(&self, took: Duration, at: Moment) {
        self.generation().whole[bucket(took)].fetch_add(1, Ordering::Relaxed);
        self.grow_old(at);
    }

    /// An attempt was ended by somebody else after this long: it would have taken longer.
    pub(crate) fn record_censored(&self, ran: Duration, at: Moment) {
        self.generation().cut[bucket(ran)].fetch_add(1, Ordering::Relaxed);
        self.grow_old(at);
    }

    /// What the share `p` of the recent attempts does not exceed; where it falls among those that were cut short, no less
    /// than any of them had run. `None` before there are `min_samples`, those included.
    ///
    /// One answer is kept for a tenth of a second: another `p` or `min_samples` is another question.
    pub(crate) fn percentile(&self, p: f64, min_samples: u32, at: Moment) -> Option<Duration> {
        let at = self.since_epoch(at);
        let question = question(p, min_samples);
        // Acquire pairs with the Release below: an answer is as new as its time says, or newer.
        let answered = self.answered.load(Ordering::Acquire);
        let kept = self.answer.load(Ordering::Relaxed);
        let usable = kept >> POINT_BITS == question && kept & POINT_MASK != NONE;
        // Before there are enough samples whoever asks looks, so that the first answer is there with the first call that
        // may use it.
        if usable && at.abs_diff(answered) < nanos(REFRESH) {
            return Some(value(kept & POINT_MASK));
        }
        let Some(_turn) = self.turn() else {
            return usable.then(|| value(kept & POINT_MASK));
        };
        self.rotate(at);
        let point = self.scan(p, min_samples).unwrap_or(NONE);
        self.answer.store(question << POINT_BITS | point, Ordering::Relaxed);
        self.answered.store(at, Ordering::Release);
        (point != NONE).then(|| value(point))
    }

    /// The point of the percentile, by the product-limit estimate (Kaplan and Meier): of those who ran that long, those
    /// who ended then are the share that does not go on.
    fn scan(&self, p: f64, min_samples: u32) -> Option<u64> {
        let count = |counts: fn(&Generation) -> &[AtomicU32], bucket: usize| -> u64 {
            self.generations.iter().map(|known| u64::from(counts(known)[bucket].load(Ordering::Relaxed))).sum()
        };
        let mut running: u64 = self.generations.iter().map(Generation::samples).sum();
        if running == 0 || running < u64::from(min_samples) {
            return None;
        }
        let (mut goes_on, mut longest) = (1.0, 0);
        for bucket in 0..BUCKETS {
            let (whole, cut) = (count(|known| &known.whole, bucket), count(|known| &known.cut, bucket));
            if whole + cut == 0 {
                continue;
            }
            longest = bucket;
            if whole > 0 {
                goes_on *= 1.0 - whole as f64 / running.max(whole) as f64;
                if 1.0 - goes_on + 1e-9 >= p {
                    return Some(middle(bucket));
                }
            }
            running = running.saturating_sub(whole + cut);
        }
        // Nobody who ended took that long, so it is longer than all that was seen.
        Some(end(longest))
    }

    fn generation(&self) -> &Generation {
        // Acquire pairs with the Release of a turn: a sample does not go where the clearing is still to come.
        &self.generations[self.current.load(Ordering::Acquire)]
    }

    /// Turns generations where nobody asks for a percentile, too.
    fn grow_old(&self, at: Moment) {
        let at = self.since_epoch(at);
        if at.saturating_sub(self.since.load(Ordering::Relaxed)) >= nanos(STALE) {
            if let Some(_turn) = self.turn() {
                self.rotate(at);
            }
        }
    }

    /// Starts a generation where the current one is due, in the place of the one before.
    fn rotate(&self, at: u64) {
        let since = self.since.load(Ordering::Relaxed);
        let age = at.saturating_sub(since);
        let current = self.current.load(Ordering::Relaxed);
        let due = age >= nanos(STALE) || (age >= nanos(FRESH) && self.generations[current].samples() >= ENOUGH);
        if !due {
            // A clock that went back starts the count of the time again.
            self.since.fetch_min(at, Ordering::Relaxed);
            return;
        }
        let other = 1 - current;
        self.generations[other].clear();
        if age >= nanos(STALE * 2) {
            self.generations[current].clear();
        }
        self.since.store(at, Ordering::Relaxed);
        self.current.store(other, Ordering::Release);
    }

    fn turn(&self) -> Option<Turn<'_>> {
        let taken = self.busy.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        // Made only by who may: to drop one is to end the turn.
        taken.is_ok().then(|| Turn(&self.busy))
    }

    fn since_epoch(&self, at: Moment) -> u64 {
        nanos(at.since(self.epoch))
    }
}

/// The right to turn and scan, until it is dropped.
struct Turn<'a>(&'a AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// An answer is its question above, and a point below.
const POINT_BITS: u32 = 16;
const POINT_MASK: u64 = (1 << POINT_BITS) - 1;
const NONE: u64 = 0;

/// 48 bits that tell questions apart: a ten thousandth of a share, and any number of samples.
fn question(p: f64, min_samples: u32) -> u64 {
    (p.clamp(0.0, 1.0) * 10_000.0).round() as u64 | u64::from(min_samples) << 16
}

fn bucket(took: Duration) -> usize {
    let units = nanos(took) >> UNIT_BITS;
    let power = units.checked_ilog2().unwrap_or(0).saturating_sub(PARTS.ilog2());
    let place = u64::from(power) * PARTS + (units >> power);
    usize::try_from(place).unwrap_or(usize::MAX).min(BUCKETS - 1)
}

/// Points are half a bucket apart, so that a number says as much as a duration.
fn middle(bucket: usize) -> u64 {
    bucket as u64 * 2 + 1
}

fn end(bucket: usize) -> u64 {
    bucket as u64 * 2 + 2
}

fn value(point: u64) -> Duration {
    let (bucket, halves) = ((point - 1) / 2, (point - 1) % 2 + 1);
    let power = (bucket / PARTS).saturating_sub(1);
    let start = (bucket - power * PARTS) << power;
    Duration::from_nanos((start * 2 + (halves << power)) << (UNIT_BITS - 1))
}

fn nanos(d: Duration) -> u64 {
    u64::try_from(d.as_nanos()).unwrap_or(u64::MAX)
}
