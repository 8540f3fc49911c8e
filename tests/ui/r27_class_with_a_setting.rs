#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient(retry_after = wait)]
    Busy { wait: std::time::Duration },
}

fn main() {}
