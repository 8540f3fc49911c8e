use resilient::resilient;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

async fn stale(_sku: &str, _shop: u64) -> Result<u64, StockError> {
    Ok(0)
}

#[resilient(timeout_ms = 60, fallback = stale)]
async fn stock(sku: &str) -> Result<u64, StockError> {
    if sku.is_empty() { Err(StockError::Broken) } else { Ok(1) }
}

fn main() {}
