use resilient::resilient;

struct Customer {
    id: u64,
}

#[resilient(timeout_ms = 60, breaker = "webhook.{customer}")]
async fn send(customer: &Customer) -> std::io::Result<u64> {
    Ok(customer.id)
}

fn main() {}
