use resilient::resilient;

unsafe extern "C" {
    #[resilient(timeout = none)]
    fn stock(sku: u64) -> u64;
}

fn main() {}
