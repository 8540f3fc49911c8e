use resilient::resilient;

struct Rows;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(timeout_ms = 60, fallback = cached)]
async fn stock(sku: &str) -> Result<Rows, StockError> {
    if sku.is_empty() { Err(StockError::Broken) } else { Ok(Rows) }
}

fn main() {}
