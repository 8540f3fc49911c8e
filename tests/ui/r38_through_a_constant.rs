use resilient::resilient;
use std::time::Duration;

const WAIT: Duration = Duration::from_millis(100);

#[resilient(timeout_ms = 60, deadline_ms = 100, rate_limit("100/min", max_wait = WAIT))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
