use resilient::resilient;

#[resilient(read, timeout_ms = 60, retries = 1)]
async fn first(#[share] list: &mut [u64]) -> std::io::Result<&mut u64> {
    list.first_mut().ok_or_else(|| std::io::Error::other("empty"))
}

fn main() {}
