use resilient::resilient;

#[resilient(timeout_ms = 60, fallback = cached)]
async fn stock(sku: &str) -> Option<u64> {
    sku.parse().ok()
}

fn main() {}
