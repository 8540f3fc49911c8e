use resilient::resilient;

struct Upload(u64);

struct Ticket;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(read, timeout_ms = 60, retries = 1)]
async fn upload(file: Upload, _ticket: Ticket) -> Result<u64, StockError> {
    if file.0 > 0 { Ok(file.0) } else { Err(StockError::Broken) }
}

fn main() {}
