//! Retries as a share of the calls in flight, as Envoy bounds them.

use crate::sync::atomic::{AtomicU64, Ordering};

/// One retry in flight per this many calls in flight: 20 % `[stack, §2.7]`.
const CALLS_PER_RETRY: u32 = 5;

/// This many retries may run whatever the traffic: a share of few calls would be none.
const FLOOR: u32 = 3;

/// Calls in flight, and the retries and hedges granted among them, in one word: calls in the upper half, retries in
/// the lower. In one word, so that a check and its count cannot be parted.
#[derive(Debug, Default)]
pub(super) struct Share(AtomicU64);

const CALL: u64 = 1 << 32;

impl Share {
    pub(super) fn call_started(&self) {
        self.0.fetch_add(CALL, Ordering::Relaxed);
    }

    pub(super) fn call_ended(&self) {
        self.less(CALL);
    }

    /// A place for one more retry; kept until it is given back.
    pub(super) fn take(&self) -> bool {
        let taken = |word| (retries(word) < limit(word)).then_some(word + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    pub(super) fn give_back(&self) {
        self.less(1);
    }

    /// How many more retries may start.
    pub(super) fn left(&self) -> u32 {
        let word = self.0.load(Ordering::Relaxed);
        limit(word).saturating_sub(retries(word))
    }

    /// How many retries may run at once.
    pub(super) fn limit(&self) -> u32 {
        limit(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// One less of a half that is not zero: what began before the counts were cleared ends unnoticed.
    fn less(&self, one: u64) {
        let counted = |word| if one == CALL { calls(word) } else { retries(word) };
        let fewer = |word: u64| (counted(word) > 0).then(|| word - one);
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
    }
}

fn calls(word: u64) -> u32 {
    (word >> 32) as u32
}

fn retries(word: u64) -> u32 {
    word as u32
}

fn limit(word: u64) -> u32 {
    (calls(word) / CALLS_PER_RETRY).max(FLOOR)
}
