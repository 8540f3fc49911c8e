use resilient::resilient;

struct Stock;

impl Stock {
    const LIMIT: std::time::Duration = std::time::Duration::from_millis(60);

    #[resilient(timeout = Self::LIMIT)]
    async fn view(&self) -> std::io::Result<u64> {
        Ok(1)
    }
}

fn main() {}
