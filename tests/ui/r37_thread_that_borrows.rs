use resilient::resilient;
use std::{borrow::Cow, sync::Arc};

struct Shop;

impl Shop {
    #[resilient(timeout_ms = 60, bulkhead = 12, blocking = thread)]
    fn view(&self, sku: &str, lists: Vec<Cow<'_, str>>) -> std::io::Result<u64> {
        Ok((sku.len() + lists.len()) as u64)
    }

    #[resilient(read, timeout_ms = 60, retries = 1, bulkhead = 12, blocking = thread)]
    fn again(self: Arc<Self>, #[share] sku: Arc<str>) -> std::io::Result<u64> {
        Ok(sku.len() as u64)
    }
}

fn main() {}
