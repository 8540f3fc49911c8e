use resilient::resilient;

struct Shop {
    tenant: u64,
}

impl Shop {
    #[resilient(timeout_ms = 60, fallback = cached)]
    async fn view(&self, sku: &str) -> std::io::Result<u64> {
        Ok(sku.len() as u64 + self.tenant)
    }
}

fn main() {}
