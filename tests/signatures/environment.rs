//! What stands around a function: lints, and a web framework.

use crate::support::{Error, Result, blip_twice, once, ran, retried};
use axum::{
    extract::{Path, State},
    handler::Handler,
    response::{IntoResponse, Response},
};
use resilient::resilient;
use std::sync::Mutex;

/// Row 89: the expectation is fulfilled only if the lint speaks.
#[expect(dead_code, reason = "an unused function is still reported")]
#[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
async fn nobody_calls_this(n: u64) -> Result<u64> {
    blip_twice()?;
    Ok(n)
}

/// Row 90: the expectations are fulfilled only if the lints speak.
#[test]
fn lints_of_the_function_are_heard() {
    #[expect(unused_variables, reason = "an unused variable is still reported")]
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn unused(argument: u64, text: &str) -> Result<()> {
        let local = 1;
        blip_twice()
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    #[expect(clippy::too_many_arguments, reason = "many arguments are still reported")]
    async fn many(a1: u64, a2: u64, a3: u64, a4: u64, a5: u64, a6: u64, a7: u64, a8: u64) -> Result<u64> {
        blip_twice()?;
        Ok(a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8)
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn unused_mut(
        #[expect(unused_mut, reason = "a superfluous `mut` is still reported")] mut n: u64,
    ) -> Result<u64> {
        blip_twice()?;
        Ok(n)
    }
    assert_eq!(retried(unused(1, "")), Ok(()));
    assert_eq!(retried(many(1, 2, 3, 4, 5, 6, 7, 8)), Ok(36));
    assert_eq!(retried(unused_mut(1)), Ok(1));
}

/// Row 91: the expectation is fulfilled only if the lint speaks.
#[test]
fn lints_of_the_body_are_heard() {
    #[expect(clippy::await_holding_lock, reason = "a lock across an await is still reported")]
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn locked(count: &Mutex<u64>) -> Result<u64> {
        let mut count = count.lock().unwrap();
        *count += 1;
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(*count)
    }
    assert_eq!(retried(locked(&Mutex::new(0))), Ok(3));
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        self.to_string().into_response()
    }
}

/// Row 93.
#[test]
fn a_handler_of_a_web_framework_may_be_guarded() {
    #[derive(Clone)]
    struct Shop {
        price: u64,
    }

    #[resilient(timeout_ms = 50, breaker = "handler.price")]
    async fn price(State(shop): State<Shop>, Path(n): Path<u64>) -> Result<String> {
        ran();
        Ok((shop.price * n).to_string())
    }
    fn is_handler<T, H: Handler<T, Shop>>(_: &H) {}

    is_handler(&price);
    assert_eq!(once(price(State(Shop { price: 2 }), Path(3))), Ok("6".to_owned()));
}
