//! The database of `stock`: 8 connections, and whoever finds none free waits in line.

use rand::{RngExt, rngs::StdRng};
use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// `[storm, part 1]`: "8 connections".
pub const CONNECTIONS: usize = 8;
/// `[storm, part 1]`: query times are exponential with this mean, 2,000 queries/s from 8 connections.
pub const QUERY: Duration = Duration::from_millis(4);
/// `[storm, part 1]`: "every query takes ten times longer".
pub const HICCUP: u32 = 10;

/// The caller of this query stopped waiting before the query was done, or even begun.
pub struct Expired;

/// A database that takes its time.
pub struct Database {
    free: Semaphore,
    /// When each of the free connections became free.
    free_since: Mutex<Vec<Instant>>,
    hiccup: AtomicBool,
    rng: Mutex<StdRng>,
}

impl Database {
    pub fn new(rng: StdRng) -> Self {
        Self {
            free: Semaphore::new(CONNECTIONS),
            free_since: Mutex::new(vec![Instant::now(); CONNECTIONS]),
            hiccup: AtomicBool::new(false),
            rng: Mutex::new(rng),
        }
    }

    /// The storage hiccup begins or ends.
    pub fn set_hiccup(&self, hiccup: bool) {
        self.hiccup.store(hiccup, Ordering::Relaxed);
    }

    /// Waits in line for a connection, then for the query.
    ///
    /// `[storm, part 2]`, "at every queue": expired work is dropped when it leaves the queue, never begun, and a query
    /// has the time left as its statement timeout. A dropped future frees its connection.
    pub async fn query(&self, expires: Option<Instant>) -> Result<(), Expired> {
        let asked = Instant::now();
        let mut connection = self.connect().await;
        if expires.is_some_and(|at| at <= Instant::now()) {
            return Err(Expired);
        }
        // Timers are up to 1 ms late, a fifth of a query. Counting from the moment when the connection became free,
        // and not from the moment when this task noticed, keeps the capacity at 8 / 4 ms all the same.
        let ends = asked.max(connection.free_since) + self.query_time();
        if let Some(at) = expires.filter(|&at| at < ends) {
            sleep_until(at).await;
            return Err(Expired);
        }
        sleep_until(ends).await;
        connection.ended = Some(ends);
        Ok(())
    }

    async fn connect(&self) -> Connection<'_> {
        let permit = self.free.acquire().await.expect("this semaphore is never closed");
        let free_since = self.free_since.lock().unwrap().pop().expect("as many entries as permits");
        Connection { database: self, free_since, ended: None, _permit: permit }
    }

    fn query_time(&self) -> Duration {
        let mean = if self.hiccup.load(Ordering::Relaxed) { QUERY * HICCUP } else { QUERY };
        exponential(&mut self.rng.lock().unwrap(), mean)
    }
}

/// A connection in use.
struct Connection<'a> {
    database: &'a Database,
    free_since: Instant,
    ended: Option<Instant>,
    _permit: SemaphorePermit<'a>,
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.database.free_since.lock().unwrap().push(self.ended.unwrap_or_else(Instant::now));
    }
}

/// A random duration with an exponential spread.
pub fn exponential(rng: &mut StdRng, mean: Duration) -> Duration {
    mean.mul_f64(-(1.0 - rng.random::<f64>()).ln())
}
