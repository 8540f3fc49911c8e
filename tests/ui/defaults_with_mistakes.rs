struct Stock;

#[resilient::defaults(timout_ms = 60, name = "stock")]
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
