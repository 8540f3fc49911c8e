#[resilient::defaults(timeout_ms = 60)]
async fn view() -> std::io::Result<u64> {
    Ok(1)
}

fn main() {}
