#[derive(Debug, resilient::Classify)]
#[permanent]
struct Mine;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[rejected]
    Guard(Mine),
}

fn main() {}
