use resilient::resilient;

#[resilient(timeout_ms = 60, bulkhead = adaptve)]
async fn f0(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout_ms = 60, bulkhead(adaptive, kind = vegs))]
async fn f1(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

#[resilient(timeout = nonne)]
async fn f2(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
