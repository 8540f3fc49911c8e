#[derive(Debug)]
struct Mine;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[classify(delegate)]
    Inner(Mine),
}

fn main() {}
