use resilient::resilient;

const N: u32 = 1;

#[resilient(timeout_ms = 60, retries = N)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
