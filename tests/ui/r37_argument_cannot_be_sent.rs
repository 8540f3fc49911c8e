use resilient::resilient;
use std::rc::Rc;

#[resilient(timeout_ms = 60, bulkhead = 12, blocking = thread)]
fn stock(sku: Rc<str>) -> std::io::Result<u64> {
    Ok(sku.len() as u64)
}

fn main() {}
