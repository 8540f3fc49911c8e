use resilient::resilient;

#[resilient(timeout = none)]
const fn stock() -> std::io::Result<u64> {
    Ok(1)
}

fn main() {}
