//! The states by key: so many and no more.
//!
//! States are slots of a pool that grows up to the bound and is reused after that, so that every handle is a plain
//! `&'static` and a flood of keys costs bounded memory. A call holds a [`Lease`] on its state; nobody takes a leased
//! state away. A lease begins under a lock of the map that whoever takes a state away holds alone, and it ends without
//! any lock.
//!
//! A known key costs one lookup. A new one takes the pool's lock and looks at no more than [`SAMPLE`] slots, where the
//! hand of a clock comes by: what is forgotten there is freed, and where the pool is full, the least recently used of
//! them goes. No slot is looked at without a new key, so there is no background task.

use crate::{
    sync::{
        Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
        lock,
    },
    time::Moment,
};
use dashmap::DashMap;
use std::{fmt, sync::Arc, time::Duration};

/// States of one name.
pub(super) const MOST: usize = 10_000;

/// A key for which no call came in for so long is forgotten.
pub(super) const IDLE: Duration = Duration::from_secs(600);

/// Slots that one new key may look at.
pub(super) const SAMPLE: usize = 8;

/// How far the hand moves: far, since keys that came together are used together, and by a prime above [`MOST`], so that
/// it comes by every slot.
const STRIDE: usize = 16_183;

/// A guard's state that there may be one of per key.
pub(crate) trait State: Send + Sync + 'static {
    /// What all states of a name have in common.
    type Settings: Copy + PartialEq + fmt::Debug + Send;

    /// A new state.
    fn new(settings: Self::Settings) -> Self;

    /// A written setting replaces a default one.
    fn adopt(&self, settings: Self::Settings);

    /// Is as if it were new. Nobody has a lease on it.
    fn recycle(&self, settings: Self::Settings, at: Moment);

    /// Whether it may be forgotten once its key has not been used for long: no permit of it is out, and it keeps nobody
    /// away for longer than that.
    fn is_idle(&self, at: Moment) -> bool;

    /// Whether it keeps somebody away now. Such a state makes no room for another key.
    fn is_refusing(&self, at: Moment) -> bool;
}

/// The states of one name, by key.
pub(crate) struct Keyed<T: State> {
    /// Changed under the pool's lock only.
    states: DashMap<Arc<str>, &'static Slot<T>>,
    pool: Mutex<Pool<T>>,
    most: usize,
}

/// Every slot there is.
struct Pool<T: State> {
    settings: T::Settings,
    slots: Vec<&'static Slot<T>>,
    /// Whose each of them is.
    keys: Vec<Option<Arc<str>>>,
    /// Those that are nobody's, by their places.
    free: Vec<usize>,
    /// Where the next look begins.
    hand: usize,
    /// One state for all who found no other.
    overflow: Option<&'static Slot<T>>,
    overflowed: u64,
    evicted: u64,
}

struct Slot<T> {
    state: T,
    place: usize,
    /// Leases on it.
    users: AtomicU32,
    made: Moment,
    /// Nanoseconds from `made` to the last use.
    used: AtomicU64,
}

/// How many states there are and what became of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyedCounts {
    /// Keys with a state of their own.
    pub(crate) states: usize,
    /// Calls that shared one state, since there was no room for their key.
    pub(crate) overflowed: u64,
    /// Keys that were forgotten.
    pub(crate) evicted: u64,
}

impl<T: State> Keyed<T> {
    pub(crate) fn new(settings: T::Settings) -> Self {
        Self::of(MOST, settings)
    }

    pub(super) fn of(most: usize, settings: T::Settings) -> Self {
        let pool = Pool {
            settings,
            slots: Vec::new(),
            keys: Vec::new(),
            free: Vec::new(),
            hand: 0,
            overflow: None,
            overflowed: 0,
            evicted: 0,
        };
        Self { states: DashMap::new(), pool: Mutex::new(pool), most }
    }

    /// A written setting replaces a default one in every state.
    pub(crate) fn adopt(&self, settings: T::Settings) {
        let mut pool = lock(&self.pool);
        pool.settings = settings;
        pool.slots.iter().chain(&pool.overflow).for_each(|slot| slot.state.adopt(settings));
    }

    /// The state of this key, made if it is new; where there is no room for one more, the state that all such keys share.
    pub(crate) fn get(&self, key: &str, at: Moment) -> Lease<T> {
        match self.states.get(key) {
            Some(slot) if !slot.is_forgotten(at) => slot.lease(at),
            found => {
                // The pool's lock is taken before the map's, never after.
                drop(found);
                self.admit(key, at)
            }
        }
    }

    #[cold]
    fn admit(&self, key: &str, at: Moment) -> Lease<T> {
        let mut pool = lock(&self.pool);
        if let Some((_, slot)) = self.states.remove_if(key, |_, slot| slot.is_forgotten(at)) {
            pool.vacate(slot.place);
        } else if let Some(slot) = self.states.get(key) {
            // Another thread brought the same key first.
            return slot.lease(at);
        }
        let Some(slot) = self.room(&mut pool, at) else { return pool.overflow(at) };
        let key: Arc<str> = key.into();
        pool.keys[slot.place] = Some(key.clone());
        let lease = slot.lease(at);
        self.states.insert(key, slot);
        lease
    }

    /// A slot that is nobody's.
    fn room(&self, pool: &mut Pool<T>, at: Moment) -> Option<&'static Slot<T>> {
        let spare = self.sweep(pool, at);
        if pool.free.is_empty() && pool.slots.len() < self.most {
            return Some(pool.grow(at));
        }
        if pool.free.is_empty() {
            // What was spare a moment ago may be in use by now.
            for slot in spare {
                if self.take_away(pool, slot, |slot| slot.is_spare(at)) {
                    break;
                }
            }
        }
        let slot = pool.slots[pool.free.pop()?];
        slot.used.store(0, Ordering::Relaxed);
        slot.state.recycle(pool.settings, at);
        Some(slot)
    }

    /// Moves the hand on: frees what is forgotten, and says what else could go, the least recently used first.
    fn sweep(&self, pool: &mut Pool<T>, at: Moment) -> Vec<&'static Slot<T>> {
        let mut spare = Vec::with_capacity(SAMPLE);
        for _ in 0..SAMPLE.min(pool.slots.len()) {
            let slot = pool.slots[pool.hand];
            pool.hand = (pool.hand + STRIDE) % pool.slots.len();
            if slot.is_forgotten(at) {
                self.take_away(pool, slot, |slot| slot.is_forgotten(at));
            } else if pool.slots.len() == self.most && slot.is_spare(at) {
                spare.push(slot);
            }
        }
        spare.sort_by_key(|slot| slot.used());
        spare
    }

    /// Takes a slot away from its key, unless `may` no longer holds of it.
    fn take_away(&self, pool: &mut Pool<T>, slot: &'static Slot<T>, may: impl Fn(&Slot<T>) -> bool) -> bool {
        let Some(key) = &pool.keys[slot.place] else { return false };
        // Asked under the lock of the map: no lease can begin between the answer and the end of the key.
        let gone = self.states.remove_if(&**key, |_, slot| may(slot)).is_some();
        if gone {
            pool.vacate(slot.place);
        }
        gone
    }

    /// The state of a key that has one: no use of it, and no room is made.
    #[cfg(all(test, not(resilient_loom)))]
    pub(crate) fn find(&self, key: &str) -> Option<Lease<T>> {
        self.states.get(key).map(|slot| slot.hold())
    }

    /// Every key and its state, in no order. `each` runs under a lock of the map, and must not ask for a state.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&str, &T)) {
        self.states.iter().for_each(|entry| each(entry.key(), &entry.value().state));
    }

    pub(crate) fn counts(&self) -> KeyedCounts {
        let pool = lock(&self.pool);
        KeyedCounts { states: self.states.len(), overflowed: pool.overflowed, evicted: pool.evicted }
    }

    /// Slots that were ever made.
    #[cfg(all(test, not(resilient_loom)))]
    pub(super) fn slots(&self) -> usize {
        lock(&self.pool).slots.len()
    }
}

impl<T: State> fmt::Debug for Keyed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl<T: State> Pool<T> {
    fn grow(&mut self, at: Moment) -> &'static Slot<T> {
        let slot = Slot::leaked(self.settings, self.slots.len(), at);
        self.slots.push(slot);
        self.keys.push(None);
        slot
    }

    fn vacate(&mut self, place: usize) {
        self.keys[place] = None;
        self.free.push(place);
        self.evicted += 1;
    }

    fn overflow(&mut self, at: Moment) -> Lease<T> {
        self.overflowed += 1;
        let settings = self.settings;
        self.overflow.get_or_insert_with(|| Slot::leaked(settings, usize::MAX, at)).lease(at)
    }
}

impl<T: State> Slot<T> {
    fn leaked(settings: T::Settings, place: usize, at: Moment) -> &'static Self {
        let (state, users, used) = (T::new(settings), AtomicU32::new(0), AtomicU64::new(0));
        Box::leak(Box::new(Self { state, place, users, made: at, used }))
    }

    fn lease(&'static self, at: Moment) -> Lease<T> {
        let used = u64::try_from(at.since(self.made).as_nanos()).unwrap_or(u64::MAX);
        // The maximum: a thread that read its clock earlier must not make the key older.
        self.used.fetch_max(used, Ordering::Relaxed);
        self.hold()
    }

    fn hold(&'static self) -> Lease<T> {
        self.users.fetch_add(1, Ordering::Relaxed);
        Lease { slot: self }
    }

    fn used(&self) -> Moment {
        self.made.after(Duration::from_nanos(self.used.load(Ordering::Relaxed)))
    }

    fn is_held(&self) -> bool {
        // Acquire pairs with the Release of a lease's end: what its holder did to the state comes before the next key.
        self.users.load(Ordering::Acquire) > 0
    }

    /// Whether nobody has used it for too long.
    fn is_forgotten(&self, at: Moment) -> bool {
        at.since(self.used()) >= IDLE && !self.is_held() && self.state.is_idle(at)
    }

    /// Whether it could make room for another key.
    fn is_spare(&self, at: Moment) -> bool {
        !self.is_held() && self.state.is_idle(at) && !self.state.is_refusing(at)
    }
}

/// One call's hold on a state: while it lasts, the state stays its key's.
pub(crate) struct Lease<T: State> {
    slot: &'static Slot<T>,
}

impl<T: State> Lease<T> {
    /// The state. A handle that outlives the lease may find the state to be another key's.
    pub(crate) fn state(&self) -> &'static T {
        &self.slot.state
    }

    #[cfg(all(test, not(resilient_loom)))]
    pub(super) fn is_overflow(&self) -> bool {
        self.slot.place == usize::MAX
    }
}

impl<T: State> fmt::Debug for Lease<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("place", &self.slot.place).finish_non_exhaustive()
    }
}

impl<T: State> Drop for Lease<T> {
    fn drop(&mut self) {
        self.slot.users.fetch_sub(1, Ordering::Release);
    }
}
