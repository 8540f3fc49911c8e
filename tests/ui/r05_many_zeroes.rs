use resilient::resilient;

#[resilient(timeout_ms = 60, breaker("stock", window = 0, probes = 0, open_ms = 0), fallback(cached, max_stale_ms = 0))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
