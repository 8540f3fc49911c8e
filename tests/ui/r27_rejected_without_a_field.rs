#[derive(Debug, resilient::Classify)]
enum StockError {
    #[rejected]
    Guard,
}

fn main() {}
