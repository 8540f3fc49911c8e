use resilient::resilient;

#[resilient(timeout_ms = 60)]
struct Stock;

fn main() {}
