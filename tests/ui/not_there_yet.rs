use resilient::resilient;

#[resilient(read, timeout_ms = 60, rate_limit = "100/min", coalesce, breaker("stock", window_ms = 10_000), bulkhead(12, max_wait_ms = 5))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
