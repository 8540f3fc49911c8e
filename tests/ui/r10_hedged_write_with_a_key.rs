use resilient::resilient;

#[resilient(write, idempotency_key = key, timeout_ms = 60, hedge = 20ms)]
async fn reserve(key: resilient::IdempotencyKey) -> Result<u64, resilient::Failure<std::io::Error>> {
    drop(key);
    Ok(1)
}

fn main() {}
