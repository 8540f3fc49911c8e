use resilient::resilient;

#[resilient(write, idempotency_key = key, timeout_ms = 60, retries = 1)]
async fn reserve(key: String) -> std::io::Result<String> {
    Ok(key)
}

fn main() {}
