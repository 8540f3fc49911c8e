use resilient::resilient;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(timeout_ms = 60, fallback = cached)]
async fn price(amount: f64) -> Result<u64, StockError> {
    if amount > 0.0 { Ok(1) } else { Err(StockError::Broken) }
}

fn main() {}
