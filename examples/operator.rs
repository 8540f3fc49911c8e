//! An operator changes the guards of a running program: no rebuild, no restart.
//!
//! ```sh
//! cargo run --example operator
//! ```
//!
//! The clock is paused, so that the run takes no time and prints the same every time.

use futures_util::future::join_all;
use resilient::{Forced, OperationHandle, RejectedKind, operation, resilient};
use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

static IS_BROKEN: AtomicBool = AtomicBool::new(false);

#[resilient(timeout_ms = 60, breaker = "stock.view", bulkhead = 2)]
async fn view_stock(sku: u32) -> Result<u32, StockError> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    if IS_BROKEN.load(Ordering::Relaxed) { Err(StockError::Broken) } else { Ok(sku) }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> io::Result<()> {
    tell(&mut io::stdout()).await
}

/// The story, with a line for each thing that the operator does.
pub async fn tell(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "six calls at once               {}", six().await)?;
    let stock = operation("stock.view").expect("it has been called");

    stock.limit(4);
    writeln!(out, "limit(4)                        {}", six().await)?;

    stock.force(Forced::Open);
    writeln!(out, "force(Forced::Open)             {}", six().await)?;

    stock.force(Forced::Observe);
    IS_BROKEN.store(true, Ordering::Relaxed);
    let observed = rounds(6).await;
    writeln!(out, "force(Forced::Observe), broken  {observed}, {}", breaker(stock))?;

    stock.automatic();
    let decided = rounds(6).await;
    writeln!(out, "automatic(), still broken       {decided}, {}", breaker(stock))?;

    IS_BROKEN.store(false, Ordering::Relaxed);
    stock.reset();
    writeln!(out, "reset(), repaired               {}, {}", rounds(6).await, breaker(stock))
}

/// Six calls at the same moment, and how they ended.
async fn six() -> String {
    ended(&join_all((1..=6).map(view_stock)).await)
}

/// So many times four calls, which is what the bulkhead admits by then.
async fn rounds(many: u32) -> String {
    let mut outcomes = Vec::new();
    for _ in 0..many {
        outcomes.extend(join_all((1..=4).map(view_stock)).await);
    }
    ended(&outcomes)
}

fn ended(outcomes: &[Result<u32, StockError>]) -> String {
    let count = |is: fn(&Result<u32, StockError>) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let counts = [
        (count(|outcome| outcome.is_ok()), "answered"),
        (count(|outcome| matches!(outcome, Err(StockError::Broken))), "failed"),
        (count(|outcome| rejected_as(outcome, |kind| matches!(kind, RejectedKind::Full { .. }))), "full"),
        (count(|outcome| rejected_as(outcome, |kind| kind == RejectedKind::Open)), "refused"),
    ];
    let counts = counts.into_iter().filter(|(many, _)| *many > 0).map(|(many, how)| format!("{many} {how}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn rejected_as(outcome: &Result<u32, StockError>, is: fn(RejectedKind) -> bool) -> bool {
    matches!(outcome, Err(StockError::Guard(rejected)) if is(rejected.kind()))
}

fn breaker(stock: OperationHandle) -> String {
    let breaker = stock.snapshot().breaker.expect("it has one");
    format!("{:?}, would have opened {}", breaker.state, breaker.would_open)
}
