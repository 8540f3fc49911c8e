use resilient::resilient;

#[resilient(timeout_ms = 60, blocking = thread)]
fn stock(sku: String) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
