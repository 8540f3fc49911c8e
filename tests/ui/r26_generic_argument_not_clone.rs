use resilient::resilient;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(read, timeout_ms = 60, retries = 1)]
async fn stock<T: AsRef<str>>(sku: T) -> Result<u64, StockError> {
    if sku.as_ref().is_empty() { Err(StockError::Broken) } else { Ok(1) }
}

fn main() {}
