#[derive(Debug, resilient::Classify)]
enum StockError {
    #[overloaded(retry_after = 0)]
    Busy(u64),
}

fn main() {}
