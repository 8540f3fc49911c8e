use resilient::resilient;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    Gone,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(timeout_ms = 60, retries = 1)]
async fn stock(sku: &str) -> Result<u64, StockError> {
    if sku.is_empty() { Err(StockError::Broken) } else { Ok(1) }
}

fn main() {}
