use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn stock(_sku: &str) {}

fn main() {}
