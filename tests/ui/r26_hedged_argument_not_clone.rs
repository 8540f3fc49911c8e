use resilient::{Failure, resilient};

struct Upload(Vec<u8>);

#[resilient(timeout_ms = 60, hedge = p95)]
async fn upload(upload: Upload) -> Result<usize, Failure<std::io::Error>> {
    Ok(upload.0.len())
}

fn main() {}
