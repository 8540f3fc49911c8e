use resilient::resilient;

const PROBE: std::time::Duration = std::time::Duration::from_millis(50);

#[resilient(timeout_ms = 60, breaker("stock", probe_timeout = PROBE))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
