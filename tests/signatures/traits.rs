//! Methods of traits, native and by `async_trait`.

use crate::support::{Error, Result, blip_twice, once, ran, retried, retried_blocking};
use async_trait::async_trait;
use resilient::resilient;
use std::{fmt::Debug, future::Future, rc::Rc};

struct Shop {
    price: u64,
    seen: Vec<u64>,
}

fn shop() -> Shop {
    Shop { price: 5, seen: Vec::new() }
}

// ===== native =====

trait Prices {
    type Lent<'a>: Debug + PartialEq
    where
        Self: 'a;

    fn base(&self) -> u64;

    #[resilient(read, timeout = none, retries = 2)]
    fn default_sync(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.base() + n)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn default_async(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.base() + n)
    }

    async fn native(&mut self, n: u64) -> Result<u64>;

    fn promised(&self, n: u64) -> impl Future<Output = Result<u64>> + Send;

    fn by_hand(&self, n: u64) -> impl Future<Output = Result<u64>> + Send;

    async fn lent(&self) -> Result<Self::Lent<'_>, Error>;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn sized(self, n: u64) -> Result<u64>
    where
        Self: Sized,
    {
        blip_twice()?;
        Ok(self.base() + n)
    }
}

impl Prices for Shop {
    type Lent<'a> = &'a u64;

    fn base(&self) -> u64 {
        self.price
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn native(&mut self, n: u64) -> Result<u64> {
        self.price += n;
        blip_twice()?;
        Ok(self.price)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn promised(&self, n: u64) -> Result<u64> {
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.price + n)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    #[expect(clippy::manual_async_fn, reason = "a body that is one block is still reported")]
    fn by_hand(&self, n: u64) -> impl Future<Output = Result<u64>> + Send {
        async move {
            tokio::task::yield_now().await;
            blip_twice()?;
            Ok(self.price + n)
        }
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn lent(&self) -> Result<Self::Lent<'_>, Error> {
        blip_twice()?;
        Ok(&self.price)
    }
}

/// Rows 67 and 72.
#[test]
fn a_default_method_is_retried() {
    assert_eq!(retried_blocking(|| shop().default_sync(1)), Ok(6));
    assert_eq!(retried(shop().default_async(1)), Ok(6));
    assert_eq!(retried(shop().sized(1)), Ok(6));
}

/// Row 68.
#[test]
fn an_async_method_of_an_impl_is_retried() {
    assert_eq!(retried(shop().native(1)), Ok(8));
}

/// Rows 69 and 70.
#[test]
fn a_future_that_a_trait_promises_to_be_send_is_send() {
    async fn promised<T: Prices + Send + Sync + 'static>(shop: T) -> Result<u64> {
        resilient::spawn(async move { shop.promised(1).await }).await.unwrap()
    }
    async fn by_hand<T: Prices + Send + Sync + 'static>(shop: T) -> Result<u64> {
        resilient::spawn(async move { shop.by_hand(2).await }).await.unwrap()
    }
    assert_eq!(retried(promised(shop())), Ok(6));
    assert_eq!(retried(by_hand(shop())), Ok(7));
}

/// Row 71.
#[test]
fn an_answer_may_be_a_generic_associated_type() {
    assert_eq!(retried(shop().lent()), Ok(&5));
}

// ===== async_trait =====

#[async_trait]
trait Boxed: Send + Sync {
    async fn by_reference(&self, n: u64, text: &str) -> Result<u64>;

    async fn by_mut_reference(&mut self, list: Vec<u64>, pair: (u64, String), n: u64) -> Result<usize>;

    async fn by_box(self: Box<Self>, n: u64) -> Result<u64>;

    async fn lent_mut(&mut self) -> Result<&mut u64>;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn default_method(&self, n: u64) -> Result<u64> {
        self.by_nature(n).await
    }

    async fn by_nature(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(n)
    }

    async fn generic<T: Into<u64> + Clone + Send + Sync>(&self, n: T) -> Result<u64>
    where
        Self: Sized;
}

#[async_trait]
impl Boxed for Shop {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_reference(&self, n: u64, text: &str) -> Result<u64> {
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.price + n + text.len() as u64)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_mut_reference(&mut self, list: Vec<u64>, (a, b): (u64, String), mut n: u64) -> Result<usize> {
        n += a;
        self.seen.push(n);
        let mut moved = list;
        moved.extend(b.into_bytes().into_iter().map(u64::from));
        blip_twice()?;
        Ok(self.seen.len() + moved.len())
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_box(self: Box<Self>, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.price + n)
    }

    #[resilient(timeout_ms = 50)]
    async fn lent_mut(&mut self) -> Result<&mut u64> {
        ran();
        Ok(&mut self.price)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn generic<T: Into<u64> + Clone + Send + Sync>(&self, n: T) -> Result<u64> {
        let n = n.into();
        blip_twice()?;
        Ok(self.price + n)
    }
}

/// Row 73.
#[test]
fn an_async_trait_method_borrows_its_self() {
    let shop = shop();
    assert_eq!(retried(shop.by_reference(1, "ab")), Ok(8));
    assert_eq!(retried(shop.generic(1_u32)), Ok(6));
}

/// Row 74.
#[test]
fn an_async_trait_method_takes_patterns_and_a_mut_self() {
    let mut shop = shop();
    assert_eq!(retried(shop.by_mut_reference(vec![1], (2, "bc".to_owned()), 3)), Ok(6));
    assert_eq!(shop.seen, [5, 5, 5]);
    *once(shop.lent_mut()).unwrap() += 1;
    assert_eq!(shop.price, 6);
}

/// Row 75.
#[test]
fn an_async_trait_method_takes_a_boxed_self() {
    let shop: Box<Shop> = Box::new(shop());
    assert_eq!(retried(Boxed::by_box(shop, 1)), Ok(6));
}

/// Row 76.
#[test]
fn an_async_trait_default_method_is_retried() {
    assert_eq!(retried(Boxed::default_method(&shop(), 1)), Ok(1));
}

#[async_trait(?Send)]
trait Local {
    async fn counted(&self, n: Rc<u64>) -> Result<u64>;
}

#[async_trait(?Send)]
impl Local for Shop {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn counted(&self, n: Rc<u64>) -> Result<u64> {
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.price + *n)
    }
}

/// Row 77.
#[test]
fn an_async_trait_method_need_not_be_send() {
    assert_eq!(retried(shop().counted(Rc::new(1))), Ok(6));
}
