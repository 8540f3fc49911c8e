use resilient::resilient;

#[resilient(timeout_ms = 60,, read)]
async fn f0(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, bulkhead(12,, max_wait_ms = 5))]
async fn f1(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, allow(R07,, R13))]
async fn f2(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
