//! What happened when, counted in tenths of a second.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

/// Ten bins a second, so that "a whole second" may begin at any tenth.
pub const BINS: usize = 10;

/// The bins of these seconds.
pub const fn bins(seconds: Range<u32>) -> Range<usize> {
    seconds.start as usize * BINS..seconds.end as usize * BINS
}

/// What is counted. The first six belong to the moment at which the user tapped, the last two to the moment itself.
#[derive(Clone, Copy)]
pub enum Event {
    /// An action of a user.
    Offered,
    /// Of these, one that needs `stock`: a cart view or a checkout.
    Needed,
    /// A full answer within the user's patience: goodput.
    Full,
    /// A cart without badges within the user's patience.
    Degraded,
    /// A "not now" within the user's patience.
    Refused,
    /// A user who left without an answer.
    Left,
    /// A request of an app.
    Attempt,
    /// A call that reached `stock`.
    StockCall,
}

/// What happened when.
pub struct Tally {
    start: Instant,
    bins: Vec<[AtomicU64; 8]>,
}

impl Tally {
    /// Counts what happens in `seconds` from `start`, and nothing before or after.
    pub fn new(start: Instant, seconds: u32) -> Self {
        Self { start, bins: bins(0..seconds).map(|_| Default::default()).collect() }
    }

    pub fn add(&self, event: Event, at: Instant) {
        let Some(since) = at.checked_duration_since(self.start) else { return };
        if let Some(bin) = self.bins.get((since.as_secs_f64() * BINS as f64) as usize) {
            bin[event as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn add_now(&self, event: Event) {
        self.add(event, Instant::now());
    }

    /// How often it happened in these bins.
    pub fn count(&self, event: Event, bins: Range<usize>) -> u64 {
        self.bins[bins].iter().map(|bin| bin[event as usize].load(Ordering::Relaxed)).sum()
    }

    /// How many of one for each of the other in these bins.
    pub fn ratio(&self, event: Event, of: Event, bins: Range<usize>) -> f64 {
        self.count(event, bins.clone()) as f64 / self.count(of, bins).max(1) as f64
    }
}
