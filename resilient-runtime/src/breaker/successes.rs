//! The fast successes of a time window, counted without a lock.

use super::cost;
use crate::{
    sync::atomic::{AtomicU64, Ordering},
    time::Moment,
};

/// Buckets of a time window; the fewest that are a ring where loom tries every order of touching them.
pub(super) const BUCKETS: u64 = if cfg!(resilient_loom) { 2 } else { 10 };

/// The number of the bucket that `at` falls into, counted from the clock's origin.
pub(super) fn tick(at: Moment, width: u64) -> u64 {
    at.nanos() / width
}

/// Fast successes in a ring of ten buckets, and from when on one of them has to be looked at more closely.
///
/// A bucket starts again when a call of another tick needs its place, so nothing has to be done as time passes, however
/// long that is. A call that stood still for a whole window between its look at the clock and its count takes the place
/// of a newer bucket: that is all that can be lost, the fast successes of one bucket, and it is what lets the window
/// recover from a clock that jumped back.
#[derive(Debug)]
pub(super) struct Successes {
    /// Nanoseconds of one bucket, at least 1.
    width: AtomicU64,
    ring: [AtomicU64; BUCKETS as usize],
    /// With so many fast successes or fewer, one more may complete the condition to open.
    alarm: AtomicU64,
    /// Nanoseconds on the clock from which on no failure and no slow call is in the window.
    clean_from: AtomicU64,
}

/// One bucket in one word: `era | round | count`.
///
/// The round is the tick without the place in the ring. A window must have been left alone for exactly 2³² times its
/// span for an old round to be taken for a new one. The era changes whenever the ring is emptied, so that a word read
/// before that does not compare equal after it, unless it was emptied 64 times meanwhile.
#[derive(Clone, Copy)]
struct Word(u64);

const COUNT_BITS: u32 = 26;
const ROUND_BITS: u32 = 32;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const ROUND_MASK: u64 = (1 << ROUND_BITS) - 1;

impl Word {
    fn count(self) -> u64 {
        self.0 & COUNT_MASK
    }

    fn round(self) -> u64 {
        (self.0 >> COUNT_BITS) & ROUND_MASK
    }

    /// One call more in this round; 67 million in one bucket are taken for any larger number.
    fn plus_one(self, round: u64) -> Self {
        if self.round() == round {
            return Self(if self.count() == COUNT_MASK { self.0 } else { self.0 + 1 });
        }
        let era = self.0 & !(ROUND_MASK << COUNT_BITS | COUNT_MASK);
        Self(era | round << COUNT_BITS | 1)
    }

    /// Empty, and of the next era.
    fn emptied(self) -> Self {
        Self((self.0 >> (COUNT_BITS + ROUND_BITS)).wrapping_add(1) << (COUNT_BITS + ROUND_BITS))
    }
}

fn round(tick: u64) -> u64 {
    (tick / BUCKETS) & ROUND_MASK
}

impl Successes {
    pub(super) fn new(width: u64) -> Self {
        Self {
            width: AtomicU64::new(width.max(1)),
            ring: std::array::from_fn(|_| AtomicU64::new(0)),
            alarm: AtomicU64::new(0),
            clean_from: AtomicU64::new(0),
        }
    }

    /// Counts one call, unless `is_current` turns false before it is in; says whether it was counted.
    pub(super) fn count(&self, at: Moment, is_current: impl Fn() -> bool) -> bool {
        loop {
            let width = self.width.load(Ordering::Acquire);
            let tick = tick(at, width);
            let bucket = &self.ring[(tick % BUCKETS) as usize];
            // Acquire pairs with the Release of an emptied ring: who reads a bucket of the new era then sees what ended
            // the old one, and who read one of the old era fails to exchange it.
            let old = bucket.load(Ordering::Acquire);
            if !is_current() {
                return false;
            }
            if self.width.load(Ordering::Acquire) != width {
                continue;
            }
            cost::touch();
            let new = Word(old).plus_one(round(tick)).0;
            // Acquire: see `settled`.
            if bucket.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return true;
            }
        }
    }

    /// Whether the window holds enough that failed, and little enough besides, for a fast success to complete the
    /// condition.
    pub(super) fn may_complete(&self, at: Moment) -> bool {
        at.nanos() < self.clean_from.load(Ordering::Acquire)
            && self.in_window(at, |bucket| bucket.load(Ordering::Acquire)) <= self.alarm.load(Ordering::Acquire)
    }

    /// Fast successes in the window as of `at`.
    pub(super) fn seen(&self, at: Moment) -> u64 {
        self.in_window(at, |bucket| bucket.load(Ordering::Acquire))
    }

    /// The same for a verdict, after [`watch`](Self::watch).
    ///
    /// Read by writing nothing into each bucket: either that comes after a success was counted, and the verdict sees the
    /// success; or before, and the success sees what `watch` said. So one of the two sees both, and no condition is
    /// complete without anybody noticing. (Two threads whose clocks stand on either side of a bucket's edge may leave it
    /// to the next call: the earlier does not count what is later than itself.)
    pub(super) fn settled(&self, at: Moment) -> u64 {
        self.in_window(at, |bucket| bucket.fetch_add(0, Ordering::AcqRel))
    }

    fn in_window(&self, at: Moment, read: impl Fn(&AtomicU64) -> u64) -> u64 {
        let now = tick(at, self.width.load(Ordering::Acquire));
        let mut calls = 0;
        for place in 0..BUCKETS {
            cost::touch();
            // The one tick of the last ten that belongs here; before the first ten of the clock there may be none.
            let Some(tick) = now.checked_sub((now % BUCKETS + BUCKETS - place) % BUCKETS) else { continue };
            let word = Word(read(&self.ring[place as usize]));
            if word.round() == round(tick) {
                calls += word.count();
            }
        }
        calls
    }

    /// From now on fast successes are looked at more closely until `clean_from`, where at most `alarm` of them are in.
    pub(super) fn watch(&self, alarm: u64, clean_from: u64) {
        self.alarm.store(alarm, Ordering::Release);
        self.clean_from.store(clean_from, Ordering::Release);
    }

    /// Empties the ring. Under the breaker's lock, and after whatever makes `is_current` false for older calls.
    pub(super) fn clear(&self) {
        self.watch(0, 0);
        for bucket in &self.ring {
            let emptied = |old: u64| Some(Word(old).emptied().0);
            let _ = bucket.fetch_update(Ordering::Release, Ordering::Relaxed, emptied);
        }
    }

    /// Empties the ring, with buckets of another width.
    pub(super) fn restart(&self, width: u64) {
        self.width.store(width.max(1), Ordering::Release);
        self.clear();
    }
}
