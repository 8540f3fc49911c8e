//! Methods, of types and of traits: both copies borrow one `self`.

use crate::support::{Error, Result, copy, hedged};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use resilient::resilient;
use std::{
    fmt::Debug,
    future::Future,
    rc::Rc,
    sync::{Arc, Mutex},
};

#[derive(Debug, Default)]
struct Stock {
    price: u64,
    seen: Mutex<Vec<u64>>,
}

impl Stock {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn by_reference(&self, n: u64, text: String) -> Result<u64> {
        self.seen.lock().unwrap().push(n);
        let moved = text;
        copy(&(n, &moved)).await?;
        Ok(self.price + n + moved.len() as u64)
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn by_reference_to_arc(self: &Arc<Self>) -> Result<Arc<Self>> {
        copy(&self.price).await?;
        Ok(Arc::clone(self))
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn lent(&self) -> Result<&u64> {
        copy(&self.price).await?;
        Ok(&self.price)
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn named<'a>(&self, text: &'a str) -> Result<&'a str> {
        copy(&text).await?;
        Ok(text)
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn made(price: u64) -> Result<Self> {
        copy(&price).await?;
        Ok(Self { price, ..Self::default() })
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    #[expect(clippy::manual_async_fn, reason = "a body that is one block is still reported")]
    fn opaque(&self, n: u64) -> impl Future<Output = Result<u64>> + '_ {
        async move {
            copy(&n).await?;
            Ok(self.price + n)
        }
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    fn boxed(&self, n: u64) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move {
            copy(&n).await?;
            Ok(self.price + n)
        })
    }
}

/// Rows 52, 57, 61, 62, 79 and 81.
#[test]
fn a_hedged_method_lends_its_self_to_both_copies() {
    let stock = Arc::new(Stock { price: 5, ..Stock::default() });
    assert_eq!(hedged(stock.by_reference(1, "ab".to_owned())), Ok(8));
    assert_eq!(*stock.seen.lock().unwrap(), [1, 1]);
    assert_eq!(hedged(stock.by_reference_to_arc()).unwrap().price, 5);
    assert_eq!(hedged(stock.lent()), Ok(&5));
    assert_eq!(hedged(stock.named("a")), Ok("a"));
    assert_eq!(hedged(Stock::made(7)).unwrap().price, 7);
    assert_eq!(hedged(stock.opaque(1)), Ok(6));
    assert_eq!(hedged(stock.boxed(1)), Ok(6));
}

struct Shelf<T, const N: usize>([T; N]);

impl<T: Clone + Debug + PartialEq, const N: usize> Shelf<T, N> {
    const SIZE: usize = N;

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn size_with<U: Into<T> + Clone>(&self, one: U, more: [T; N]) -> Result<(usize, usize), Error> {
        let one: T = one.into();
        copy(&one).await?;
        let same = self.0.iter().chain(&more).filter(|item| **item == one).count();
        Ok((Self::SIZE, same))
    }
}

/// Row 64.
#[test]
fn a_generic_impl_may_have_hedged_methods() {
    assert_eq!(hedged(Shelf([1_u64, 2, 2]).size_with(2_u32, [2, 3, 3])), Ok((3, 3)));
}

// ===== traits =====

trait Prices {
    fn base(&self) -> u64;

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn default_method(&self, n: u64) -> Result<u64> {
        copy(&n).await?;
        Ok(self.base() + n)
    }

    fn promised(&self, n: u64) -> impl Future<Output = Result<u64>> + Send;
}

impl Prices for Stock {
    fn base(&self) -> u64 {
        self.price
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn promised(&self, n: u64) -> Result<u64> {
        copy(&n).await?;
        Ok(self.price + n)
    }
}

#[async_trait]
trait Boxed: Send + Sync {
    async fn by_reference(&self, pair: (u64, String), n: u64, text: &str) -> Result<u64>;

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn default_method(&self, n: u64) -> Result<u64> {
        copy(&n).await?;
        Ok(n)
    }

    async fn generic<T: Into<u64> + Clone + Send + Sync>(&self, n: T) -> Result<u64>
    where
        Self: Sized;
}

#[async_trait]
impl Boxed for Stock {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn by_reference(&self, (a, b): (u64, String), mut n: u64, text: &str) -> Result<u64> {
        n += a;
        copy(&(n, &b, text)).await?;
        Ok(self.price + n + (b.len() + text.len()) as u64)
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn generic<T: Into<u64> + Clone + Send + Sync>(&self, n: T) -> Result<u64> {
        let n = n.into();
        copy(&n).await?;
        Ok(self.price + n)
    }
}

#[async_trait(?Send)]
trait Local {
    async fn counted(&self, n: Rc<u64>) -> Result<u64>;
}

#[async_trait(?Send)]
impl Local for Stock {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn counted(&self, n: Rc<u64>) -> Result<u64> {
        copy(&n).await?;
        Ok(self.price + *n)
    }
}

/// Rows 67, 68, 69, 73, 74, 76 and 77.
#[test]
fn a_method_of_a_trait_may_be_hedged() {
    async fn spawned<T: Prices + Send + Sync + 'static>(stock: T) -> Result<u64> {
        resilient::spawn(async move { stock.promised(1).await }).await.unwrap()
    }
    let stock = || Stock { price: 5, ..Stock::default() };
    assert_eq!(hedged(Prices::default_method(&stock(), 1)), Ok(6));
    assert_eq!(hedged(stock().promised(1)), Ok(6));
    assert_eq!(hedged(spawned(stock())), Ok(6));
    assert_eq!(hedged(Boxed::by_reference(&stock(), (1, "b".to_owned()), 2, "c")), Ok(10));
    assert_eq!(hedged(Boxed::default_method(&stock(), 1)), Ok(1));
    assert_eq!(hedged(Boxed::generic(&stock(), 1_u32)), Ok(6));
    assert_eq!(hedged(stock().counted(Rc::new(1))), Ok(6));
}
