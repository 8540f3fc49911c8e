//! The trial of a half-open breaker: a few probes, and what they found out.

use super::Sample;
use crate::time::Moment;
use resilient_policy::Breaker as Settings;
use std::num::NonZeroU32;

/// The probes of one trial.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// One entry per probe in flight: its number, and when its slot is taken back from it.
    leases: Vec<(NonZeroU32, Moment)>,
    /// Probes so far: the number of the last one.
    sent: u32,
    passed: u32,
    failed: u32,
}

/// How many probes a trial has, and how many of them must pass. Numbers that could never close, which the rules refuse,
/// are taken for the nearest that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    probes: u32,
    passes: u32,
}

impl Terms {
    pub(super) fn of(settings: &Settings) -> Self {
        let probes = settings.probes.max(1);
        Self { probes, passes: settings.passes().clamp(1, probes) }
    }
}

/// What the probes have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Undecided,
    Passed,
    Failed,
}

impl Trial {
    pub(super) fn in_flight(&self) -> u32 {
        self.leases.len() as u32
    }

    pub(super) fn passed(&self) -> u32 {
        self.passed
    }

    /// A slot for one more probe, which is taken back after `expires`; else when the next one may come free.
    pub(super) fn admit(&mut self, at: Moment, expires: Moment, terms: Terms) -> Result<NonZeroU32, Option<Moment>> {
        let is_full = |trial: &Self| trial.passed.saturating_add(trial.in_flight()) >= terms.probes;
        if is_full(self) {
            self.leases.retain(|(_, expires)| at < *expires);
        }
        if is_full(self) {
            return Err(self.leases.iter().map(|(_, expires)| *expires).min().filter(|at| *at != Moment::NEVER));
        }
        self.sent = self.sent.wrapping_add(1);
        let number = NonZeroU32::new(self.sent).unwrap_or(NonZeroU32::MIN);
        self.leases.push((number, expires));
        Ok(number)
    }

    /// The probe's slot is taken back after `expires` instead.
    pub(super) fn hold(&mut self, probe: NonZeroU32, expires: Moment) {
        self.leases.iter_mut().filter(|(lease, _)| *lease == probe).for_each(|(_, until)| *until = expires);
    }

    /// A probe came back. One whose slot was taken back finds out whatever it does too late.
    pub(super) fn end(&mut self, probe: NonZeroU32, sample: Sample, terms: Terms) -> Verdict {
        let held = self.leases.len();
        self.leases.retain(|(lease, _)| *lease != probe);
        if self.leases.len() == held {
            return Verdict::Undecided;
        }
        match sample {
            Sample::Success { slow: false } | Sample::Throttled => self.passed += 1,
            Sample::Success { slow: true } | Sample::Failure { .. } => self.failed += 1,
            Sample::Neutral => {}
        }
        if self.passed >= terms.passes {
            Verdict::Passed
        } else if terms.probes.saturating_sub(self.failed) < terms.passes {
            Verdict::Failed
        } else {
            Verdict::Undecided
        }
    }
}
