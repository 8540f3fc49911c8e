use resilient::resilient;

#[resilient(timeout_ms = 60, breaker = "webhook.{customer.len()}")]
async fn send(customer: &str) -> std::io::Result<u64> {
    Ok(customer.len() as u64)
}

fn main() {}
