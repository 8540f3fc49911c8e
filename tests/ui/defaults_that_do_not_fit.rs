struct Stock;

#[resilient::defaults(timeout_ms = 60, deadline_ms = 100)]
impl Stock {
    #[resilient::resilient(read, retries = 1)]
    async fn view(&self) -> std::io::Result<u64> {
        Ok(1)
    }

    #[resilient::resilient]
    async fn once(&self) -> std::io::Result<u64> {
        Ok(1)
    }
}

fn main() {}
