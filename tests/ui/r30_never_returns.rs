use resilient::resilient;

#[resilient(timeout_ms = 60)]
async fn serve() -> ! {
    loop {}
}

fn main() {}
