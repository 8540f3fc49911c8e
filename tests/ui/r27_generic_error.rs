use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn stock<E: From<resilient::Rejected>>(sku: &str) -> Result<usize, E> {
    Ok(sku.len())
}

fn main() {}
