//! The second copy of a slow read.

use core::time::Duration;

/// `hedge = p95` or `hedge = 20ms`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hedge {
    /// When the second copy starts.
    pub delay: HedgeDelay,
    /// `min_samples`: no hedge by percentile before this many; 100.
    pub min_samples: u32,
}

impl Hedge {
    /// Whether its delay is found in the latencies of the operation's own calls.
    #[must_use]
    pub const fn needs_samples(&self) -> bool {
        matches!(self.delay, HedgeDelay::Percentile(_))
    }
}

/// When the second copy starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HedgeDelay {
    /// After this long.
    After(Duration),
    /// Once slower than this share of the operation's own calls.
    Percentile(f64),
}
