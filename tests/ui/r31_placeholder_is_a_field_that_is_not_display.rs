use resilient::resilient;

struct Order {
    customer: Option<u64>,
}

#[resilient(timeout_ms = 60, bulkhead(12, name = "webhook.{order.customer}"), breaker = "webhook.{customer}")]
async fn send(order: Order, customer: impl Copy) -> std::io::Result<Option<u64>> {
    let _ = customer;
    Ok(order.customer)
}

fn main() {}
