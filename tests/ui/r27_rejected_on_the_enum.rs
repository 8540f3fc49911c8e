#[derive(Debug, resilient::Classify)]
#[rejected]
enum StockError {
    Guard(resilient::Rejected),
}

fn main() {}
