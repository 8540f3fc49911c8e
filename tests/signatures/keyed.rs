//! Names with placeholders: an argument is read for a guard's key before it is the body's.

use crate::support::{Result, blip_twice, retried, retried_blocking};
use async_trait::async_trait;
use resilient::{resilient, snapshot};
use std::{fmt::Display, future::Future, sync::Arc};

/// The outcome, and how many states each keyed guard of the one operation has.
async fn counted<T>(call: impl Future<Output = Result<T>>) -> (Result<T>, Vec<usize>) {
    (call.await, states())
}

fn states() -> Vec<usize> {
    snapshot().iter().flat_map(|operation| operation.keyed.iter()).map(|keyed| keyed.states).collect()
}

/// Rows 1, 2, 4, 5 and 34.
#[test]
fn an_argument_selects_a_state_and_is_still_the_bodys() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{customer}.{r#type}")]
    async fn owned(mut customer: String, r#type: u64) -> Result<String> {
        customer.push('!');
        blip_twice()?;
        Ok(customer + &r#type.to_string())
    }
    #[resilient(read, timeout = none, retries = 2, breaker = "keyed.{id}", bulkhead(2, name = "keyed.{id}"))]
    fn sync(id: u64, list: Vec<u64>) -> Result<Vec<u64>> {
        let moved = list;
        blip_twice()?;
        Ok([moved, vec![id]].concat())
    }
    assert_eq!(retried(counted(owned("a".to_owned(), 1))), (Ok("a!1".to_owned()), vec![1]));
    let (outcome, states) = retried_blocking(|| (sync(1, vec![2]), states()));
    assert_eq!((outcome, states), (Ok(vec![2, 1]), vec![1, 1]));
}

/// Rows 14, 15, 17 and 19.
#[test]
fn a_generic_argument_selects_a_state() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{id}")]
    async fn owned<T: Display + Clone>(id: T) -> Result<String> {
        let moved = id;
        blip_twice()?;
        Ok(moved.to_string())
    }
    #[resilient(read, timeout = none, retries = 2, breaker = "keyed.{id}")]
    fn lent<'a, T: Display + ?Sized>(id: &'a T, _: &str) -> Result<&'a T, crate::support::Error> {
        blip_twice()?;
        Ok(id)
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{id}.{n}")]
    async fn opaque(id: impl Display + Clone, n: u64) -> Result<String> {
        let moved = id;
        blip_twice()?;
        Ok(format!("{moved}{n}"))
    }
    assert_eq!(retried(counted(owned(1))), (Ok("1".to_owned()), vec![1]));
    assert_eq!(retried_blocking(|| (lent("a", ""), states())), (Ok("a"), vec![1]));
    assert_eq!(retried(counted(opaque("a", 1))), (Ok("a1".to_owned()), vec![1]));
}

struct Stock<T> {
    region: T,
    shop: (u64, String),
}

fn stock() -> Stock<String> {
    Stock { region: "eu".to_owned(), shop: (1, "main".to_owned()) }
}

impl<T: Display + Clone> Stock<T> {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{self.region}.{sku}")]
    async fn by_reference(&self, sku: &str) -> Result<usize> {
        blip_twice()?;
        Ok(sku.len())
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{self.shop.1}")]
    async fn by_mut_reference(&mut self, n: u64) -> Result<u64> {
        self.shop.0 += n;
        blip_twice()?;
        Ok(self.shop.0)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{self.region}")]
    async fn by_arc(self: Arc<Self>) -> Result<u64> {
        blip_twice()?;
        Ok(self.shop.0)
    }

    #[resilient(read, timeout = none, retries = 2, breaker = "keyed.{self.region}.{other}")]
    fn sync<U: Display + Clone>(self, other: U) -> Result<T, crate::support::Error> {
        blip_twice()?;
        Ok(self.region.clone())
    }

    #[resilient(read, timeout_ms = 50, hedge = 20ms, breaker = "keyed.{self.region}.{sku}")]
    async fn hedged(&self, sku: String) -> Result<usize> {
        let moved = sku;
        crate::support::copy(&moved).await?;
        Ok(moved.len())
    }

    #[resilient(read, timeout_ms = 50, coalesce(key = (sku)), breaker = "keyed.{self.region}.{sku}")]
    async fn shared(&self, sku: &str) -> Result<usize> {
        crate::support::ran();
        tokio::task::yield_now().await;
        Ok(sku.len())
    }
}

/// Rows 52, 53, 54, 56 and 64.
#[test]
fn a_field_of_self_selects_a_state() {
    assert_eq!(retried(counted(stock().by_reference("a"))), (Ok(1), vec![1]));
    assert_eq!(retried(counted(stock().by_mut_reference(1))), (Ok(4), vec![1]));
    assert_eq!(retried(counted(Arc::new(stock()).by_arc())), (Ok(1), vec![1]));
    assert_eq!(retried_blocking(|| (stock().sync(1), states())), (Ok("eu".to_owned()), vec![1]));
}

#[test]
fn a_hedge_and_a_shared_call_have_one_state_per_key() {
    assert_eq!(crate::support::hedged(counted(stock().hedged("ab".to_owned()))), (Ok(2), vec![1]));
    let stock = stock();
    let both = async { tokio::join!(stock.shared("a"), stock.shared("a")) };
    assert_eq!(crate::support::once(both), (Ok(1), Ok(1)));
}

#[async_trait]
trait Boxed {
    async fn view(&self, id: u64, pair: (u64, String)) -> Result<u64>;
}

#[async_trait]
impl Boxed for Stock<String> {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, breaker = "keyed.{self.region}.{id}")]
    async fn view(&self, id: u64, (a, b): (u64, String)) -> Result<u64> {
        let moved = b;
        blip_twice()?;
        Ok(id + a + moved.len() as u64)
    }
}

/// Rows 73 and 74.
#[test]
fn an_async_trait_method_has_keys() {
    assert_eq!(retried(counted(stock().view(1, (2, "c".to_owned())))), (Ok(4), vec![1]));
}
