use resilient::resilient;

#[resilient(timeout_ms = 60)]
const fn stock() -> std::io::Result<u64> {
    Ok(1)
}

fn main() {}
