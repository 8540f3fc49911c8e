use resilient::resilient;

const MIN: u32 = 300;

#[resilient(timeout_ms = 60, bulkhead(adaptive, min = MIN))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
