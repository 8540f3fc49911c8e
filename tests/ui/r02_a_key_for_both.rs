use resilient::resilient;

#[resilient(timeout_ms = 60, fallback(cached, key = (sku)), coalesce(key = (sku)))]
async fn stock(sku: &str) -> Result<u64, resilient::Rejected> {
    Ok(sku.len() as u64)
}

fn main() {}
