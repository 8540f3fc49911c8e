use resilient::resilient;

#[resilient(timout_ms = 60)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 0)]
async fn price(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
