#[derive(Debug, resilient::Classify)]
enum StockError {
    #[classify(delegate)]
    Both(#[classify(delegate)] std::io::Error, #[classify(delegate)] std::io::Error),
}

fn main() {}
