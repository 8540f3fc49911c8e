use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    let count: u64 = sku;
    Ok(count)
}

fn main() {}
