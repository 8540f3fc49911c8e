use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn stock(#[share] sku: String) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
