//! `coalesce`: the arguments are a key before they are arguments.
//!
//! Two calls that ask the same while one is under way are one run of the body; how threads share one is in
//! `tests/coalesce.rs`.

use crate::support::{Error, Result, blip_twice, once, ran, retried, retried_blocking};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use resilient::resilient;
use std::{fmt::Debug, future::Future, hash::Hash, sync::Arc};

/// A run of a body that takes a while.
async fn slowly() {
    ran();
    tokio::task::yield_now().await;
}

/// What both of two calls at once got, if it is the same, after one run of the body.
#[track_caller]
fn shared<F: Future<Output: Debug + PartialEq>>(call: impl Fn() -> F) -> F::Output {
    let (leader, follower) = once(async { tokio::join!(call(), call()) });
    assert_eq!(leader, follower);
    leader
}

/// Rows 1, 4, 6, 8, 9 and 10.
#[test]
fn owned_arguments_and_patterns_are_keys() {
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Point {
        x: u64,
        y: String,
    }

    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn none() -> Result<u64> {
        slowly().await;
        Ok(1)
    }
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn owned(mut n: u64, mut list: Vec<u64>, text: Option<String>, _: u8) -> Result<(Vec<u64>, Option<String>)> {
        n += 1;
        list.push(n);
        slowly().await;
        Ok((list, text))
    }
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn patterns((a, b): (u64, String), [c, _]: [u64; 2], Point { x, y }: Point) -> Result<(u64, String)> {
        slowly().await;
        Ok((a + c + x, b + &y))
    }
    assert_eq!(shared(none), Ok(1));
    assert_eq!(shared(|| owned(1, vec![1], Some("a".to_owned()), 0)), Ok((vec![1, 2], Some("a".to_owned()))));
    let point = || Point { x: 4, y: "c".to_owned() };
    assert_eq!(shared(|| patterns((1, "b".to_owned()), [2, 0], point())), Ok((7, "bc".to_owned())));
}

/// Rows 11, 13, 15, 16 and 27.
#[test]
fn references_and_pointers_are_keys() {
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn lent(text: &str, list: &[u64], &(a, _): &(u64, String), shared: Arc<str>) -> Result<usize> {
        slowly().await;
        Ok(text.len() + list.len() + shared.len() + usize::try_from(a).unwrap())
    }
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn long_lived(text: &'static str) -> Result<&'static str> {
        slowly().await;
        Ok(text)
    }
    // One lives elsewhere than the other: what counts is what they say.
    let (one, other) = ("abc".to_owned(), "abc".to_owned());
    let pair = (1, String::new());
    let call = |text| lent(text, &[1], &pair, "ab".into());
    assert_eq!(once(async { tokio::join!(call(&one), call(&other)) }), (Ok(7), Ok(7)));
    assert_eq!(shared(|| long_lived("a")), Ok("a"));
}

/// Rows 14, 16 and 64.
#[test]
fn generic_arguments_are_keys() {
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn generic<T: Clone + Eq + Hash + Send + Sync + 'static>(key: &T, owned: T) -> Result<T, Error> {
        slowly().await;
        Ok(if *key == owned { owned } else { key.clone() })
    }
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn sized<const N: usize>(bytes: [u8; N]) -> Result<usize> {
        slowly().await;
        Ok(bytes.len().min(N))
    }
    #[resilient(read, timeout_ms = 50, coalesce(key = (text.as_ref())))]
    async fn opaque(text: impl AsRef<str> + Clone) -> Result<usize> {
        slowly().await;
        Ok(text.as_ref().len())
    }
    assert_eq!(shared(|| generic(&1, 1)), Ok(1));
    assert_eq!(shared(|| sized([0; 5])), Ok(5));
    assert_eq!(shared(|| opaque("four")), Ok(4));
}

#[derive(Clone)]
struct Stock {
    shop: u64,
}

trait Prices {
    fn shop(&self) -> u64;

    #[resilient(read, timeout_ms = 50, coalesce(key = (self.shop(), n)))]
    async fn default_method(&self, n: u64) -> Result<u64> {
        slowly().await;
        Ok(self.shop() + n)
    }
}

impl Prices for Stock {
    fn shop(&self) -> u64 {
        self.shop
    }
}

#[async_trait]
trait Boxed {
    async fn view(&self, pair: (u64, String)) -> Result<u64>;
}

#[async_trait]
impl Boxed for Stock {
    #[resilient(read, timeout_ms = 50, coalesce(key = (self.shop, a, b.as_str())))]
    async fn view(&self, (a, b): (u64, String)) -> Result<u64> {
        slowly().await;
        Ok(self.shop + a + b.len() as u64)
    }
}

impl Stock {
    #[resilient(read, timeout_ms = 50, coalesce(key = (self.shop, text)))]
    async fn by_reference(&self, text: &str) -> Result<usize> {
        slowly().await;
        Ok(text.len())
    }

    #[resilient(read, timeout_ms = 50, coalesce(key = (self.shop)))]
    async fn by_arc(self: Arc<Self>) -> Result<u64> {
        slowly().await;
        Ok(self.shop)
    }

    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn made(shop: u64) -> Result<u64> {
        slowly().await;
        Ok(Self { shop }.shop)
    }

    #[resilient(read, timeout = none, retries = 2, coalesce(key = (self.shop, n)))]
    fn sync(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.shop + n)
    }

    #[resilient(read, timeout = none, retries = 2, coalesce, fallback(cached, key = (self.shop, n)))]
    fn kept(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.shop + n)
    }

    #[resilient(read, timeout_ms = 50, coalesce(key = (self.shop, n)))]
    fn boxed(&self, n: u64) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move {
            slowly().await;
            Ok(self.shop + n)
        })
    }
}

/// Rows 52, 56, 61, 67, 73 and 79.
#[test]
fn a_method_says_what_of_its_self_is_in_the_key() {
    let stock = Stock { shop: 1 };
    assert_eq!(shared(|| stock.by_reference("ab")), Ok(2));
    assert_eq!(shared(|| Arc::new(stock.clone()).by_arc()), Ok(1));
    assert_eq!(shared(|| Stock::made(3)), Ok(3));
    assert_eq!(shared(|| stock.boxed(1)), Ok(2));
    assert_eq!(shared(|| stock.default_method(1)), Ok(2));
    assert_eq!(shared(|| stock.view((1, "b".to_owned()))), Ok(3));
}

/// Rows 78 and 80.
#[test]
fn a_future_by_hand_may_be_shared() {
    #[resilient(read, timeout_ms = 50, coalesce)]
    fn opaque(n: u64, text: String) -> impl Future<Output = Result<u64>> {
        let doubled = n * 2;
        async move {
            slowly().await;
            Ok(doubled + text.len() as u64)
        }
    }
    #[resilient(read, timeout_ms = 50, coalesce)]
    fn boxed(text: &str) -> std::pin::Pin<Box<dyn Future<Output = Result<usize>> + Send + '_>> {
        Box::pin(async move {
            slowly().await;
            Ok(text.len())
        })
    }
    assert_eq!(shared(|| opaque(1, "a".to_owned())), Ok(3));
    assert_eq!(shared(|| boxed("ab")), Ok(2));
}

#[test]
fn another_key_is_another_run() {
    #[resilient(read, timeout_ms = 50, coalesce)]
    async fn view(n: u64) -> Result<u64> {
        blip_twice()?;
        tokio::task::yield_now().await;
        Ok(n)
    }
    // One for each: the two that failed are the two that differ.
    let three = retried(async { tokio::join!(view(1), view(2), view(3)) });
    assert_eq!(three, (Err(Error::Blip), Err(Error::Blip), Ok(3)));
}

#[test]
fn a_shared_call_is_retried() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, coalesce)]
    async fn asynchronous((a, b): (u64, String), mut n: u64, text: &str) -> Result<u64> {
        n += a;
        let moved = b;
        blip_twice()?;
        Ok(n + (moved.len() + text.len()) as u64)
    }
    #[resilient(read, timeout = none, retries = 2, coalesce)]
    fn sync((a, b): (u64, String), mut list: Vec<u64>, text: &str) -> Result<usize> {
        list.push(a);
        blip_twice()?;
        Ok(list.len() + b.len() + text.len())
    }
    let call = || asynchronous((1, "b".to_owned()), 2, "c");
    assert_eq!(retried(async { tokio::join!(call(), call()) }), (Ok(5), Ok(5)));
    assert_eq!(retried_blocking(|| sync((1, "b".to_owned()), vec![1], "c")), Ok(4));
}

/// Rows 2, 52 and 67.
#[test]
fn sync_functions_have_keys_too() {
    #[resilient(read, timeout = none, retries = 2, coalesce)]
    fn generic<T: Clone + Eq + Hash + Send + Sync + 'static>(key: &T, _: u8) -> Result<T, Error> {
        blip_twice()?;
        Ok(key.clone())
    }
    assert_eq!(retried_blocking(|| generic(&1, 0)), Ok(1));
    assert_eq!(retried_blocking(|| Stock { shop: 1 }.sync(1)), Ok(2));
    assert_eq!(retried_blocking(|| Stock { shop: 1 }.kept(1)), Ok(2));
}

/// Under `deny(warnings)`: an argument that is in a written key alone is used.
#[test]
fn an_argument_that_only_the_key_uses_is_used() {
    #[resilient(read, timeout_ms = 50, coalesce(key = (tenant)))]
    async fn view(tenant: u64) -> Result<u64> {
        slowly().await;
        Ok(1)
    }
    assert_eq!(shared(|| view(1)), Ok(1));
}
