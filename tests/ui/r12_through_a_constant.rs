use resilient::resilient;
use std::time::Duration;

const DELAY: Duration = Duration::from_millis(60);

#[resilient(read, timeout_ms = 60, hedge = DELAY)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
