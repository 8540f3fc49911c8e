use resilient::resilient;

const T: std::time::Duration = std::time::Duration::from_micros(500);

#[resilient(timeout = T)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
