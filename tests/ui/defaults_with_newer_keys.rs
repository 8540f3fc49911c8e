struct Stock;

#[resilient::defaults(timeout_ms = 60, hedge = p95, rate_limt = "100/min")]
impl Stock {
    #[resilient::resilient(write)]
    async fn reserve(&self) -> std::io::Result<u64> {
        Ok(1)
    }

    #[resilient::resilient(blocking = cooperative)]
    fn view(&self) -> std::io::Result<u64> {
        Ok(1)
    }
}

fn main() {}
