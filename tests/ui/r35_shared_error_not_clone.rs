use resilient::resilient;

#[resilient(read, timeout_ms = 60, coalesce)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
