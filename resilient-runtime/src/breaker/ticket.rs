//! The ticket of an admitted call.

use super::{Breaker, Sample};
use crate::time::Moment;
use std::num::NonZeroU32;

/// One admitted call: stamped with the generation that admitted it, and neutral when dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    breaker: &'static Breaker,
    generation: u64,
    probe: Option<NonZeroU32>,
}

// It travels in every guarded future.
const _: () = assert!(size_of::<Ticket>() <= 24);

impl Ticket {
    pub(super) fn new(breaker: &'static Breaker, generation: u64, probe: Option<NonZeroU32>) -> Self {
        Self { breaker, generation, probe }
    }

    pub(crate) fn is_probe(&self) -> bool {
        self.probe.is_some()
    }

    /// Whether a repeat may follow: a probe is one attempt, and nothing repeats while the breaker is not closed.
    pub(crate) fn allows_retry(&self) -> bool {
        !self.is_probe() && self.breaker.is_closed()
    }

    /// Says what one attempt was, where every attempt counts, and keeps the ticket for the next one. A probe is one
    /// attempt, which [`record`](Self::record) ends, so for a probe this does nothing.
    pub(crate) fn sample(&self, sample: Sample, at: Moment) {
        if !self.is_probe() {
            self.breaker.record(self.generation, sample, at);
        }
    }

    /// A probe that has yet to wait has its slot until `expires`; for any other call this does nothing.
    pub(crate) fn hold(&self, expires: Moment) {
        if let Some(probe) = self.probe {
            self.breaker.hold_probe(self.generation, probe, expires);
        }
    }

    /// Says what the call was; a result of an older generation is ignored.
    pub(crate) fn record(mut self, sample: Sample, at: Moment) {
        match self.probe.take() {
            Some(probe) => self.breaker.end_probe(self.generation, probe, sample, at),
            None => self.breaker.record(self.generation, sample, at),
        }
        // What is left to drop is no probe, so its drop records nothing.
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(probe) = self.probe.take() {
            // A neutral end decides nothing, so nothing happens at this moment and it need not be read from the clock.
            self.breaker.end_probe(self.generation, probe, Sample::Neutral, Moment::NEVER);
        }
    }
}
