use resilient::resilient;

#[resilient(timeout_ms = 60, hedge = 20ms)]
async fn stock(shelf: &mut Vec<u64>) -> std::io::Result<u64> {
    Ok(shelf.pop().unwrap_or_default())
}

fn main() {}
