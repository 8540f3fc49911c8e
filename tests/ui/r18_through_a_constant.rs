use resilient::resilient;

const MIN: u32 = 50;

#[resilient(timeout_ms = 60, breaker("stock", min_calls = MIN))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
