use resilient::resilient;

const T: std::time::Duration = std::time::Duration::from_millis(600);

#[resilient(timeout = T, deadline_ms = 500)]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
