//! The last calls of a breaker, as a ring.

use super::Sample;

/// The outcomes of the last `size` calls, with running counts: O(1) per call.
#[derive(Debug)]
pub(super) struct Window {
    ring: Box<[Outcome]>,
    next: usize,
    filled: usize,
    failures: u32,
    slow: u32,
    /// Failures since the last call that did not fail.
    in_a_row: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    failed: bool,
    slow: bool,
}

impl Window {
    /// An empty window; a size of 0, which the rules refuse, holds one call.
    pub(super) fn new(size: u32) -> Self {
        let ring = vec![Outcome::default(); size.max(1) as usize].into_boxed_slice();
        Self { ring, next: 0, filled: 0, failures: 0, slow: 0, in_a_row: 0 }
    }

    pub(super) fn clear(&mut self) {
        (self.next, self.filled, self.failures, self.slow, self.in_a_row) = (0, 0, 0, 0, 0);
    }

    pub(super) fn push(&mut self, sample: Sample) {
        let (failed, slow) = match sample {
            Sample::Success { slow } => (false, slow),
            Sample::Failure { slow } => (true, slow),
            Sample::Throttled | Sample::Neutral => return,
        };
        if self.filled == self.ring.len() {
            let oldest = self.ring[self.next];
            self.failures -= u32::from(oldest.failed);
            self.slow -= u32::from(oldest.slow);
        } else {
            self.filled += 1;
        }
        self.ring[self.next] = Outcome { failed, slow };
        self.next = (self.next + 1) % self.ring.len();
        self.failures += u32::from(failed);
        self.slow += u32::from(slow);
        self.in_a_row = if failed { self.in_a_row.saturating_add(1) } else { 0 };
    }

    pub(super) fn calls(&self) -> u32 {
        self.filled as u32
    }

    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    pub(super) fn slow(&self) -> u32 {
        self.slow
    }

    pub(super) fn in_a_row(&self) -> u32 {
        self.in_a_row
    }

    /// Full of fast successes: one more changes nothing, wherever in the ring it would go.
    pub(super) fn is_spotless(&self) -> bool {
        self.filled == self.ring.len() && self.failures == 0 && self.slow == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: Sample = Sample::Success { slow: false };
    const BAD: Sample = Sample::Failure { slow: false };

    #[test]
    fn cb_15_the_oldest_call_leaves_a_full_window() {
        let mut window = Window::new(4);
        let mut rates = Vec::new();
        for sample in [BAD, OK, OK, OK, OK] {
            window.push(sample);
            rates.push(f64::from(window.failures()) * 100.0 / f64::from(window.calls()));
        }
        assert_eq!(rates.iter().map(|rate| rate.round()).collect::<Vec<_>>(), [100.0, 50.0, 33.0, 25.0, 0.0]);
        assert!(window.is_spotless());
    }

    #[test]
    fn cb_16_slow_calls_and_failures_are_counted_apart() {
        let mut window = Window::new(2);
        let mut seen = Vec::new();
        for sample in [Sample::Failure { slow: true }, Sample::Success { slow: true }, OK, OK] {
            window.push(sample);
            seen.push((window.slow(), window.failures()));
        }
        assert_eq!(seen, [(1, 1), (2, 1), (1, 0), (0, 0)]);
    }

    #[test]
    fn a_window_agrees_with_a_plain_list_over_a_random_history() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand::rngs::StdRng::seed_from_u64(7);
        for size in [1, 2, 7, 20] {
            let (mut window, mut list) = (Window::new(size), Vec::new());
            for _ in 0..500 {
                let (failed, slow) = (random.random_bool(0.3), random.random_bool(0.2));
                window.push(if failed { Sample::Failure { slow } } else { Sample::Success { slow } });
                list.push((failed, slow));
                let last = &list[list.len().saturating_sub(size as usize)..];
                let count = |which: fn(&(bool, bool)) -> bool| last.iter().filter(|call| which(call)).count() as u32;
                assert_eq!(window.calls(), last.len() as u32);
                assert_eq!(window.failures(), count(|call| call.0));
                assert_eq!(window.slow(), count(|call| call.1));
                assert_eq!(window.in_a_row(), list.iter().rev().take_while(|call| call.0).count() as u32);
            }
        }
    }
}
