#[derive(Debug, resilient::Classify)]
enum StockError {
    #[throttled(retry_after = wiat)]
    Busy { wait: std::time::Duration },
}

fn main() {}
