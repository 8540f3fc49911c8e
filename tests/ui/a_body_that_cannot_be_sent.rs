use resilient::resilient;

#[derive(Debug, resilient::Classify)]
enum StockError {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> Result<u64, StockError> {
    let shared = std::rc::Rc::new(1);
    std::future::ready(()).await;
    if sku.is_empty() { Err(StockError::Broken) } else { Ok(*shared) }
}

fn spawned(_: impl Send) {}

fn main() {
    spawned(stock("tea"));
}
