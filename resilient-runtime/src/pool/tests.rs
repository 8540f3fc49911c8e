use super::*;
use crate::bulkhead::{Gate, Permit};
use std::{
    sync::{Arc, Barrier, mpsc},
    thread::{ThreadId, yield_now},
};

const FOREVER: Duration = Duration::from_secs(u64::MAX >> 1);

fn pool(kept_idle: Duration) -> &'static Pool {
    Box::leak(Box::new(Pool::keeping("test", kept_idle)))
}

/// Runs something on a thread of the pool, to its end.
fn on(pool: &'static Pool, body: impl FnOnce() + Send + 'static) -> ThreadId {
    let (done, ended) = mpsc::channel();
    pool.seat().unwrap().run(Box::new(move |seat| {
        body();
        drop(seat);
        done.send(thread::current().id()).unwrap();
    }));
    ended.recv().unwrap()
}

#[test]
fn a_thread_is_started_when_it_is_needed_and_used_again() {
    let pool = pool(FOREVER);
    assert_eq!(pool.alive(), 0);
    let first = on(pool, || {});
    assert_eq!((on(pool, || {}), pool.alive()), (first, 1));
    assert_ne!(first, thread::current().id());
}

#[test]
fn a_seat_that_nobody_used_is_idle_again() {
    let pool = pool(FOREVER);
    let (one, two) = (pool.seat().unwrap(), pool.seat().unwrap());
    assert_eq!(pool.alive(), 2);
    drop((one, two));
    on(pool, || {});
    assert_eq!(pool.alive(), 2);
}

#[test]
fn idle_threads_end_and_busy_ones_do_not() {
    let pool = pool(Duration::from_millis(1));
    let (go, wait) = mpsc::channel::<()>();
    let busy = pool.seat().unwrap();
    busy.run(Box::new(move |_seat| wait.recv().unwrap()));
    let held = pool.seat().unwrap();
    for _ in 0..3 {
        on(pool, || {});
    }
    while pool.alive() > 2 {
        yield_now();
    }
    // The seat outlived the time that an idle thread is kept, and its thread is still there for it.
    let (done, ended) = mpsc::channel();
    held.run(Box::new(move |_seat| done.send(()).unwrap()));
    ended.recv().unwrap();
    go.send(()).unwrap();
    while pool.alive() > 0 {
        yield_now();
    }
    assert!(lock(&pool.idle).is_empty());
}

#[test]
fn a_body_that_panics_costs_no_thread() {
    let pool = pool(FOREVER);
    let (done, ended) = mpsc::channel::<()>();
    pool.seat().unwrap().run(Box::new(move |seat| {
        let _done = done;
        let _seat = seat;
        std::panic::resume_unwind(Box::new("quietly"));
    }));
    assert!(ended.recv().is_err());
    while lock(&pool.idle).is_empty() {
        yield_now();
    }
    on(pool, || {});
    assert_eq!(pool.alive(), 1);
}

#[test]
fn threads_have_the_name_of_their_pool() {
    on(pool(FOREVER), || assert_eq!(thread::current().name(), Some("resilient test")));
}

/// Callers on eight threads fight for three permits; each that wins gets a thread at once.
#[test]
fn there_are_never_more_threads_than_permits() {
    let (pool, gate) = (pool(FOREVER), &*Box::leak(Box::new(Gate::new(&resilient_policy::Bulkhead::of(3)))));
    let start = Arc::new(Barrier::new(8));
    let callers = (0..8).map(|_| {
        let start = start.clone();
        thread::spawn(move || {
            start.wait();
            let mut ran = 0;
            while ran < 500 {
                let Some(permit) = gate.try_acquire() else {
                    yield_now();
                    continue;
                };
                run_with(pool, permit);
                assert!(pool.alive() <= 3);
                ran += 1;
            }
        })
    });
    callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
    while gate.used() > 0 {
        yield_now();
    }
    assert_eq!(lock(&pool.idle).len(), pool.alive() as usize);
}

/// As a body whose caller has left ends: first the seat, then the permit.
fn run_with(pool: &'static Pool, permit: Permit) {
    pool.seat().unwrap().run(Box::new(move |seat| {
        drop(seat);
        drop(permit);
    }));
}
