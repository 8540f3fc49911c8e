use resilient::resilient;

#[resilient(read, timeout_ms = 60, retry_budget(0.1, name = "webhook.{self.shop}"))]
async fn send(customer: &str) -> std::io::Result<u64> {
    Ok(customer.len() as u64)
}

fn main() {}
