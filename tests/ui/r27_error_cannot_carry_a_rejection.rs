use resilient::resilient;

#[derive(resilient::Classify)]
enum Mine {
    #[transient]
    Broken,
}

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> Result<u64, Mine> {
    if sku.is_empty() { Err(Mine::Broken) } else { Ok(1) }
}

fn main() {}
