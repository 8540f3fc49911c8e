use resilient::resilient;

#[resilient(write, idempotency_key = key, timeout_ms = 60, retries = 1)]
async fn reserve((key, _cart): (resilient::IdempotencyKey, u64)) -> std::io::Result<String> {
    Ok(key.to_string())
}

fn main() {}
