#[derive(Debug, resilient::Classify)]
enum StockError {
    #[classify(delgate)]
    Io(std::io::Error),
}

fn main() {}
