//! Random histories, answer by answer against a gate that is as plain as one can be written.

use super::{CLASSES, MS, Woken, gate};
use crate::{
    bulkhead::{Entry, Gone, Permit, Waiter},
    context::Criticality,
    time::{Moment, now},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient_policy::{Bulkhead, Order};
use std::{sync::Arc, task::Poll, time::Duration};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Handed,
    Refused,
}

#[derive(Debug)]
struct Waiting {
    id: u32,
    class: Criticality,
    until: Moment,
    deadline: Moment,
    state: State,
}

/// Everyone who came and has not gone, in the order in which they came.
#[derive(Debug)]
struct Model {
    settings: Bulkhead,
    limit: u32,
    used: u32,
    came: Vec<Waiting>,
    formed: Moment,
}

#[derive(Debug, PartialEq)]
enum Said {
    In,
    Waits { until: Moment },
    Full,
}

impl Model {
    fn share(&self, whole: u32, class: Criticality) -> u32 {
        let share = match class {
            Criticality::Sheddable => whole * 64 / 100,
            Criticality::SheddablePlus => whole * 80 / 100,
            _ => whole,
        };
        if share == 0 && whole > 0 { 1 } else { share }
    }

    fn queue(&self) -> impl DoubleEndedIterator<Item = &Waiting> {
        self.came.iter().filter(|one| one.state == State::Waiting)
    }

    fn has_room(&self, class: Criticality) -> bool {
        self.used < self.share(self.limit, class)
    }

    fn stands(&self, at: Moment) -> bool {
        self.queue().next().is_some() && at.since(self.formed) >= MS * 100
    }

    fn state_of(&mut self, id: u32) -> &mut State {
        &mut self.came.iter_mut().find(|one| one.id == id).unwrap().state
    }

    fn hand_over(&mut self, at: Moment) {
        let Some(best) = self.queue().map(|one| one.class).max() else { return };
        let newest = self.settings.order == Order::Newest && self.stands(at);
        let (id, late) = {
            let mut line = self.queue().filter(|one| one.class == best).map(|one| (one.id, one.until <= at));
            if newest { line.next_back() } else { line.next() }.unwrap()
        };
        if late {
            *self.state_of(id) = State::Refused;
        } else if self.has_room(best) {
            *self.state_of(id) = State::Handed;
            self.used += 1;
        } else {
            return;
        }
        self.hand_over(at);
    }

    fn release(&mut self, at: Moment) {
        self.used -= 1;
        self.hand_over(at);
    }

    fn try_acquire(&mut self, class: Criticality) -> bool {
        let free = self.queue().next().is_none() && self.has_room(class);
        self.used += u32::from(free);
        free
    }

    fn enter(&mut self, at: Moment, id: u32, class: Criticality, deadline: Moment) -> Said {
        if self.queue().all(|one| one.class < class) && self.has_room(class) {
            self.used += 1;
            return Said::In;
        }
        if self.settings.max_wait.is_zero() {
            return Said::Full;
        }
        let (waiting, stands) = (self.queue().count() as u32, self.stands(at));
        if waiting == 0 {
            self.formed = at;
        }
        if waiting >= self.share(self.settings.max_queue.unwrap_or(self.limit), class) {
            let least = self.queue().filter(|one| one.class < class).map(|one| one.class).min();
            let Some(newest) = self.queue().rfind(|one| Some(one.class) == least).map(|one| one.id) else {
                return Said::Full;
            };
            *self.state_of(newest) = State::Refused;
        }
        let age = match self.settings.max_age {
            Some(age) if stands => age.min(MS * 5),
            Some(age) => age,
            None => Duration::MAX,
        };
        let until = at.after(self.settings.max_wait.min(age)).min(deadline);
        self.came.push(Waiting { id, class, until, deadline, state: State::Waiting });
        Said::Waits { until }
    }

    /// `None`: it still waits.
    fn poll(&mut self, at: Moment, id: u32) -> Option<Result<(), Gone>> {
        let index = self.came.iter().position(|one| one.id == id).unwrap();
        let one = &self.came[index];
        if one.state == State::Waiting && at < one.until {
            return None;
        }
        let one = self.came.remove(index);
        let expired = one.deadline <= at;
        if expired && one.state == State::Handed {
            self.release(at);
        }
        Some(match one.state {
            _ if expired => Err(Gone::Expired),
            State::Handed => Ok(()),
            State::Waiting | State::Refused => Err(Gone::Full),
        })
    }

    fn leave(&mut self, at: Moment, id: u32) {
        let index = self.came.iter().position(|one| one.id == id).unwrap();
        if self.came.remove(index).state == State::Handed {
            self.release(at);
        }
    }
}

fn settings(random: &mut StdRng) -> Bulkhead {
    Bulkhead {
        max_wait: MS * [0, 10, 300, 300][random.random_range(0..4usize)],
        max_queue: [None, Some(1), Some(4), Some(20)][random.random_range(0..4usize)],
        order: if random.random() { Order::Fifo } else { Order::Newest },
        max_age: [None, Some(MS * 3), Some(MS * 100)][random.random_range(0..3usize)],
        ..Bulkhead::of(random.random_range(0..8))
    }
}

#[tokio::test(start_paused = true)]
async fn any_history_goes_as_in_the_plain_gate() {
    // How often each kind of answer came, so that no part of this test is idle.
    let mut seen = [0u32; 7];
    for seed in 0..400 {
        let random = &mut StdRng::seed_from_u64(seed);
        let first = settings(random);
        let gate = gate(first);
        let Bulkhead { limit: resilient_policy::Limit::Fixed(limit), .. } = first else { unreachable!() };
        let mut model = Model { settings: first, limit, used: 0, came: Vec::new(), formed: now() };
        let mut permits: Vec<Permit> = Vec::new();
        let mut waiters: Vec<(u32, Waiter, Option<Arc<Woken>>)> = Vec::new();
        let classes = if seed % 2 == 0 { &CLASSES[..] } else { &CLASSES[2..3] };
        for step in 0..250u32 {
            let at = now();
            let class = classes[random.random_range(0..classes.len())];
            match random.random_range(0..20u32) {
                0..=5 => {
                    let deadline =
                        if random.random() { Moment::NEVER } else { at.after(MS * random.random_range(0..200)) };
                    let entry = gate.enter(at, class, deadline);
                    let wanted = model.enter(at, step, class, deadline);
                    let said = match entry {
                        Entry::Permit(permit) => {
                            permits.push(permit);
                            Said::In
                        }
                        Entry::Wait(waiter) => {
                            let until = waiter.until();
                            waiters.push((step, waiter, None));
                            Said::Waits { until }
                        }
                        Entry::Full => Said::Full,
                    };
                    assert_eq!(said, wanted, "seed {seed}, step {step}");
                    seen[0] += u32::from(said == Said::Full);
                }
                6 => {
                    let permit = gate.try_acquire_as(class);
                    assert_eq!(permit.is_some(), model.try_acquire(class), "seed {seed}, step {step}");
                    permits.extend(permit);
                }
                7..=10 if !permits.is_empty() => {
                    permits.swap_remove(random.random_range(0..permits.len()));
                    model.release(at);
                }
                11..=14 if !waiters.is_empty() => {
                    let index = random.random_range(0..waiters.len());
                    let (id, waiter, woken) = &mut waiters[index];
                    let fresh = Arc::new(Woken::default());
                    let said = match waiter.poll(at, Some(&fresh.clone().into())) {
                        Poll::Pending => None,
                        Poll::Ready(answer) => Some(answer.map(|permit| permits.push(permit))),
                    };
                    assert_eq!(said, model.poll(at, *id), "seed {seed}, step {step}");
                    match said {
                        None => *woken = Some(fresh),
                        Some(answer) => {
                            seen[match answer {
                                Ok(()) => 1,
                                Err(Gone::Full) => 2,
                                Err(Gone::Expired) => 3,
                            }] += 1;
                            waiters.remove(index);
                        }
                    }
                }
                15 if !waiters.is_empty() => {
                    let (id, waiter, _) = waiters.remove(random.random_range(0..waiters.len()));
                    seen[4] += u32::from(*model.state_of(id) == State::Handed);
                    drop(waiter);
                    model.leave(at, id);
                }
                16 => {
                    let limit = random.random_range(0..8);
                    gate.resize(limit);
                    model.limit = limit;
                    model.hand_over(at);
                }
                17 if random.random_range(0..4u32) == 0 => {
                    let next = Bulkhead { limit: resilient_policy::Limit::Fixed(model.limit), ..settings(random) };
                    gate.adopt(&next);
                    model.settings = next;
                    model.hand_over(at);
                }
                _ => tokio::time::advance(MS * random.random_range(0..40)).await,
            }
            let waiting = model.queue().count() as u32;
            assert_eq!((gate.limit(), gate.used(), gate.waiting()), (model.limit, model.used, waiting));
            for (id, _, woken) in &waiters {
                let (changed, Some(woken)) = (*model.state_of(*id) != State::Waiting, woken) else { continue };
                assert_eq!(woken.times(), usize::from(changed), "seed {seed}, step {step}: the wakes of {id}");
                seen[5] += u32::from(changed);
            }
            seen[6] += u32::from(model.stands(at));
        }
        drop((waiters, permits));
        assert!(gate.is_idle(), "seed {seed}");
    }
    assert!(seen.iter().all(|times| *times > 300), "{seen:?}");
}
