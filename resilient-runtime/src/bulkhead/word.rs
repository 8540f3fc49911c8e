//! A gate in one atomic word, so that a call passes it with one read and one write.

/// Set while somebody waits: whoever gives a permit back then looks at the queue, and nobody takes one past it.
pub(super) const WAITING: u64 = 1 << 32;
const LIMIT_SHIFT: u32 = 33;
const LARGEST_LIMIT: u32 = u32::MAX >> 1;

/// `limit << 33 | WAITING | used`. With all three in one word, no call is admitted by a limit that is no longer in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(pub(super) u64);

impl Word {
    pub(super) fn of(limit: u32) -> Self {
        Self(0).with_limit(limit)
    }

    pub(super) fn used(self) -> u32 {
        self.0 as u32
    }

    pub(super) fn limit(self) -> u32 {
        (self.0 >> LIMIT_SHIFT) as u32
    }

    pub(super) fn waits(self) -> bool {
        self.0 & WAITING != 0
    }

    /// Two thousand million permits are as good as no limit, so a larger one becomes that.
    pub(super) fn with_limit(self, limit: u32) -> Self {
        let low = self.0 & ((1 << LIMIT_SHIFT) - 1);
        Self(u64::from(limit.min(LARGEST_LIMIT)) << LIMIT_SHIFT | low)
    }
}
