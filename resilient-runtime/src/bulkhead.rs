//! The limit on concurrent calls: a counter that gives itself back.

use crate::sync::atomic::{AtomicU32, Ordering};

/// A gate of so many permits.
#[derive(Debug)]
pub(crate) struct Gate {
    limit: AtomicU32,
    used: AtomicU32,
}

impl Gate {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit: AtomicU32::new(limit), used: AtomicU32::new(0) }
    }

    pub(crate) fn limit(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Changes the size; permits above a smaller size retire as they come back.
    pub(crate) fn resize(&self, limit: u32) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    /// A permit, if one is free now.
    pub(crate) fn try_acquire(&'static self) -> Option<Permit> {
        let limit = self.limit();
        let taken = |used: u32| (used < limit).then_some(used + 1);
        // Acquire pairs with the Release of a permit given back: what its holder wrote is seen by the next one.
        self.used.fetch_update(Ordering::Acquire, Ordering::Relaxed, taken).ok().map(|_| Permit(self))
    }
}

/// A place behind the gate, until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit(&'static Gate);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.used.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(limit: u32) -> &'static Gate {
        Box::leak(Box::new(Gate::new(limit)))
    }

    #[test]
    fn admits_exactly_its_size_and_one_more_per_permit_given_back() {
        let gate = gate(3);
        let mut held: Vec<_> = (0..3).map(|_| gate.try_acquire().unwrap()).collect();
        assert!(gate.try_acquire().is_none());
        held.pop();
        held.push(gate.try_acquire().unwrap());
        assert!(gate.try_acquire().is_none());
        drop(held);
        assert_eq!(gate.used(), 0);
    }

    #[test]
    fn a_smaller_size_keeps_who_is_inside_and_admits_nobody_until_below_it() {
        let gate = gate(4);
        let mut held: Vec<_> = (0..4).map(|_| gate.try_acquire().unwrap()).collect();
        gate.resize(3);
        held.pop();
        assert!(gate.try_acquire().is_none());
        held.pop();
        assert!(gate.try_acquire().is_some());
    }

    #[test]
    fn threads_never_get_more_permits_than_there_are() {
        let gate = gate(2);
        let most = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        if let Some(_permit) = gate.try_acquire() {
                            most.fetch_max(gate.used(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(gate.used(), 0);
        assert!(most.into_inner() <= 2);
    }
}
