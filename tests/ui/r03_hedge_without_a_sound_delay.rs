use resilient::resilient;

#[resilient(timeout_ms = 60, hedge = p0)]
async fn f0(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, hedge = 20)]
async fn f1(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, hedge = soon)]
async fn f2(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
