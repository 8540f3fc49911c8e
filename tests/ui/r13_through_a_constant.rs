use resilient::resilient;

const N: u32 = 0;

#[resilient(read, timeout_ms = 60, retries = N, retry_budget = 0.1)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
