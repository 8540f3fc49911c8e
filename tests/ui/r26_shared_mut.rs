use resilient::resilient;

#[resilient(read, timeout_ms = 60, retries = 1)]
async fn stock(#[share] mut sku: String) -> std::io::Result<u64> {
    sku.push('x');
    Ok(sku.len() as u64)
}

fn main() {}
