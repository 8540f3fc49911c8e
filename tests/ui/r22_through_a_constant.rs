use resilient::resilient;

const WAIT_MS: u64 = 100;

#[resilient(timeout_ms = 60, deadline_ms = 100, bulkhead(12, max_wait_ms = WAIT_MS))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
