#[derive(Debug, resilient::Classify)]
enum StockError {
    #[rejected]
    Own(resilient::Rejected),
    #[rejected]
    Inner(resilient::Rejected),
}

fn main() {}
