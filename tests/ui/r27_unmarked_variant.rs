#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    Gone,
}

fn main() {}
