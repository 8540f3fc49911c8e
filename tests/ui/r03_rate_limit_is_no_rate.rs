use resilient::resilient;

#[resilient(timeout_ms = 60, rate_limit = "100")]
async fn f0(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, rate_limit = 100)]
async fn f1(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, rate_limit = 100/min)]
async fn f2(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, rate_limit("100/min", strict = true))]
async fn f3(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
