//! The rate limit: credit that grows with time. In milliseconds of time, of which a permit costs [`INTERVAL`]; below zero
//! it is what those in line have been promised.

use super::{BURST, INTERVAL, MAX_TURN};

#[derive(Debug)]
pub struct Pace {
    credit: i64,
    as_of: u64,
}

impl Pace {
    pub fn new() -> Self {
        Self { credit: BURST * INTERVAL, as_of: 0 }
    }

    fn at(&mut self, now: u64) -> i64 {
        self.credit = (self.credit + (now - self.as_of) as i64).min(BURST * INTERVAL);
        self.as_of = now;
        self.credit
    }

    /// The moment of a permit, within the longest wait and before the deadline; else the wait that it would take.
    pub fn reserve(&mut self, now: u64, deadline: u64) -> Result<u64, u64> {
        let wait = (INTERVAL - self.at(now)).max(0) as u64;
        if wait > 0 && (wait > MAX_TURN || now + wait >= deadline) {
            return Err(wait);
        }
        self.credit -= INTERVAL;
        Ok(now + wait)
    }

    pub fn try_now(&mut self, now: u64) -> bool {
        let free = self.at(now) >= INTERVAL;
        self.credit -= if free { INTERVAL } else { 0 };
        free
    }

    /// A permit for that moment was not used.
    pub fn give_back(&mut self, ready: u64, now: u64) {
        let credit = self.at(now);
        let last_in_line = now as i64 - credit;
        if now < ready {
            // Those behind it have moments of their own; only the last one's is free again.
            self.credit += if last_in_line == ready as i64 { INTERVAL } else { 0 };
        } else if credit >= 0 {
            // What has passed since might have been lost to a full bucket.
            self.credit += (INTERVAL - (now - ready) as i64).max(0);
        }
        self.at(now);
    }
}
