use resilient::resilient;

struct Stock;

#[resilient(timeout_ms = 60)]
impl Stock {
    async fn view(&self) -> std::io::Result<u64> {
        Ok(1)
    }
}

fn main() {}
