use super::*;
use crate::{arguments::KeyPart, time};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::{
    cell::Cell,
    collections::VecDeque,
    hash::{Hash, Hasher},
    sync::{
        Barrier,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
};

fn flights() -> &'static Flights {
    Box::leak(Box::default())
}

fn join<T: KeyPart + ?Sized>(flights: &'static Flights, digest: u64, part: &T) -> Role<u32> {
    flights.join(digest, &[T::part(&part)])
}

fn lead(role: Role<u32>) -> Lead<u32> {
    match role {
        Role::Lead(lead) => lead,
        Role::Follow(_) => panic!("it follows"),
    }
}

fn follow(role: Role<u32>) -> Follower<u32> {
    match role {
        Role::Follow(follower) => follower,
        Role::Lead(_) => panic!("it leads"),
    }
}

fn poll(follower: &mut Follower<u32>) -> Poll<Arrival<u32>> {
    follower.poll(&Context::from_waker(Waker::noop()))
}

fn answer(follower: &mut Follower<u32>) -> Option<u32> {
    match poll(follower) {
        Poll::Ready(Arrival::Answer(answer)) => Some(*answer),
        Poll::Ready(Arrival::Lead(_)) => panic!("it leads"),
        Poll::Pending => None,
    }
}

/// Whether it was called to lead.
fn called(follower: &mut Follower<u32>) -> Option<Lead<u32>> {
    match poll(follower) {
        Poll::Ready(Arrival::Lead(lead)) => Some(lead),
        _ => None,
    }
}

/// CA-05.
#[test]
fn all_that_ask_the_same_while_it_is_asked_get_the_one_answer() {
    let flights = flights();
    let leader = lead(join(flights, 1, "a"));
    let mut followers: Vec<_> = (0..3).map(|_| follow(join(flights, 1, "a"))).collect();
    assert!(followers.iter_mut().all(|follower| answer(follower).is_none()));
    leader.land(7);
    assert!(followers.iter_mut().all(|follower| answer(follower) == Some(7)));
    assert_eq!(flights.under_way(), 0);
}

#[test]
fn who_asks_after_the_answer_asks_anew() {
    let flights = flights();
    lead(join(flights, 1, "a")).land(7);
    drop(lead(join(flights, 1, "a")));
    lead(join(flights, 1, "a")).land(8);
    assert_eq!(flights.under_way(), 0);
}

#[test]
fn keys_are_equal_by_what_they_say_and_not_by_their_hash() {
    let flights = flights();
    let _one = lead(join(flights, 1, "a"));
    let _other = lead(join(flights, 1, "b"));
    let _bytes = lead(join(flights, 1, &b"a"[..]));
    let Role::Lead(_other_answer) = flights.join::<u64>(1, &[str::part(&"a")]) else {
        panic!("an answer of another type is no answer");
    };
    assert_eq!(flights.under_way(), 4);
    let _follower = follow(join(flights, 1, "b"));
}

#[test]
fn a_lost_leader_calls_who_came_first() {
    let flights = flights();
    let leader = lead(join(flights, 1, "a"));
    let (mut first, mut second) = (follow(join(flights, 1, "a")), follow(join(flights, 1, "a")));
    drop(leader);
    assert!(called(&mut second).is_none());
    let leader = called(&mut first).unwrap();
    assert!(poll(&mut second).is_pending());
    // Whoever comes now follows the new leader.
    let mut third = follow(join(flights, 1, "a"));
    leader.land(8);
    assert_eq!((answer(&mut second), answer(&mut third)), (Some(8), Some(8)));
}

#[test]
fn a_follower_who_leaves_is_passed_over_even_when_it_was_called() {
    let flights = flights();
    let leader = lead(join(flights, 1, "a"));
    let line: Vec<_> = (0..3).map(|_| follow(join(flights, 1, "a"))).collect();
    let [first, second, mut third] = <[_; 3]>::try_from(line).ok().unwrap();
    drop(first);
    drop(leader);
    // The second was called and leaves without having heard of it.
    drop(second);
    called(&mut third).unwrap().land(9);
    assert_eq!(flights.under_way(), 0);
}

#[test]
fn when_all_have_left_nothing_is_left() {
    let flights = flights();
    let leader = lead(join(flights, 1, "a"));
    let follower = follow(join(flights, 1, "a"));
    drop(leader);
    drop(follower);
    assert_eq!(flights.under_way(), 0);
    drop(lead(join(flights, 1, "a")));
}

/// One wake for the answer, or one for being called: a waiter that wakes itself would burn a core (T62).
#[test]
fn a_follower_is_woken_once() {
    struct Count(AtomicU32);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let flights = flights();
    for lands in [true, false] {
        let wakes = Arc::new(Count(AtomicU32::new(0)));
        let waker = Waker::from(wakes.clone());
        let leader = lead(join(flights, 1, "a"));
        let mut follower = follow(join(flights, 1, "a"));
        for _ in 0..10 {
            assert!(follower.poll(&Context::from_waker(&waker)).is_pending());
        }
        assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
        if lands {
            leader.land(1)
        } else {
            drop(leader)
        }
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert!(follower.poll(&Context::from_waker(&waker)).is_ready());
    }
}

/// A key whose comparison calls the very function: nothing of the user's may run under the lock.
#[test]
fn an_equality_that_asks_itself_does_not_deadlock() {
    thread_local!(static INSIDE: Cell<Option<&'static Flights>> = const { Cell::new(None) });
    #[derive(Clone)]
    struct Nosy;
    impl Eq for Nosy {}
    impl Hash for Nosy {
        fn hash<H: Hasher>(&self, _: &mut H) {}
    }
    impl PartialEq for Nosy {
        fn eq(&self, _: &Self) -> bool {
            INSIDE.take().into_iter().for_each(|flights| drop(join(flights, 1, &Nosy)));
            true
        }
    }
    let flights = flights();
    let _leader = lead(join(flights, 1, &Nosy));
    INSIDE.set(Some(flights));
    follow(join(flights, 1, &Nosy));
}

/// What the room promises, with nothing to it: a line per key, whose head leads.
#[derive(Default)]
struct Model {
    /// By key: who leads, and who follows in which order.
    flights: HashMap<u32, (u32, VecDeque<u32>)>,
    answers: HashMap<u32, u32>,
}

impl Model {
    fn join(&mut self, key: u32, who: u32) -> bool {
        match self.flights.get_mut(&key) {
            Some((_, line)) => line.push_back(who),
            None => drop(self.flights.insert(key, (who, VecDeque::new()))),
        }
        self.flights[&key].0 == who
    }

    fn land(&mut self, key: u32, answer: u32) {
        let (_, line) = self.flights.remove(&key).unwrap();
        self.answers.extend(line.into_iter().map(|who| (who, answer)));
    }

    fn leave(&mut self, key: u32, who: u32) {
        self.answers.remove(&who);
        let Some((leader, line)) = self.flights.get_mut(&key) else { return };
        line.retain(|other| *other != who);
        if *leader == who {
            match line.pop_front() {
                Some(next) => *leader = next,
                None => drop(self.flights.remove(&key)),
            }
        }
    }

    fn leads(&self, key: u32, who: u32) -> bool {
        self.flights.get(&key).is_some_and(|(leader, _)| *leader == who)
    }
}

#[test]
fn random_histories_go_as_the_model_says() {
    for seed in 0..300 {
        let mut random = StdRng::seed_from_u64(seed);
        let (flights, mut model) = (flights(), Model::default());
        let mut inside: Vec<(u32, u32, Role<u32>)> = Vec::new();
        for who in 0..200 {
            let key = random.random_range(0..3);
            // One digest for all, as if their hashes collided.
            let role = join(flights, 1, &key);
            assert_eq!(matches!(role, Role::Lead(_)), model.join(key, who), "seed {seed}: {who}");
            inside.push((who, key, role));
            for _ in 0..random.random_range(0..4) {
                if inside.is_empty() {
                    break;
                }
                let at = random.random_range(0..inside.len());
                let (who, key, mut role) = inside.swap_remove(at);
                if random.random_bool(0.3) {
                    drop(role);
                    model.leave(key, who);
                    continue;
                }
                if let Role::Follow(follower) = &mut role {
                    match poll(follower) {
                        Poll::Ready(Arrival::Answer(answer)) => {
                            assert_eq!(Some(*answer), model.answers.remove(&who), "seed {seed}: {who}");
                            continue;
                        }
                        Poll::Ready(Arrival::Lead(lead)) => role = Role::Lead(lead),
                        Poll::Pending => assert!(!model.answers.contains_key(&who), "seed {seed}: {who}"),
                    }
                }
                match role {
                    Role::Lead(lead) => {
                        assert!(model.leads(key, who), "seed {seed}: {who}");
                        lead.land(who);
                        model.land(key, who);
                    }
                    Role::Follow(_) => {
                        assert!(!model.leads(key, who), "seed {seed}: {who}");
                        inside.push((who, key, role));
                    }
                }
            }
            assert_eq!(flights.under_way(), model.flights.len(), "seed {seed}");
        }
        drop(inside);
        assert_eq!(flights.under_way(), 0, "seed {seed}");
    }
}

/// Threads that ask the same at once, some of whose leaders are lost: everybody has an answer in the end, and no two lead
/// at once.
#[test]
fn threads_never_lead_two_flights_of_one_key_and_nobody_waits_for_ever() {
    for round in 0..200 {
        let flights = flights();
        let (leading, start) = (AtomicU32::new(0), Barrier::new(4));
        thread::scope(|scope| {
            for n in 0..4u32 {
                let (leading, start) = (&leading, &start);
                scope.spawn(move || {
                    start.wait();
                    let lead = match join(flights, 1, "a") {
                        Role::Lead(lead) => lead,
                        Role::Follow(mut follower) => {
                            match time::block_on(time::Moment::NEVER, |cx| follower.poll(cx)) {
                                Some(Arrival::Lead(lead)) => lead,
                                Some(Arrival::Answer(_)) => return,
                                None => panic!("it gave up"),
                            }
                        }
                    };
                    assert_eq!(leading.fetch_add(1, Ordering::SeqCst), 0);
                    thread::yield_now();
                    leading.fetch_sub(1, Ordering::SeqCst);
                    if (n + round) % 2 == 0 {
                        lead.land(n)
                    }
                });
            }
        });
        assert_eq!(flights.under_way(), 0);
    }
}
