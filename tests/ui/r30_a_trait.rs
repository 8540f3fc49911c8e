use resilient::resilient;

#[resilient(timeout_ms = 60)]
trait Stock {
    fn view(&self) -> std::io::Result<u64>;
}

fn main() {}
