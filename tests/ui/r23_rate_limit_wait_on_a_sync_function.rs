use resilient::resilient;

#[resilient(timeout = none, rate_limit("100/min", max_wait_ms = 5))]
fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
