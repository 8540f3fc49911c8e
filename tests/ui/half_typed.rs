use resilient::resilient;

#[resilient(timeout =)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {
    drop(stock("tea"));
}
