use resilient::resilient;

#[resilient(timeout_ms = 60, bulkhead(12, name = "webhook.{shop}"))]
async fn send((shop, customer): (u64, u64)) -> std::io::Result<u64> {
    Ok(shop + customer)
}

fn main() {}
