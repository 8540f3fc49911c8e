use resilient::resilient;

const WINDOW_MS: u64 = 100;

#[resilient(timeout_ms = 60, breaker("stock", window_ms = WINDOW_MS))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
