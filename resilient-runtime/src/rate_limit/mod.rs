//! The limit on attempts per time: a permit each, for now or for a promised moment.
//!
//! A [token bucket](bucket) paces, in one atomic word; with `strict` a [log of the last grants](window) behind a short
//! lock also counts what any window of the rate's own time has seen.

mod bucket;
#[cfg(all(test, resilient_loom))]
mod loom_tests;
#[cfg(all(test, not(resilient_loom)))]
mod tests;
mod window;

use crate::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
        lock,
    },
    time::Moment,
};
use bucket::Pace;
use resilient_policy::RateLimit;
use std::time::Duration;
use window::Window;

/// How far ahead of its own promises a state may be before the clock, and not a slow thread, is to blame.
const SKEW: u64 = 10_000_000_000;

/// A limiter of one name. Times inside are nanoseconds since the clock's origin, and not since it was made: a clock that
/// went back to before that would stand still for it.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// When the bucket is full again, if nobody else comes: the one word that a permit changes.
    full_at: AtomicU64,
    interval: AtomicU64,
    reach: AtomicU64,
    max_wait: AtomicU64,
    strict: AtomicBool,
    window: Mutex<Window>,
}

/// No permit now, nor within the wait that is allowed. Nothing was reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// When the next permit is to be had; `None`: never.
    pub(crate) retry_after: Option<Duration>,
}

impl RateLimiter {
    pub(crate) fn new(settings: &RateLimit) -> Self {
        let limiter = Self {
            // As if it had been full for ever.
            full_at: AtomicU64::new(0),
            interval: AtomicU64::new(0),
            reach: AtomicU64::new(0),
            max_wait: AtomicU64::new(0),
            strict: AtomicBool::new(false),
            window: Mutex::new(Window::new(settings)),
        };
        limiter.adopt(settings);
        limiter
    }

    /// Written settings replace default ones; what was granted still counts.
    pub(crate) fn adopt(&self, settings: &RateLimit) {
        let pace = Pace::of(settings);
        lock(&self.window).adopt(settings);
        self.interval.store(pace.interval, Ordering::Relaxed);
        self.reach.store(pace.reach, Ordering::Relaxed);
        self.max_wait.store(nanos(settings.max_wait), Ordering::Relaxed);
        self.strict.store(settings.strict, Ordering::Relaxed);
    }

    /// The state of another key from here on: full, as if new.
    pub(crate) fn recycle(&self, settings: &RateLimit, at: Moment) {
        let mut window = lock(&self.window);
        *window = Window::new(settings);
        // Full is a bucket that has been full since now at the latest.
        self.full_at.store(at.nanos(), Ordering::Relaxed);
        drop(window);
        self.adopt(settings);
    }

    /// Whether nothing that was granted counts any longer, so that a new state would give the same answers.
    pub(crate) fn is_idle(&self, at: Moment) -> bool {
        let at = at.nanos();
        self.full_at.load(Ordering::Relaxed) <= at && lock(&self.window).is_idle(at)
    }

    /// Whether no permit is free now.
    pub(crate) fn is_spent(&self, at: Moment) -> bool {
        let at = at.nanos();
        let next = self.pace().earliest(self.full_at.load(Ordering::Relaxed));
        next > at || (self.strict.load(Ordering::Relaxed) && lock(&self.window).earliest() > at)
    }

    /// A permit for one attempt: now, or at a later moment within `max_wait` and before `deadline`.
    ///
    /// Moments are promised in the order of asking. `at` is a fresh reading of the clock: a moment more than ten
    /// seconds old would pass for a clock that went back.
    pub(crate) fn reserve(&'static self, at: Moment, deadline: Moment) -> Result<Reservation, Refused> {
        let (at, deadline) = (at.nanos(), deadline.nanos());
        let latest = at.saturating_add(self.max_wait.load(Ordering::Relaxed)).min(deadline.saturating_sub(1));
        self.take(at, latest.max(at))
    }

    /// A permit for now, if there is one.
    pub(crate) fn try_now(&'static self, at: Moment) -> Option<Reservation> {
        let at = at.nanos();
        self.take(at, at).ok()
    }

    fn take(&'static self, at: u64, latest: u64) -> Result<Reservation, Refused> {
        if self.strict.load(Ordering::Relaxed) { self.take_strictly(at, latest) } else { self.take_paced(at, latest) }
    }

    fn take_paced(&'static self, at: u64, latest: u64) -> Result<Reservation, Refused> {
        let pace = self.pace();
        // Relaxed, here and below: the word is all there is to agree on.
        let mut found = self.full_at.load(Ordering::Relaxed);
        loop {
            let full_at = self.believable(pace, found, at);
            let taken = pace.take(full_at, at, at, latest);
            let after = taken.map_or(full_at, |(_, after)| after);
            if after != found {
                let swapped = self.full_at.compare_exchange_weak(found, after, Ordering::Relaxed, Ordering::Relaxed);
                if let Err(now) = swapped {
                    found = now;
                    continue;
                }
            }
            return match taken {
                Ok((ready, full_at)) => Ok(Reservation { limiter: self, ready, stamp: ready, full_at }),
                Err(retry_after) => Err(Refused { retry_after }),
            };
        }
    }

    /// The same with two conditions that must agree on one moment, so it takes the lock.
    fn take_strictly(&'static self, at: u64, latest: u64) -> Result<Reservation, Refused> {
        let pace = self.pace();
        let mut window = lock(&self.window);
        window.believe(at, self.promised_until(at));
        let full_at = self.believable(pace, self.full_at.load(Ordering::Relaxed), at);
        let taken = pace.take(full_at, window.earliest().max(at), at, latest);
        let (ready, after) = taken.map_err(|retry_after| {
            self.full_at.store(full_at, Ordering::Relaxed);
            Refused { retry_after }
        })?;
        self.full_at.store(after, Ordering::Relaxed);
        let stamp = window.push(ready, at);
        Ok(Reservation { limiter: self, ready, stamp, full_at: after })
    }

    fn give_back(&self, reservation: &Reservation, at: Moment) {
        let (at, pace) = (at.nanos(), self.pace());
        // Both or neither: the lock is held until the bucket has changed, too.
        let mut window = self.strict.load(Ordering::Relaxed).then(|| lock(&self.window));
        if let Some(window) = &mut window {
            window.remove(reservation.stamp);
        }
        let returned = |full_at| pace.give_back(full_at, (reservation.ready, reservation.full_at), at);
        let _ = self.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, returned);
    }

    /// `full_at`, unless it lies further ahead than any promise reaches: then the clock went back, and the limiter goes
    /// on from an empty bucket, which neither waits for the old time nor lets a burst through.
    fn believable(&self, pace: Pace, full_at: u64, at: u64) -> u64 {
        let empty = pace.empty(at);
        if full_at > pace.empty(self.promised_until(at)) { empty } else { full_at }
    }

    fn promised_until(&self, at: u64) -> u64 {
        at.saturating_add(self.max_wait.load(Ordering::Relaxed)).saturating_add(SKEW)
    }

    fn pace(&self) -> Pace {
        Pace { interval: self.interval.load(Ordering::Relaxed), reach: self.reach.load(Ordering::Relaxed) }
    }
}

/// A permit for one attempt; gives itself back when it is dropped unspent.
#[derive(Debug)]
#[must_use]
pub(crate) struct Reservation {
    limiter: &'static RateLimiter,
    ready: u64,
    /// What the strict window knows it by.
    stamp: u64,
    /// The bucket after it was granted, by which the last in line is known.
    full_at: u64,
}

impl Reservation {
    /// When the attempt may start; not after now if it may at once.
    pub(crate) fn ready_at(&self) -> Moment {
        Moment::ORIGIN.after(Duration::from_nanos(self.ready))
    }

    /// The attempt starts.
    pub(crate) fn spend(self) {
        std::mem::forget(self);
    }

    /// What a drop does, by the caller's reading of the clock.
    #[cfg(test)]
    pub(crate) fn give_back(self, at: Moment) {
        self.limiter.give_back(&self, at);
        std::mem::forget(self);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.limiter.give_back(self, crate::time::now());
    }
}

/// In nanoseconds, 584 years at the most.
fn nanos(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX)
}
