#[derive(Debug, resilient::Classify)]
enum StockError {
    #[permanent]
    Gone,
    Slow(#[transient] u64),
}

fn main() {}
