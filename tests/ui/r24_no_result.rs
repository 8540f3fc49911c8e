use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> u64 {
    sku.len() as u64
}

fn main() {}
