use resilient::resilient;

#[resilient(breaker = "stock.view")]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
