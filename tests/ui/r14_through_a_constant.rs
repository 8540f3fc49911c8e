use resilient::resilient;

const SHARE: f64 = 10.0;

#[resilient(read, timeout_ms = 60, retry_budget = SHARE)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
