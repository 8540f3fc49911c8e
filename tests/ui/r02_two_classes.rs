#[derive(Debug, resilient::Classify)]
enum StockError {
    #[timeout]
    #[transient]
    Slow,
}

fn main() {}
