use resilient::resilient;

#[resilient(timeout = none, breaker = "stock", fallback = default)]
async fn stock(sku: &str) -> usize {
    sku.len()
}

fn main() {}
