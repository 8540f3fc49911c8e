//! The last good answers of one operation, for `fallback = cached`.
//!
//! Nothing of the user's (`Eq`, `Clone`, `Drop`) runs under a lock: entries are shared out as `Arc`s and looked at
//! outside, so that a guarded function may call itself from any of them.

use crate::{
    arguments::{Kept, Key},
    testing::cost,
    time::Moment,
};
use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// One store per type of answer; keys of different types are never equal, so that the instantiations of a generic
/// function do not mix.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    stores: Mutex<HashMap<TypeId, Arc<dyn AnyStore>>>,
    hasher: RandomState,
}

impl Cache {
    /// The hash of a key, by a secret of this operation: a caller cannot choose keys that collide.
    pub(crate) fn digest(&self, key: &Key<'_>) -> u64 {
        let mut state = self.hasher.build_hasher();
        key.iter().for_each(|part| part.feed(&mut state));
        state.finish()
    }

    pub(crate) fn store<V: Send + Sync + 'static>(&self, max_entries: u32) -> Arc<Store<V>> {
        let mut stores = lock(&self.stores);
        let store = stores.entry(TypeId::of::<V>()).or_insert_with(|| Arc::new(Store::<V>::new(max_entries)));
        store.clone().erased().downcast().expect("a store is listed under the type of its answers")
    }

    /// Forgets every answer.
    pub(crate) fn clear(&self) {
        let stores: Vec<_> = lock(&self.stores).values().cloned().collect();
        stores.iter().for_each(|store| store.clear());
    }
}

trait AnyStore: Send + Sync + std::fmt::Debug {
    fn clear(&self);
    fn erased(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// Answers by key, the least recently used of which goes first.
pub(crate) struct Store<V> {
    entries: Mutex<Entries<V>>,
    most: usize,
}

struct Entries<V> {
    /// By digest; keys that share one share a list.
    by_digest: HashMap<u64, Vec<Entry<V>>>,
    /// The digest of each entry by its last use, oldest first.
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

/// A key as it is kept, part by part.
type KeptKey = [Box<Kept>];

/// Whether `kept` was made from an equal key.
pub(crate) fn same(key: &Key<'_>, kept: &KeptKey) -> bool {
    key.len() == kept.len() && key.iter().zip(kept).all(|(part, kept)| part.same(&**kept))
}

struct Entry<V> {
    key: Arc<KeptKey>,
    value: Arc<V>,
    stored: Moment,
    used: u64,
}

impl<V> Store<V> {
    fn new(most: u32) -> Self {
        let entries = Entries { by_digest: HashMap::new(), by_use: BTreeMap::new(), uses: 0 };
        Self { entries: Mutex::new(entries), most: most.max(1) as usize }
    }

    /// The keys, as this store holds them, that are equal to `key`: one, or two for a moment where two calls stored
    /// their first answers at once.
    fn find(&self, digest: u64, key: &Key<'_>) -> Vec<Arc<KeptKey>> {
        let entries = lock(&self.entries);
        let Some(list) = entries.by_digest.get(&digest) else { return Vec::new() };
        let mut held: Vec<_> = list.iter().map(|entry| entry.key.clone()).collect();
        drop(entries);
        held.retain(|held| same(key, held));
        held
    }

    /// Keeps `value` as the last good answer to `key`.
    pub(crate) fn put(&self, digest: u64, key: &Key<'_>, value: V, now: Moment) {
        let held = self.find(digest, key);
        let kept = held.first().cloned().unwrap_or_else(|| key.iter().map(|part| part.keep()).collect());
        let value = Arc::new(value);
        // What leaves the store is dropped after the lock: an answer's own drop is the user's code.
        let _gone = {
            let mut entries = lock(&self.entries);
            let old: Vec<_> = held.iter().map(|held| entries.remove(digest, held)).collect();
            let oldest = if entries.by_use.len() >= self.most { entries.remove_oldest() } else { None };
            entries.insert(digest, Entry { key: kept, value, stored: now, used: 0 });
            (old, oldest)
        };
    }

    /// The last good answer to `key` and its age, unless it is older than `max_stale`.
    pub(crate) fn get(
        &self,
        digest: u64,
        key: &Key<'_>,
        max_stale: Duration,
        now: Moment,
    ) -> Option<(Arc<V>, Duration)> {
        let held = self.find(digest, key);
        let mut found = Vec::new();
        {
            let mut entries = lock(&self.entries);
            found.extend(held.iter().filter_map(|held| entries.remove(digest, held)));
            found.sort_by_key(|entry| entry.stored);
            if found.last().is_some_and(|entry| now.since(entry.stored) <= max_stale) {
                let newest = found.pop()?;
                let answer = (newest.value.clone(), now.since(newest.stored));
                entries.insert(digest, newest);
                return Some(answer);
            }
        }
        None
    }

    /// Forgets the answer to `key`.
    pub(crate) fn remove(&self, digest: u64, key: &Key<'_>) {
        let held = self.find(digest, key);
        let _gone: Vec<_> = {
            let mut entries = lock(&self.entries);
            held.iter().filter_map(|held| entries.remove(digest, held)).collect()
        };
    }
}

impl<V> Entries<V> {
    fn insert(&mut self, digest: u64, entry: Entry<V>) {
        self.uses += 1;
        self.by_use.insert(self.uses, digest);
        self.by_digest.entry(digest).or_default().push(Entry { used: self.uses, ..entry });
    }

    fn remove(&mut self, digest: u64, key: &Arc<KeptKey>) -> Option<Entry<V>> {
        self.take(digest, |entry| Arc::ptr_eq(&entry.key, key))
    }

    fn remove_oldest(&mut self) -> Option<Entry<V>> {
        let (used, digest) = self.by_use.first_key_value().map(|(used, digest)| (*used, *digest))?;
        self.take(digest, |entry| entry.used == used)
    }

    fn take(&mut self, digest: u64, which: impl Fn(&Entry<V>) -> bool) -> Option<Entry<V>> {
        let list = self.by_digest.get_mut(&digest)?;
        let entry = list.swap_remove(list.iter().position(which)?);
        if list.is_empty() {
            self.by_digest.remove(&digest);
        }
        self.by_use.remove(&entry.used);
        Some(entry)
    }
}

impl<V: Send + Sync + 'static> AnyStore for Store<V> {
    fn clear(&self) {
        let empty = Entries { by_digest: HashMap::new(), by_use: BTreeMap::new(), uses: 0 };
        let _gone = std::mem::replace(&mut *lock(&self.entries), empty);
    }

    fn erased(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl<V> std::fmt::Debug for Store<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({} of {})", lock(&self.entries).by_use.len(), self.most)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    cost::lock();
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arguments::KeyPart, time::now};

    const SEC: Duration = Duration::from_secs(1);

    /// Runs `f` with the key of one part.
    fn keyed<R, T: KeyPart + ?Sized>(part: &T, f: impl FnOnce(&Key<'_>) -> R) -> R {
        f(&[T::part(&part)])
    }

    fn put<T: KeyPart + ?Sized>(store: &Store<u32>, digest: u64, part: &T, value: u32, now: Moment) {
        keyed(part, |key| store.put(digest, key, value, now));
    }

    fn get<T: KeyPart + ?Sized>(store: &Store<u32>, digest: u64, part: &T, now: Moment) -> Option<(u32, Duration)> {
        keyed(part, |key| store.get(digest, key, SEC, now)).map(|(value, age)| (*value, age))
    }

    #[test]
    fn an_answer_is_found_by_equal_arguments_only() {
        let store = Store::new(10);
        // One digest for all, as if their hashes collided.
        put(&store, 7, "a", 1, now());
        put(&store, 7, "b", 2, now());
        put(&store, 7, &b"a"[..], 3, now());
        let got = |part: &str| get(&store, 7, part, now()).map(|(value, _)| value);
        assert_eq!((got("a"), got("b"), got("c")), (Some(1), Some(2), None));
        keyed("a", |key| store.remove(7, key));
        assert_eq!((got("a"), got("b")), (None, Some(2)));
    }

    #[test]
    fn the_newest_answer_replaces_the_older_one_and_ages() {
        let store = Store::new(10);
        let then = now();
        put(&store, 1, "a", 1, then);
        put(&store, 1, "a", 2, then);
        assert_eq!(get(&store, 1, "a", then.after(SEC)), Some((2, SEC)));
        assert!(get(&store, 1, "a", then.after(SEC * 2)).is_none());
        assert!(lock(&store.entries).by_use.is_empty());
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let store = Store::new(2);
        put(&store, 1, "a", 1, now());
        put(&store, 2, "b", 2, now());
        get(&store, 1, "a", now());
        put(&store, 3, "c", 3, now());
        let has = |digest, part: &str| get(&store, digest, part, now()).is_some();
        assert_eq!((has(1, "a"), has(2, "b"), has(3, "c")), (true, false, true));
    }

    #[test]
    fn a_flood_of_keys_keeps_the_bound() {
        let store = Store::new(100);
        for n in 0..100_000u32 {
            put(&store, n.into(), &n, n, now());
        }
        let entries = lock(&store.entries);
        assert_eq!((entries.by_use.len(), entries.by_digest.len()), (100, 100));
    }

    #[test]
    fn two_types_of_answer_do_not_mix_and_all_are_forgotten_at_once() {
        let cache = Cache::default();
        keyed("a", |key| {
            let digest = cache.digest(key);
            cache.store::<u32>(10).put(digest, key, 1, now());
            assert!(cache.store::<u64>(10).get(digest, key, SEC, now()).is_none());
            assert!(cache.store::<u32>(10).get(digest, key, SEC, now()).is_some());
            cache.clear();
            assert!(cache.store::<u32>(10).get(digest, key, SEC, now()).is_none());
        });
    }
}
