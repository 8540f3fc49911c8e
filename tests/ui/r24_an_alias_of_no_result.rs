use resilient::resilient;

type Count = u64;

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> Count {
    sku.len() as u64
}

fn main() {}
