//! Calls that ask the same thing at the same time: one of them asks, the others wait for its answer.
//!
//! The one that asks *leads* a flight, the others *follow* it. A leader that is gone without an answer hands the flight
//! to the follower who came first. Nothing of the user's (`Eq`, `Clone`, `Drop`, wakers) runs under a lock.

mod flight;
#[cfg(all(test, resilient_loom))]
mod loom_tests;
#[cfg(all(test, not(resilient_loom)))]
mod tests;

use crate::{
    arguments::{Kept, Key},
    cache::same,
    sync::{Mutex, lock},
};
use flight::Flight;
pub(crate) use flight::{Arrival, Follower, Lead};
use std::{any::Any, collections::HashMap, fmt, sync::Arc};

/// The flights of one operation that are under way: as many as it has leaders.
#[derive(Default)]
pub(crate) struct Flights {
    /// By digest of their keys; keys that share one share a list.
    under_way: Mutex<HashMap<u64, Vec<Arc<dyn AnyFlight>>>>,
}

/// A flight whose answer may be of any type: the instantiations of a generic function do not mix.
trait AnyFlight: Send + Sync {
    fn key(&self) -> &[Box<Kept>];
    fn erased(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// What a call is to its flight.
pub(crate) enum Role<A: Send + Sync + 'static> {
    /// It asks.
    Lead(Lead<A>),
    /// It waits for what the leader is answered.
    Follow(Follower<A>),
}

impl Flights {
    /// Follows the flight for an equal key, or leads one.
    pub(crate) fn join<A: Send + Sync + 'static>(&'static self, digest: u64, key: &Key<'_>) -> Role<A> {
        let mut seen: Vec<Arc<dyn AnyFlight>> = Vec::new();
        let mut new = None;
        loop {
            let unseen = {
                let mut under_way = lock(&self.under_way);
                let list = under_way.get(&digest).map_or(&[][..], Vec::as_slice);
                let unseen: Vec<_> = list.iter().filter(|flight| !is_in(&seen, flight)).cloned().collect();
                match new.take() {
                    Some(new) if unseen.is_empty() => {
                        under_way.entry(digest).or_default().push(Arc::clone(&new) as Arc<dyn AnyFlight>);
                        return Role::Lead(Lead::of(new));
                    }
                    _ => unseen,
                }
            };
            // Compared outside of the lock; what sets out meanwhile is compared in the next round.
            let equal = unseen.iter().filter(|flight| same(key, flight.key()));
            let typed = equal.filter_map(|flight| flight.clone().erased().downcast::<Flight<A>>().ok());
            if let Some(follower) = typed.filter_map(Follower::of).next() {
                return Role::Follow(follower);
            }
            seen.extend(unseen);
            new = Some(Arc::new(Flight::new(self, digest, key.iter().map(|part| part.keep()).collect())));
        }
    }

    /// Whoever asks from now on asks anew.
    fn remove(&self, digest: u64, gone: &dyn AnyFlight) {
        let _gone = {
            let mut under_way = lock(&self.under_way);
            let Some(list) = under_way.get_mut(&digest) else { return };
            let at = list.iter().position(|flight| std::ptr::addr_eq(Arc::as_ptr(flight), gone));
            let gone = at.map(|at| list.swap_remove(at));
            if list.is_empty() {
                under_way.remove(&digest);
            }
            gone
        };
    }

    #[cfg(test)]
    fn under_way(&self) -> usize {
        lock(&self.under_way).values().map(Vec::len).sum()
    }
}

fn is_in(seen: &[Arc<dyn AnyFlight>], flight: &Arc<dyn AnyFlight>) -> bool {
    seen.iter().any(|seen| std::ptr::addr_eq(Arc::as_ptr(seen), Arc::as_ptr(flight)))
}

impl fmt::Debug for Flights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flights({} digests)", lock(&self.under_way).len())
    }
}
