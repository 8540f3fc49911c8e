use resilient::resilient;

const T: std::time::Duration = std::time::Duration::from_millis(60);
const D: std::time::Duration = std::time::Duration::from_millis(200);

#[resilient(read, timeout = T, deadline = D, retries = 2)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
