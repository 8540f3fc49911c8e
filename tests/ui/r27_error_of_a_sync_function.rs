use resilient::resilient;

struct Mine;

impl From<resilient::Rejected> for Mine {
    fn from(_: resilient::Rejected) -> Self {
        Self
    }
}

#[resilient(timeout = none)]
fn stock(sku: &str) -> Result<u64, Mine> {
    if sku.is_empty() { Err(Mine) } else { Ok(1) }
}

fn main() {}
