use super::{
    Keyed, KeyedCounts, Lease, Placeholder, State, StateKey,
    map::{IDLE, MOST, SAMPLE},
};
use crate::{
    breaker::{Breaker, Sample},
    time::{Moment, now},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::{
    cell::Cell,
    collections::HashMap,
    fmt,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

thread_local! {
    /// States that were asked whether they may go.
    static LOOKS: Cell<usize> = const { Cell::new(0) };
}

/// A state that says what the test tells it to.
#[derive(Debug, Default)]
struct Fake {
    settings: AtomicU64,
    busy: AtomicBool,
    refusing: AtomicBool,
    /// What its user wrote into it; 0 as long as it is new.
    mark: AtomicU64,
}

impl State for Fake {
    type Settings = u64;

    fn new(settings: u64) -> Self {
        Self { settings: AtomicU64::new(settings), ..Self::default() }
    }

    fn adopt(&self, settings: u64) {
        self.settings.store(settings, Relaxed);
    }

    fn recycle(&self, settings: u64, _: Moment) {
        self.settings.store(settings, Relaxed);
        self.busy.store(false, Relaxed);
        self.refusing.store(false, Relaxed);
        self.mark.store(0, Relaxed);
    }

    fn is_idle(&self, _: Moment) -> bool {
        LOOKS.set(LOOKS.get() + 1);
        !self.busy.load(Relaxed)
    }

    fn is_refusing(&self, _: Moment) -> bool {
        self.refusing.load(Relaxed)
    }
}

fn states(most: usize) -> Keyed<Fake> {
    Keyed::of(most, 1)
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn one_key_is_one_state_and_two_keys_are_two() {
    let (states, at) = (states(4), now());
    let (a, again, b) = (states.get("a", at), states.get("a", at), states.get("b", at));
    assert!(std::ptr::eq(a.state(), again.state()));
    assert!(!std::ptr::eq(a.state(), b.state()));
    assert_eq!(states.counts(), KeyedCounts { states: 2, overflowed: 0, evicted: 0 });
}

#[test]
fn a_key_unused_for_ten_minutes_is_forgotten_and_one_second_less_is_not() {
    for (unused, mark) in [(IDLE - SECOND, 7), (IDLE, 0)] {
        let (states, at) = (states(4), now());
        states.get("a", at).state().mark.store(7, Relaxed);
        assert_eq!(states.get("a", at.after(unused)).state().mark.load(Relaxed), mark);
        assert_eq!(states.slots(), 1);
    }
}

#[test]
fn a_new_key_frees_what_is_forgotten() {
    let (states, at) = (states(4), now());
    states.get("a", at);
    states.get("b", at.after(IDLE));
    states.get("c", at.after(IDLE));
    assert_eq!(states.counts(), KeyedCounts { states: 2, overflowed: 0, evicted: 1 });
    assert_eq!(states.slots(), 2);
}

#[test]
fn the_least_recently_used_makes_room() {
    let (states, at) = (states(2), now());
    states.get("a", at);
    states.get("b", at.after(SECOND));
    states.get("a", at.after(SECOND * 2));
    states.get("c", at.after(SECOND * 3));
    assert!(states.find("a").is_some() && states.find("b").is_none() && states.find("c").is_some());
}

#[test]
fn a_state_in_use_is_never_recycled() {
    let (states, at) = (states(1), now());
    let held = states.get("a", at);
    held.state().mark.store(7, Relaxed);
    for n in 0..100_u64 {
        assert!(states.get(&n.to_string(), at.after(IDLE * 2)).is_overflow());
    }
    assert_eq!(held.state().mark.load(Relaxed), 7);
    assert!(std::ptr::eq(states.get("a", at.after(IDLE * 2)).state(), held.state()));
    drop(held);
    assert!(!states.get("b", at.after(IDLE * 4)).is_overflow());
}

#[test]
fn what_refuses_is_kept_and_new_keys_share_one_state() {
    let (states, at) = (states(2), now());
    for key in ["a", "b"] {
        states.get(key, at).state().refusing.store(true, Relaxed);
    }
    let (c, d) = (states.get("c", at), states.get("d", at));
    assert!(std::ptr::eq(c.state(), d.state()));
    assert_eq!(states.counts(), KeyedCounts { states: 2, overflowed: 2, evicted: 0 });
    // As soon as one does not refuse any more, the next key has a state of its own.
    states.find("a").unwrap().state().refusing.store(false, Relaxed);
    assert!(!states.get("d", at).is_overflow());
    assert!(states.find("a").is_none() && states.find("b").is_some());
}

#[test]
fn a_look_is_no_use_of_a_state() {
    let (states, at) = (states(4), now());
    states.get("a", at);
    assert!(states.find("a").is_some() && states.find("b").is_none());
    let mut seen = Vec::new();
    states.for_each(|key, _| seen.push(key.to_owned()));
    assert_eq!(seen, ["a"]);
    states.get("b", at.after(IDLE));
    assert!(states.find("a").is_none());
}

#[test]
fn a_written_setting_reaches_every_state_and_those_to_come() {
    let (states, at) = (states(1), now());
    let old = states.get("a", at);
    let shared = states.get("b", at);
    states.adopt(2);
    assert_eq!(old.state().settings.load(Relaxed), 2);
    assert_eq!(shared.state().settings.load(Relaxed), 2);
    drop(old);
    assert_eq!(states.get("c", at).state().settings.load(Relaxed), 2);
}

#[test]
fn a_clock_that_jumps_loses_nothing_in_use_and_panics_nowhere() {
    let (states, at) = (states(2), now());
    let held = states.get("a", at.after(SECOND));
    for at in [at, Moment::NEVER, at, Moment::NEVER.after(SECOND)] {
        states.get("a", at);
        states.get("b", at);
        states.get("c", at);
    }
    assert!(std::ptr::eq(states.get("a", at).state(), held.state()));
}

/// What the map is to do, written down plainly. Exact where one look takes in every slot.
#[derive(Default)]
struct Model {
    keys: HashMap<u64, Known>,
    marks: u64,
    counts: (u64, u64),
}

#[derive(Clone)]
struct Known {
    mark: u64,
    used: Duration,
    leases: u32,
    busy: bool,
    refusing: bool,
}

/// What a call gets.
#[derive(Debug, PartialEq)]
enum Got {
    Known(u64),
    New,
    Overflow,
}

impl Model {
    fn get(&mut self, key: u64, at: Duration, most: usize) -> Got {
        let is_forgotten = |known: &Known| at.saturating_sub(known.used) >= IDLE && known.leases == 0 && !known.busy;
        if let Some(known) = self.keys.get_mut(&key).filter(|known| !is_forgotten(known)) {
            known.used = known.used.max(at);
            known.leases += 1;
            return Got::Known(known.mark);
        }
        let before = self.keys.len();
        self.keys.retain(|_, known| !is_forgotten(known));
        self.counts.0 += (before - self.keys.len()) as u64;
        if self.keys.len() == most {
            let spare = self.keys.iter().filter(|(_, known)| known.leases == 0 && !known.busy && !known.refusing);
            let Some((&oldest, _)) = spare.min_by_key(|(_, known)| known.used) else {
                self.counts.1 += 1;
                return Got::Overflow;
            };
            self.keys.remove(&oldest);
            self.counts.0 += 1;
        }
        self.marks += 1;
        self.keys.insert(key, Known { mark: self.marks, used: at, leases: 1, busy: false, refusing: false });
        Got::New
    }
}

#[test]
fn random_histories_go_as_the_model_says() {
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let most = random.random_range(1..=SAMPLE);
        let (states, mut model, start) = (states(most), Model::default(), now());
        let mut clock = Duration::from_secs(60);
        let mut held: Vec<(Option<u64>, Lease<Fake>)> = Vec::new();
        for step in 0..400 {
            let longest = if random.random_bool(0.05) { 700 } else { 10 };
            clock += Duration::from_nanos(random.random_range(1..=longest * 1_000_000_000));
            // Another thread may have read its clock a while ago.
            let at = clock.saturating_sub(Duration::from_nanos(random.random_range(0..=20_000_000_000)));
            match random.random_range(0..11) {
                0..=4 => {
                    let key = random.random_range(0..2 * most as u64 + 2);
                    let expected = model.get(key, at, most);
                    let lease = states.get(&key.to_string(), start.after(at));
                    let got = match lease.state().mark.load(Relaxed) {
                        _ if lease.is_overflow() => Got::Overflow,
                        0 => Got::New,
                        mark => Got::Known(mark),
                    };
                    assert_eq!(got, expected, "seed {seed}, step {step}, key {key}");
                    if got == Got::New {
                        lease.state().mark.store(model.marks, Relaxed);
                    }
                    held.push(((got != Got::Overflow).then_some(key), lease));
                }
                5..=9 if !held.is_empty() => {
                    let (key, _) = held.swap_remove(random.random_range(0..held.len()));
                    if let Some(key) = key {
                        model.keys.get_mut(&key).unwrap().leases -= 1;
                    }
                }
                _ => {
                    let Some((Some(key), lease)) = held.first() else { continue };
                    let known = model.keys.get_mut(key).unwrap();
                    (known.busy, known.refusing) = (random.random_bool(0.1), random.random_bool(0.1));
                    lease.state().busy.store(known.busy, Relaxed);
                    lease.state().refusing.store(known.refusing, Relaxed);
                }
            }
            let counts = KeyedCounts { states: model.keys.len(), overflowed: model.counts.1, evicted: model.counts.0 };
            assert_eq!(states.counts(), counts, "seed {seed}, step {step}");
            assert!(states.slots() <= most);
        }
    }
}

/// What one key's users have seen.
#[derive(Default)]
struct Seen {
    state: usize,
    users: u32,
}

#[test]
fn threads_that_hold_one_key_hold_one_state_while_others_push_keys_out() {
    const KEYS: usize = 5;
    let (states, start, clock) = (states(4), now(), AtomicU64::new(0));
    let seen: Vec<Mutex<Seen>> = (0..KEYS).map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (states, seen, clock) = (&states, &seen, &clock);
            scope.spawn(move || {
                let mut random = StdRng::seed_from_u64(seed);
                for _ in 0..50_000 {
                    // Now and then long enough that everything is forgotten.
                    let wait = if random.random_bool(0.001) { 600_000 } else { 1 };
                    let at = start.after(Duration::from_millis(clock.fetch_add(wait, Relaxed)));
                    let key = random.random_range(0..KEYS);
                    let lease = states.get(&key.to_string(), at);
                    if lease.is_overflow() {
                        continue;
                    }
                    let own = key as u64 + 1;
                    let before = lease.state().mark.swap(own, Relaxed);
                    assert!([0, own].contains(&before), "key {key} got a state of key {}", before - 1);
                    let state = std::ptr::from_ref(lease.state()).addr();
                    {
                        let mut seen = seen[key].lock().unwrap();
                        assert!(seen.users == 0 || seen.state == state, "key {key} has two states");
                        (seen.state, seen.users) = (state, seen.users + 1);
                    }
                    if random.random_bool(0.02) {
                        std::thread::yield_now();
                    }
                    assert_eq!(lease.state().mark.load(Relaxed), own, "recycled in use");
                    seen[key].lock().unwrap().users -= 1;
                }
            });
        }
    });
    let counts = states.counts();
    assert!(counts.states <= 4 && states.slots() == 4 && counts.evicted > 1_000, "{counts:?}");
}

/// `RESILIENT_KEYS=1000000` for the whole flood.
fn flood() -> u64 {
    std::env::var("RESILIENT_KEYS").map_or(60_000, |keys| keys.parse().unwrap())
}

#[test]
fn a_flood_of_keys_costs_bounded_memory_and_time_and_loses_nobody_who_calls() {
    let (states, start) = (Keyed::<Fake>::new(1), now());
    let customer = |n: u64| format!("customer {n}");
    for n in 0..100 {
        states.get(&customer(n), start).state().mark.store(n + 1, Relaxed);
    }
    let mut most = 0;
    for n in 0..flood() {
        let at = start.after(Duration::from_millis(n));
        LOOKS.set(0);
        assert!(!states.get(&n.to_string(), at).is_overflow());
        most = most.max(LOOKS.get());
        // Each of a hundred customers calls once while a hundred others come.
        let lease = states.get(&customer(n % 100), at);
        assert_eq!(lease.state().mark.load(Relaxed), n % 100 + 1, "forgotten after {n} keys");
    }
    assert_eq!((states.slots(), states.counts().states), (MOST, MOST));
    assert!(most <= SAMPLE + 2, "{most} states looked at for one key");
}

#[test]
fn a_flood_of_failing_keys_ends_in_the_shared_state_at_the_same_cost() {
    let (states, at) = (Keyed::<Fake>::new(1), now());
    for n in 0..MOST {
        states.get(&n.to_string(), at).state().refusing.store(true, Relaxed);
    }
    let mut most = 0;
    for n in MOST..MOST + 5_000 {
        LOOKS.set(0);
        assert!(states.get(&n.to_string(), at).is_overflow());
        most = most.max(LOOKS.get());
    }
    assert_eq!(states.counts(), KeyedCounts { states: MOST, overflowed: 5_000, evicted: 0 });
    assert!(most <= SAMPLE, "{most} states looked at for one key");
}

#[test]
fn an_open_breaker_outlives_a_flood_and_a_closed_one_does_not() {
    let settings = resilient_policy::Breaker {
        consecutive: Some(1),
        open: Duration::from_secs(60),
        ..resilient_policy::Breaker::NEW
    };
    let (states, at) = (Keyed::<Breaker>::of(8, settings), now());
    for (key, sample) in [("down", Sample::Failure { slow: false }), ("up", Sample::Success { slow: false })] {
        states.get(key, at).state().admit(at, None).unwrap().record(sample, at);
    }
    for n in 0..100 {
        assert!(!states.get(&n.to_string(), at.after(SECOND)).is_overflow());
    }
    assert!(states.find("up").is_none());
    assert!(states.get("down", at.after(SECOND)).state().peek(at.after(SECOND)).is_err());
}

#[test]
fn a_recycled_breaker_is_closed_and_deaf_to_who_was_admitted_before() {
    let settings = resilient_policy::Breaker { consecutive: Some(1), ..resilient_policy::Breaker::NEW };
    let (states, at) = (Keyed::<Breaker>::of(1, settings), now());
    let breaker = states.get("a", at).state();
    let late = breaker.admit(at, None).unwrap();
    let other = states.get("b", at);
    assert!(std::ptr::eq(other.state(), breaker));
    late.record(Sample::Failure { slow: false }, at);
    assert!(other.state().peek(at).is_ok());
    assert_eq!(other.state().snapshot(at).failures, 0);
}

fn key(values: &[&str]) -> String {
    values.iter().fold(StateKey::new(), |key, value| value.add_to(key)).finish()
}

#[test]
fn a_key_is_its_values_and_different_values_are_different_keys() {
    assert_eq!(key(&["acme"]), "acme");
    assert_eq!(key(&["acme", "eu"]), "acme/eu");
    assert_eq!('x'.add_to(7_u64.add_to(StateKey::new())).finish(), "7/x");
    let lists: [&[&str]; 8] =
        [&["a/b"], &["a", "b"], &["a%2Fb"], &["a", ""], &["", "a"], &["a"], &["a/", "b"], &["a", "/b"]];
    let keys: std::collections::HashSet<_> = lists.iter().map(|values| key(values)).collect();
    assert_eq!(keys.len(), lists.len());
}

/// Writes `times` times the letter é, in pieces of any size.
struct Long(usize, usize);

impl fmt::Display for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0;
        while left > 0 {
            let piece = left.min(self.1);
            f.write_str(&"é".repeat(piece))?;
            left -= piece;
        }
        Ok(())
    }
}

#[test]
fn a_long_key_is_bounded_and_still_its_own() {
    let long = |times, piece| Long(times, piece).add_to(StateKey::new()).finish();
    assert_eq!(long(128, 7), "é".repeat(128));
    let cut = long(1_000_000, 1_000);
    assert!(cut.len() <= 275, "{}", cut.len());
    assert_eq!(cut, long(1_000_000, 999));
    assert_ne!(cut, long(1_000_001, 1_000));
    // Nobody can write a cut key out.
    assert_ne!(key(&[&cut]), cut);
}

#[test]
fn a_value_that_cannot_be_written_is_what_it_has_written() {
    struct Broken;
    impl fmt::Display for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half")?;
            Err(fmt::Error)
        }
    }
    assert_eq!("b".add_to(Broken.add_to(StateKey::new())).finish(), "half/b");
}
