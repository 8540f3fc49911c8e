use resilient::resilient;

#[resilient(read = true, timeout_ms = 60)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
