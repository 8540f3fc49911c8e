#[derive(Debug, resilient::Classify)]
enum StockError {
    #[classify(timeout)]
    Slow,
}

fn main() {}
