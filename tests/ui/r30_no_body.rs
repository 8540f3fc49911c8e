use resilient::resilient;

trait Stock {
    #[resilient(timeout_ms = 60)]
    async fn view(&self) -> std::io::Result<u64>;
}

fn main() {}
