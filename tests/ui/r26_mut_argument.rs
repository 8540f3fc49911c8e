use resilient::resilient;

#[resilient(read, timeout_ms = 60, retries = 1)]
async fn fill(buffer: &mut Vec<u8>) -> std::io::Result<usize> {
    buffer.push(1);
    Ok(buffer.len())
}

fn main() {}
