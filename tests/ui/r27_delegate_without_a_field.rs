#[derive(Debug, resilient::Classify)]
enum StockError {
    #[classify(delegate)]
    Gone,
}

fn main() {}
