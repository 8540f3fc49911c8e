//! Expansions as a person would read them; `BLESS=1 cargo test` writes them anew.

use super::expansion;
use std::{env, fs, path::Path};

#[track_caller]
fn golden(name: &str, args: &str, item: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/golden").join(name).with_extension("rs");
    let text = expansion(args, item);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{name} expands to\n{text}\ninstead of\n{kept}");
}

#[test]
fn an_async_function_that_repeats() {
    golden(
        "async_repeated",
        "timeout_ms = 60, retries = 1, read, breaker = \"stock.view\", bulkhead = 12",
        "pub async fn view(sku: String, shop: &Shop) -> Result<Stock, StockError> { shop.view(sku).await }",
    );
}

#[test]
fn an_async_function_that_runs_once() {
    golden(
        "async_once",
        "timeout_ms = 60",
        "async fn view(&mut self, mut sku: String) -> Result<Stock, StockError> { sku.push('x'); self.get(sku).await }",
    );
}

#[test]
fn a_sync_function() {
    golden(
        "sync",
        "write, idempotency_key = key, timeout = LIMIT, blocking = cooperative, retries = 1",
        "fn reserve(key: IdempotencyKey, cart: &Cart) -> Result<u64, StockError> { send(cart) }",
    );
}

#[test]
fn a_cached_answer() {
    golden(
        "cached",
        "timeout_ms = 60, retry_budget = 0.1, fallback = cached",
        "async fn view(sku: &str, (page, size): (u64, u64)) -> Result<Stock, StockError> { get(sku, page, size).await }",
    );
}

#[test]
fn an_answer_for_many() {
    golden(
        "coalesced",
        "timeout_ms = 60, read, coalesce",
        "async fn view(sku: &str) -> Result<Stock, StockError> { get(sku).await }",
    );
}

#[test]
fn a_second_copy() {
    golden(
        "hedged",
        "timeout_ms = 60, hedge = p95",
        "async fn view(&self, sku: String) -> Result<Stock, StockError> { self.get(sku).await }",
    );
}

#[test]
fn a_body_on_a_thread() {
    golden(
        "threaded",
        "timeout_ms = 60, retries = 1, read, bulkhead = 12, blocking = thread",
        "fn view(sku: String) -> Result<Stock, StockError> { get(&sku) }",
    );
}

#[test]
fn a_plan_b_that_is_told_the_error() {
    golden(
        "plan_b",
        "timeout_ms = 60, fallback = (Self::plan, error)",
        "async fn view(&self, sku: String) -> Result<Stock, StockError> { self.get(sku).await }",
    );
}

#[test]
fn a_state_per_key() {
    golden(
        "keyed",
        "timeout_ms = 60, retries = 1, read, breaker = \"hook.{customer}\", \
         bulkhead(4, name = \"hook.{self.region}.{event.kind.0}\"), retry_budget(0.1, name = \"hook.{customer}\")",
        "async fn send(&self, customer: String, event: &Event) -> Result<(), HookError> { post(customer, event).await }",
    );
}

#[test]
fn a_function_without_a_result() {
    golden("value", "timeout_ms = 60, fallback = value(0)", "async fn count(sku: &str) -> u64 { count_of(sku).await }");
}

#[test]
fn an_async_trait_method() {
    golden(
        "async_trait",
        "timeout_ms = 60, retries = 1, read",
        "fn view<'life0, 'async_trait>(&'life0 mut self, sku: String, __arg2: (u64, u64))
             -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<u64, E>> + ::core::marker::Send + 'async_trait>>
         {
             Box::pin(async move {
                 if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<u64, E>> {
                     #[allow(unreachable_code)]
                     return __ret;
                 }
                 let mut __self = self;
                 let sku = sku;
                 let (a, b) = { let __arg2 = __arg2; __arg2 };
                 let __ret: Result<u64, E> = { __self.get(sku, a, b).await };
                 #[allow(unreachable_code)]
                 __ret
             })
         }",
    );
}

#[test]
fn a_future_made_by_hand() {
    golden(
        "future",
        "timeout_ms = 60, retries = 1, read",
        "fn view(x: &str) -> impl Future<Output = Result<u64, E>> { let n = x.len(); async move { Ok(n) } }",
    );
}
