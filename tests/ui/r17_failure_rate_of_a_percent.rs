use resilient::resilient;

#[resilient(timeout_ms = 60, breaker("stock", failure_rate = 0.01))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
