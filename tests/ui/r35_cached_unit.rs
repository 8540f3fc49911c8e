use resilient::resilient;

#[resilient(timeout_ms = 60, fallback = cached)]
async fn ping(host: &str) -> std::io::Result<()> {
    let _ = host;
    Ok(())
}

fn main() {}
