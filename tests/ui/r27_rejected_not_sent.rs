#[derive(Debug, resilient::Classify)]
enum StockError {
    #[rejected]
    #[not_sent]
    Guard(resilient::Rejected),
}

fn main() {}
