use resilient::resilient;

#[resilient(read, timeout = none, hedge = 20ms)]
fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
