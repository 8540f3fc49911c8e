//! A dependency with a slow tail, read plainly and with `hedge = p95`.
//!
//! ```sh
//! cargo run --example hedged_read
//! ```
//!
//! The clock is paused, so that a minute of reads takes no time and prints the same every time.

use resilient::{offset, resilient, snapshot};
use std::{
    io::{self, Write},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};
use tokio::time::{Instant, sleep};

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[rejected]
    Guard(resilient::Rejected),
}

const READS: usize = 2_000;

/// Requests that the dependency has seen.
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// Most requests take 2 to 10 ms. Every fiftieth meets a server that pauses, and takes 200 ms.
async fn request() -> u32 {
    let nth = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let usual = Duration::from_millis(2) + offset(nth.to_be_bytes(), Duration::from_millis(8));
    sleep(if nth % 50 == 0 { Duration::from_millis(200) } else { usual }).await;
    nth
}

#[resilient(read, name = "stock.plain", timeout_ms = 500)]
async fn plain() -> Result<u32, StockError> {
    Ok(request().await)
}

#[resilient(name = "stock.hedged", timeout_ms = 500, hedge = p95)]
async fn hedged() -> Result<u32, StockError> {
    Ok(request().await)
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> io::Result<()> {
    tell(&mut io::stdout()).await
}

/// The two, side by side.
pub async fn tell(out: &mut impl Write) -> io::Result<()> {
    let (without, requests) = times(plain).await;
    let (with, hedged_requests) = times(hedged).await;
    writeln!(out, "{READS} reads         plain    hedge = p95")?;
    for (name, share) in [("half within", 50), ("95 % within", 95), ("99 % within", 99), ("the slowest", 100)] {
        let at = READS * share / 100 - 1;
        writeln!(out, "{name}      {:>4} ms    {:>8} ms", without[at].as_millis(), with[at].as_millis())?;
    }
    writeln!(out, "requests sent       {requests}           {hedged_requests}")?;
    let stock = snapshot().into_iter().find(|known| known.operation == "stock.hedged").expect("it was called");
    writeln!(out, "copies sent {}, of which {} answered first", stock.counts.hedges, stock.counts.hedges_won)
}

/// How long the reads took, the fastest first, and how many requests they cost.
async fn times<F: Future<Output = Result<u32, StockError>>>(read: fn() -> F) -> (Vec<Duration>, u32) {
    REQUESTS.store(1, Ordering::Relaxed);
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let began = Instant::now();
        read().await.expect("no request fails");
        times.push(began.elapsed());
    }
    times.sort();
    (times, REQUESTS.load(Ordering::Relaxed) - 1)
}
