use resilient::resilient;

struct Shop {
    tenant: u64,
}

impl Shop {
    #[resilient(read, timeout_ms = 60, coalesce)]
    async fn view(&self, sku: &str) -> Result<u64, resilient::Rejected> {
        Ok(sku.len() as u64 + self.tenant)
    }
}

fn main() {}
