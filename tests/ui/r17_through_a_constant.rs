use resilient::resilient;

const RATE: f64 = 0.01;

#[resilient(timeout_ms = 60, breaker("stock", failure_rate = RATE))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
