#[derive(Debug, resilient::Classify)]
struct StockError;

fn main() {}
