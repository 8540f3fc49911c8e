//! The last good answers of one operation, for `fallback = cached`.
//!
//! Nothing of the user's (`Eq`, `Clone`, `Drop`) runs under a lock: entries are shared out as `Arc`s and looked at
//! outside, so that a guarded function may call itself from any of them.

use crate::{arguments::Key, time::Moment};
use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// One store per type of key and answer: the instantiations of a generic function do not mix.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    stores: Mutex<HashMap<TypeId, Arc<dyn AnyStore>>>,
    hasher: RandomState,
}

impl Cache {
    /// The hash of a key, by a secret of this operation: a caller cannot choose keys that collide.
    pub(crate) fn digest<K: Key>(&self, key: &K) -> u64 {
        let mut state = self.hasher.build_hasher();
        key.digest(&mut state);
        std::hash::Hasher::finish(&state)
    }

    pub(crate) fn store<K: Key, V: Send + Sync + 'static>(&self, max_entries: u32) -> Arc<Store<K::Kept, V>> {
        let mut stores = lock(&self.stores);
        let store = stores
            .entry(TypeId::of::<Store<K::Kept, V>>())
            .or_insert_with(|| Arc::new(Store::<K::Kept, V>::new(max_entries)));
        store.clone().erased().downcast().expect("a store is listed under its own type")
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
pub(crate) struct Store<K, V> {
    entries: Mutex<Entries<K, V>>,
    most: usize,
}

struct Entries<K, V> {
    /// By digest; keys that share one share a list.
    by_digest: HashMap<u64, Vec<Entry<K, V>>>,
    /// The digest of each entry by its last use, oldest first.
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

struct Entry<K, V> {
    key: Arc<K>,
    value: Arc<V>,
    stored: Moment,
    used: u64,
}

impl<K, V> Store<K, V> {
    fn new(most: u32) -> Self {
        let entries = Entries { by_digest: HashMap::new(), by_use: BTreeMap::new(), uses: 0 };
        Self { entries: Mutex::new(entries), most: most.max(1) as usize }
    }

    /// The keys, as this store holds them, that are equal to `key`: one, or two for a moment where two calls stored
    /// their first answers at once.
    fn find<Q: Key<Kept = K>>(&self, digest: u64, key: &Q) -> Vec<Arc<K>> {
        let entries = lock(&self.entries);
        let Some(list) = entries.by_digest.get(&digest) else { return Vec::new() };
        let mut held: Vec<_> = list.iter().map(|entry| entry.key.clone()).collect();
        drop(entries);
        held.retain(|held| key.same(held));
        held
    }

    /// Keeps `value` as the last good answer to `key`.
    pub(crate) fn put<Q: Key<Kept = K>>(&self, digest: u64, key: &Q, value: V, now: Moment) {
        let held = self.find(digest, key);
        let kept = held.first().cloned().unwrap_or_else(|| Arc::new(key.keep()));
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
    pub(crate) fn get<Q: Key<Kept = K>>(
        &self,
        digest: u64,
        key: &Q,
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
    pub(crate) fn remove<Q: Key<Kept = K>>(&self, digest: u64, key: &Q) {
        let held = self.find(digest, key);
        let _gone: Vec<_> = {
            let mut entries = lock(&self.entries);
            held.iter().filter_map(|held| entries.remove(digest, held)).collect()
        };
    }
}

impl<K, V> Entries<K, V> {
    fn insert(&mut self, digest: u64, entry: Entry<K, V>) {
        self.uses += 1;
        self.by_use.insert(self.uses, digest);
        self.by_digest.entry(digest).or_default().push(Entry { used: self.uses, ..entry });
    }

    fn remove(&mut self, digest: u64, key: &Arc<K>) -> Option<Entry<K, V>> {
        self.take(digest, |entry| Arc::ptr_eq(&entry.key, key))
    }

    fn remove_oldest(&mut self) -> Option<Entry<K, V>> {
        let (used, digest) = self.by_use.first_key_value().map(|(used, digest)| (*used, *digest))?;
        self.take(digest, |entry| entry.used == used)
    }

    fn take(&mut self, digest: u64, which: impl Fn(&Entry<K, V>) -> bool) -> Option<Entry<K, V>> {
        let list = self.by_digest.get_mut(&digest)?;
        let entry = list.swap_remove(list.iter().position(which)?);
        if list.is_empty() {
            self.by_digest.remove(&digest);
        }
        self.by_use.remove(&entry.used);
        Some(entry)
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> AnyStore for Store<K, V> {
    fn clear(&self) {
        let empty = Entries { by_digest: HashMap::new(), by_use: BTreeMap::new(), uses: 0 };
        let _gone = std::mem::replace(&mut *lock(&self.entries), empty);
    }

    fn erased(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl<K, V> std::fmt::Debug for Store<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({} of {})", lock(&self.entries).by_use.len(), self.most)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::now;

    const SEC: Duration = Duration::from_secs(1);

    fn key(part: &str) -> (&str,) {
        (part,)
    }

    #[test]
    fn an_answer_is_found_by_equal_arguments_only() {
        let store = Store::<(String,), u32>::new(10);
        // One digest for both, as if their hashes collided.
        store.put(7, &key("a"), 1, now());
        store.put(7, &key("b"), 2, now());
        let got = |part| store.get(7, &key(part), SEC, now()).map(|(value, _)| *value);
        assert_eq!((got("a"), got("b"), got("c")), (Some(1), Some(2), None));
        store.remove(7, &key("a"));
        assert_eq!((got("a"), got("b")), (None, Some(2)));
    }

    #[test]
    fn the_newest_answer_replaces_the_older_one_and_ages() {
        let store = Store::<(String,), u32>::new(10);
        let then = now();
        store.put(1, &key("a"), 1, then);
        store.put(1, &key("a"), 2, then);
        let (value, age) = store.get(1, &key("a"), SEC, then.after(SEC)).unwrap();
        assert_eq!((*value, age), (2, SEC));
        assert!(store.get(1, &key("a"), SEC, then.after(SEC * 2)).is_none());
        assert!(lock(&store.entries).by_use.is_empty());
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let store = Store::<(String,), u32>::new(2);
        store.put(1, &key("a"), 1, now());
        store.put(2, &key("b"), 2, now());
        store.get(1, &key("a"), SEC, now());
        store.put(3, &key("c"), 3, now());
        let has = |digest, part| store.get(digest, &key(part), SEC, now()).is_some();
        assert_eq!((has(1, "a"), has(2, "b"), has(3, "c")), (true, false, true));
    }

    #[test]
    fn a_flood_of_keys_keeps_the_bound() {
        let store = Store::<(u64,), u64>::new(100);
        for n in 0..100_000u64 {
            store.put(n, &(&n,), n, now());
        }
        let entries = lock(&store.entries);
        assert_eq!((entries.by_use.len(), entries.by_digest.len()), (100, 100));
    }

    #[test]
    fn two_types_of_answer_do_not_mix_and_all_are_forgotten_at_once() {
        let cache = Cache::default();
        let digest = cache.digest(&key("a"));
        cache.store::<(&str,), u32>(10).put(digest, &key("a"), 1, now());
        assert!(cache.store::<(&str,), u64>(10).get(digest, &key("a"), SEC, now()).is_none());
        assert!(cache.store::<(&str,), u32>(10).get(digest, &key("a"), SEC, now()).is_some());
        cache.clear();
        assert!(cache.store::<(&str,), u32>(10).get(digest, &key("a"), SEC, now()).is_none());
    }
}
