use resilient::resilient;

#[resilient(timeout_ms = 60, breaker("stock", open_cap_ms = 1_000))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
