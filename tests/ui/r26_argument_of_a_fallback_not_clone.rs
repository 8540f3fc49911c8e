use resilient::resilient;

struct Upload(u64);

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

async fn later(file: Upload) -> Result<u64, StockError> {
    Ok(file.0)
}

#[resilient(timeout_ms = 60, fallback = later)]
async fn upload(file: Upload) -> Result<u64, StockError> {
    if file.0 > 0 { Ok(file.0) } else { Err(StockError::Broken) }
}

fn main() {}
