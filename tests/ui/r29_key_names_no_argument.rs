use resilient::resilient;

#[resilient(write, idempotency_key = oder_id, timeout_ms = 60, retries = 1)]
async fn reserve(order_id: resilient::IdempotencyKey) -> std::io::Result<String> {
    Ok(order_id.to_string())
}

fn main() {}
