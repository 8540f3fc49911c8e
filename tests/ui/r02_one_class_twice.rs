#[derive(Debug, resilient::Classify)]
enum StockError {
    #[timeout]
    #[timeout]
    Slow,
}

fn main() {}
