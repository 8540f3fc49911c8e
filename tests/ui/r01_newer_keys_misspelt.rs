use resilient::resilient;

#[resilient(timeout_ms = 60, hegde = p95)]
async fn f0(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, rate_limt = "100/min")]
async fn f1(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, read, colaesce)]
async fn f2(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, hedge(p95, min_sample = 50))]
async fn f3(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
