use super::*;
use crate::arguments::KeyPart;
use loom::thread;
use std::task::{Context, Poll, Waker};

fn join(flights: &'static Flights) -> Role<u32> {
    flights.join(1, &[str::part(&"a")])
}

/// What became of one that follows and looks twice: an answer, the lead, or neither.
fn look(mut follower: Follower<u32>) -> Option<Arrival<u32>> {
    for _ in 0..2 {
        if let Poll::Ready(arrival) = follower.poll(&Context::from_waker(Waker::noop())) {
            return Some(arrival);
        }
        thread::yield_now();
    }
    None
}

/// Whoever joins while a leader lands has the answer or leads a flight of its own.
#[test]
fn a_landing_leaves_nobody_behind() {
    loom::model(|| {
        let flights: &'static Flights = Box::leak(Box::default());
        let Role::Lead(lead) = join(flights) else { panic!("nobody leads yet") };
        let other = thread::spawn(move || match join(flights) {
            Role::Lead(lead) => lead.land(2),
            Role::Follow(mut follower) => loop {
                match follower.poll(&Context::from_waker(Waker::noop())) {
                    Poll::Ready(Arrival::Answer(answer)) => break assert_eq!(*answer, 1),
                    Poll::Ready(Arrival::Lead(_)) => panic!("the leader has landed"),
                    Poll::Pending => thread::yield_now(),
                }
            },
        });
        lead.land(1);
        other.join().unwrap();
        assert_eq!(flights.under_way(), 0);
    });
}

/// A leader and the follower that it calls leave at once: the flight is gone, or a third one leads it.
#[test]
fn a_lead_is_never_lost() {
    loom::model(|| {
        let flights: &'static Flights = Box::leak(Box::default());
        let Role::Lead(lead) = join(flights) else { panic!("nobody leads yet") };
        let Role::Follow(first) = join(flights) else { panic!("somebody leads") };
        let leaves = thread::spawn(move || drop(first));
        let looks = thread::spawn(move || match join(flights) {
            Role::Lead(lead) => lead.land(3),
            Role::Follow(follower) => {
                if let Some(Arrival::Answer(_)) = look(follower) {
                    panic!("nobody has answered");
                }
            }
        });
        drop(lead);
        leaves.join().unwrap();
        looks.join().unwrap();
        assert_eq!(flights.under_way(), 0);
    });
}
