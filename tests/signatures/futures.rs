//! Functions that return a future by hand.

use crate::support::{Error, Result, blip_twice, once, ran, retried};
use futures_util::future::{BoxFuture, FutureExt, LocalBoxFuture};
use resilient::resilient;
use std::{future::Future, pin::Pin, rc::Rc};

/// Row 78.
#[test]
fn a_function_may_return_an_opaque_future() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    #[expect(clippy::manual_async_fn, reason = "a body that is one block is still reported")]
    fn one_block(n: u64, text: String) -> impl Future<Output = Result<u64>> {
        async move {
            let moved = text;
            tokio::task::yield_now().await;
            blip_twice()?;
            Ok(n + moved.len() as u64)
        }
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    fn after_some_work(n: u64, text: String) -> impl Future<Output = Result<u64>> {
        let doubled = n * 2;
        async move {
            let moved = text;
            blip_twice()?;
            Ok(doubled + moved.len() as u64)
        }
    }
    #[resilient(timeout_ms = 50)]
    fn runs_once(text: String) -> impl Future<Output = Result<usize>> + Send {
        std::future::ready({
            ran();
            Ok(text.len())
        })
    }
    assert_eq!(retried(one_block(1, "ab".to_owned())), Ok(3));
    assert_eq!(retried(after_some_work(1, "ab".to_owned())), Ok(4));
    assert_eq!(once(runs_once("ab".to_owned())), Ok(2));
}

/// Row 79.
#[test]
fn a_function_may_return_a_boxed_future_by_its_alias() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    fn one_block(text: &str, n: u64) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            blip_twice()?;
            Ok(n + text.len() as u64)
        })
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    fn by_method(text: &str, n: u64) -> BoxFuture<'_, Result<u64>> {
        async move {
            blip_twice()?;
            Ok(n + text.len() as u64)
        }
        .boxed()
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    fn local(n: Rc<u64>) -> LocalBoxFuture<'static, Result<u64>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            blip_twice()?;
            Ok(*n)
        })
    }
    assert_eq!(retried(one_block("ab", 1)), Ok(3));
    assert_eq!(retried(by_method("ab", 1)), Ok(3));
    assert_eq!(retried(local(Rc::new(1))), Ok(1));
}

/// Row 80.
#[test]
fn a_function_may_return_a_pinned_box() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    fn one_block<'a>(text: &'a str, _other: &str, n: u64) -> Pin<Box<dyn Future<Output = Result<u64>> + Send + 'a>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            blip_twice()?;
            Ok(n + text.len() as u64)
        })
    }
    #[resilient(timeout_ms = 50)]
    fn runs_once(n: u64) -> Pin<Box<dyn Future<Output = Result<u64, Error>> + Send>> {
        Box::pin(async move {
            ran();
            Ok(n)
        })
    }
    assert_eq!(retried(one_block("ab", "", 1)), Ok(3));
    assert_eq!(once(runs_once(1)), Ok(1));
}

struct Stock(Vec<u64>);

impl Stock {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    #[expect(clippy::manual_async_fn, reason = "a body that is one block is still reported")]
    fn opaque(&mut self, n: u64) -> impl Future<Output = Result<usize>> + '_ {
        async move {
            self.0.push(n);
            tokio::task::yield_now().await;
            blip_twice()?;
            Ok(self.0.len())
        }
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    fn boxed(&mut self, n: u64) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async move {
            self.0.push(n);
            blip_twice()?;
            Ok(self.0.len())
        })
    }
}

/// Row 81.
#[test]
fn a_future_by_hand_may_borrow_a_mut_self() {
    let mut stock = Stock(Vec::new());
    assert_eq!(retried(stock.opaque(1)), Ok(3));
    assert_eq!(retried(stock.boxed(1)), Ok(6));
}
