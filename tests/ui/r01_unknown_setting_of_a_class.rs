#[derive(Debug, resilient::Classify)]
enum StockError {
    #[throttled(retry_afer = wait)]
    Busy { wait: std::time::Duration },
}

fn main() {}
