use resilient::resilient;
use std::rc::Rc;

#[resilient(timeout_ms = 60, bulkhead = 12, blocking = thread)]
fn stock(sku: String) -> std::io::Result<Rc<str>> {
    Ok(sku.into())
}

fn main() {}
