use resilient::resilient;

#[resilient(timeout_ms = 60)]
mod stock {}

fn main() {}
