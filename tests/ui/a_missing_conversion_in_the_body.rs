use resilient::resilient;

struct Unreadable;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

fn parsed(_sku: &str) -> Result<u64, Unreadable> {
    Err(Unreadable)
}

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> Result<u64, StockError> {
    let sku = parsed(sku)?;
    if sku > 0 { Ok(sku) } else { Err(StockError::Broken) }
}

fn main() {}
