use resilient::resilient;

#[resilient(timeout_ms = 60, bulkhead(adaptive, min = 300))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
