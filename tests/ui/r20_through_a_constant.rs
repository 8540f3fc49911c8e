use resilient::resilient;

const T: std::time::Duration = std::time::Duration::from_millis(60);

#[resilient(timeout = T, breaker("stock", slow_ms = 60))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
