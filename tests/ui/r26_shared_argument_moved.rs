use resilient::resilient;

struct Upload(u64);

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(read, timeout_ms = 60, retries = 1)]
async fn upload(#[share] file: Upload) -> Result<u64, StockError> {
    let moved = file;
    if moved.0 > 0 { Ok(moved.0) } else { Err(StockError::Broken) }
}

fn main() {}
