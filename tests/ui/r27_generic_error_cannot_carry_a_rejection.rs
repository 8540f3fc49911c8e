use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn stock<E: resilient::Classify>(sku: &str) -> Result<usize, E> {
    Ok(sku.len())
}

fn main() {}
