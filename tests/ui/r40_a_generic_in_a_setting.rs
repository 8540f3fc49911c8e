use resilient::resilient;

trait Limits {
    const LIMIT: std::time::Duration;
}

#[resilient(timeout = T::LIMIT)]
async fn stock<T: Limits>(limits: T) -> std::io::Result<u64> {
    let _ = limits;
    Ok(1)
}

fn main() {}
