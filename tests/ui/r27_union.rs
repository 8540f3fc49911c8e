#[derive(resilient::Classify)]
union StockError {
    code: u8,
    flag: bool,
}

fn main() {}
