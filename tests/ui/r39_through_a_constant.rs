use resilient::resilient;

const PASSES: u32 = 3;

#[resilient(timeout_ms = 60, breaker("stock", probes = 2, passes = PASSES))]
async fn stock(sku: &str) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
