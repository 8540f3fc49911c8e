use resilient::resilient;

struct Order {
    customer: u64,
}

#[resilient(timeout_ms = 60, breaker = "webhook.{order.custmer}")]
async fn send(order: &Order) -> std::io::Result<u64> {
    Ok(order.customer)
}

fn main() {}
