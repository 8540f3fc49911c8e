use resilient::resilient;

const BASE: std::time::Duration = std::time::Duration::from_millis(100);

#[resilient(read, timeout_ms = 60, retry(base = BASE, cap_ms = 50))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
