//! The threads that run the bodies of a `blocking = thread` function.
//!
//! One pool per bulkhead. Who asks for a thread holds a permit of that bulkhead, and gives the thread back before the
//! permit, so that there are never more threads than permits, and a permit never waits for a thread.

mod meeting;
#[cfg(all(test, not(resilient_loom)))]
mod tests;

pub(crate) use meeting::Meeting;

use crate::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
    lock,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// How long a thread waits for its next body before it ends; as long as a blocking thread of tokio's does.
const KEPT_IDLE: Duration = Duration::from_secs(10);

/// Threads that are started when they are needed and end when they are not.
#[derive(Debug)]
pub(crate) struct Pool {
    name: &'static str,
    kept_idle: Duration,
    /// The last one that fell idle is the next to work, so that the others can end.
    idle: Mutex<Vec<Worker>>,
    alive: AtomicU32,
    started: AtomicU32,
}

/// A thread as the others see it.
#[derive(Debug)]
struct Worker {
    id: u32,
    work: Sender<Work>,
}

/// What runs on a thread. It gets its own seat, to give it up when nothing of the user's is left to run.
type Body = Box<dyn FnOnce(Seat) + Send>;

struct Work {
    body: Body,
    seat: Seat,
}

impl Pool {
    /// The pool of the bulkhead of this name, which its threads have, too.
    pub(crate) fn new(name: &'static str) -> Self {
        Self::keeping(name, KEPT_IDLE)
    }

    fn keeping(name: &'static str, kept_idle: Duration) -> Self {
        Self { name, kept_idle, idle: Mutex::new(Vec::new()), alive: AtomicU32::new(0), started: AtomicU32::new(0) }
    }

    /// Threads that are there now, idle ones among them.
    #[cfg(all(test, not(resilient_loom)))]
    pub(crate) fn alive(&self) -> u32 {
        self.alive.load(Ordering::Relaxed)
    }

    /// A thread of the caller's own: an idle one, else a new one. `None` where the system starts no more.
    pub(crate) fn seat(&'static self) -> Option<Seat> {
        let idle = lock(&self.idle).pop();
        let worker = idle.or_else(|| self.start())?;
        Some(Seat { pool: self, worker: Some(worker) })
    }

    fn start(&'static self) -> Option<Worker> {
        let id = self.started.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = channel();
        self.alive.fetch_add(1, Ordering::Relaxed);
        let named = thread::Builder::new().name(format!("resilient {}", self.name));
        match named.spawn(move || self.work(id, &receiver)) {
            Ok(_) => Some(Worker { id, work: sender }),
            Err(_) => {
                self.alive.fetch_sub(1, Ordering::Relaxed);
                None
            }
        }
    }

    /// The life of one thread.
    fn work(&'static self, id: u32, work: &Receiver<Work>) {
        loop {
            match work.recv_timeout(self.kept_idle) {
                Ok(Work { body, seat }) => {
                    // The body brings its own panics to its caller; what is left here is a `drop` that panics.
                    let _ = catch_unwind(AssertUnwindSafe(|| body(seat)));
                }
                Err(RecvTimeoutError::Timeout) if !self.retire(id) => {}
                Err(_) => break,
            }
        }
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes an idle thread off the list; false where somebody has its seat.
    fn retire(&self, id: u32) -> bool {
        let mut idle = lock(&self.idle);
        let at = idle.iter().position(|worker| worker.id == id);
        at.map(|at| idle.remove(at)).is_some()
    }
}

/// A thread for one body; idle again when this is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    pool: &'static Pool,
    worker: Option<Worker>,
}

impl Seat {
    /// Runs `body` on it.
    pub(crate) fn run(self, body: Body) {
        let work = self.worker.as_ref().map(|worker| worker.work.clone());
        // A thread does not end while somebody has its seat.
        let sent = work.map(|work| work.send(Work { body, seat: self }));
        debug_assert!(matches!(sent, Some(Ok(()))), "a thread ended under its seat");
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.pool.idle).extend(self.worker.take());
    }
}
