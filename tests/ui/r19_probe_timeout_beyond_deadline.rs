use resilient::resilient;

#[resilient(timeout_ms = 60, deadline_ms = 100, breaker("stock", probe_timeout_ms = 150))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
