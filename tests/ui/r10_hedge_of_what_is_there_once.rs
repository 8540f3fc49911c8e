use resilient::{Failure, resilient};

struct Stock(u64);

impl Stock {
    #[resilient(timeout_ms = 60, hedge = 20ms)]
    async fn sold_out(self) -> Result<u64, Failure<std::io::Error>> {
        Ok(self.0)
    }
}

#[resilient(timeout_ms = 60, hedge = 20ms)]
async fn upload(#[share] stock: Stock) -> Result<u64, Failure<std::io::Error>> {
    Ok(stock.0)
}

fn main() {}
