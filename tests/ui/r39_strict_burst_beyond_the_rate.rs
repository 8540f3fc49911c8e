use resilient::resilient;

#[resilient(timeout_ms = 60, rate_limit("100/min", strict, burst = 500))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
