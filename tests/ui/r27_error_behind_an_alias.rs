use resilient::resilient;

struct Mine;

impl From<resilient::Rejected> for Mine {
    fn from(_: resilient::Rejected) -> Self {
        Self
    }
}

type Answer = Result<u64, Mine>;

#[resilient(timeout_ms = 60)]
async fn stock(sku: &str) -> Answer {
    if sku.is_empty() { Err(Mine) } else { Ok(1) }
}

fn main() {}
