use resilient::resilient;

#[resilient(timout_ms = 60, retries = "two", retry_budget = 150%, breaker(""), bulkhead = 0, fallback = "cached!")]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
