use resilient::resilient;

#[resilient(read, deadline_ms = 500, retries = 1)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
