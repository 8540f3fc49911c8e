use resilient::resilient;

trait Stream {}

impl Stream for u64 {}

#[resilient(timeout_ms = 60)]
fn stock() -> impl Stream {
    1_u64
}

fn main() {}
