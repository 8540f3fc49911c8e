#[derive(Debug, resilient::Classify)]
enum StockError {
    #[classify(delegate)]
    Both(std::io::Error, std::io::Error),
}

fn main() {}
