use resilient::resilient;

#[resilient(write, timeout_ms = 60, coalesce)]
async fn reserve(sku: &str) -> Result<u64, resilient::Rejected> {
    Ok(sku.len() as u64)
}

fn main() {}
