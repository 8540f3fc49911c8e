//! Every receiver that a method may have.

use crate::support::{Result, blip_twice, once, once_blocking, ran, retried, retried_blocking};
use resilient::resilient;
use std::{pin::Pin, rc::Rc, sync::Arc};

#[derive(Clone, Debug, Default, PartialEq)]
struct Stock {
    items: Vec<u64>,
    name: String,
}

fn stock() -> Stock {
    Stock { items: vec![1, 2, 3], name: "main".to_owned() }
}

impl Stock {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_reference(&self, n: u64) -> Result<u64> {
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.items[0] + n)
    }

    #[resilient(read, timeout = none, retries = 2)]
    fn by_reference_sync(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.items[0] + n)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_mut_reference(&mut self, n: u64) -> Result<usize> {
        self.items.push(n);
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.items.len())
    }

    #[resilient(read, timeout = none, retries = 2)]
    fn by_mut_reference_sync(&mut self, n: u64) -> Result<usize> {
        self.items.push(n);
        blip_twice()?;
        Ok(self.items.len())
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_value(self, n: u64) -> Result<u64> {
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(self.items[0] + n)
    }

    #[resilient(read, timeout = none, retries = 2)]
    fn by_value_sync(self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.items[0] + n)
    }

    #[resilient(timeout_ms = 50)]
    async fn by_mut_value(mut self, n: u64) -> Result<Vec<u64>> {
        ran();
        self.items.push(n);
        Ok(self.items)
    }

    #[resilient(timeout = none)]
    fn by_mut_value_sync(mut self, n: u64) -> Result<Vec<u64>> {
        ran();
        self.items.push(n);
        Ok(self.items)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_arc(self: Arc<Self>) -> Result<u64> {
        blip_twice()?;
        Ok(self.items[0])
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_reference_to_arc(self: &Arc<Self>) -> Result<Arc<Self>> {
        blip_twice()?;
        Ok(Arc::clone(self))
    }

    #[resilient(read, timeout = none, retries = 2)]
    fn by_rc(self: Rc<Self>) -> Result<u64> {
        blip_twice()?;
        Ok(self.items[0])
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_box(self: Box<Self>) -> Result<u64> {
        blip_twice()?;
        Ok(self.items[0])
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u64> {
        blip_twice()?;
        Ok(self.items[0])
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn by_mut_pin(mut self: Pin<&mut Self>) -> Result<usize> {
        self.as_mut().items.push(4);
        blip_twice()?;
        Ok(self.items.len())
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    #[expect(clippy::needless_arbitrary_self_type, reason = "a receiver that is spelled out")]
    async fn by_typed_mut_reference(self: &mut Self) -> Result<usize> {
        self.items.push(4);
        blip_twice()?;
        Ok(self.items.len())
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn made(name: &str) -> Result<Self> {
        blip_twice()?;
        Ok(Self { items: Vec::new(), name: name.to_owned() })
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn elided(&self) -> Result<&u64> {
        blip_twice()?;
        Ok(&self.items[0])
    }

    #[resilient(read, timeout = none, retries = 2)]
    fn named<'a>(&'a self, _other: &str) -> Result<&'a str> {
        blip_twice()?;
        Ok(&self.name)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn lent_from_mut(&mut self) -> Result<usize> {
        let last = self.items.last_mut();
        if let Some(last) = last {
            *last += 1;
        }
        blip_twice()?;
        Ok(self.items.len())
    }

    #[resilient(timeout_ms = 50)]
    async fn lent(&mut self) -> Result<&mut u64> {
        ran();
        Ok(&mut self.items[0])
    }

    #[resilient(timeout = none)]
    fn lent_sync<'a>(&'a mut self, other: &'a mut u64) -> Result<&'a mut u64> {
        ran();
        Ok(self.items.first_mut().unwrap_or(other))
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn formatted(&self) -> Result<String> {
        blip_twice()?;
        Ok(format!("{}: {:?}", self.name, self.items))
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn selected(&self) -> Result<u64> {
        blip_twice()?;
        let (first, second) = tokio::join!(async { self.items[0] }, async { self.items[1] });
        tokio::select! {
            biased;
            () = std::future::pending() => Ok(0),
            third = async { self.items[2] } => Ok(first + second + third),
        }
    }
}

/// Row 52.
#[test]
fn a_method_borrows_its_self() {
    assert_eq!(retried(stock().by_reference(1)), Ok(2));
    assert_eq!(retried_blocking(|| stock().by_reference_sync(1)), Ok(2));
}

/// Row 53.
#[test]
fn a_mut_self_is_lent_to_every_attempt() {
    assert_eq!(retried(stock().by_mut_reference(4)), Ok(6));
    assert_eq!(retried_blocking(|| stock().by_mut_reference_sync(4)), Ok(6));
    assert_eq!(retried(stock().lent_from_mut()), Ok(3));
}

/// Row 54.
#[test]
fn a_self_by_value_is_shared_by_the_attempts() {
    assert_eq!(retried(stock().by_value(1)), Ok(2));
    assert_eq!(retried_blocking(|| stock().by_value_sync(1)), Ok(2));
}

/// Row 55.
#[test]
fn a_mut_self_by_value_is_the_bodys_own_without_retries() {
    assert_eq!(once(stock().by_mut_value(4)), Ok(vec![1, 2, 3, 4]));
    assert_eq!(once_blocking(|| stock().by_mut_value_sync(4)), Ok(vec![1, 2, 3, 4]));
}

/// Rows 56, 57 and 58.
#[test]
fn a_self_may_stand_behind_a_pointer() {
    let shared = Arc::new(stock());
    assert_eq!(retried(shared.clone().by_arc()), Ok(1));
    assert_eq!(retried(shared.by_reference_to_arc()), Ok(shared.clone()));
    assert_eq!(retried_blocking(|| Rc::new(stock()).by_rc()), Ok(1));
    assert_eq!(retried(Box::new(stock()).by_box()), Ok(1));
}

/// Rows 59 and 60.
#[test]
fn a_self_may_be_pinned_or_spelled_out() {
    let mut stock = stock();
    assert_eq!(retried(Pin::new(&mut stock).by_pin()), Ok(1));
    assert_eq!(retried(Pin::new(&mut stock).by_mut_pin()), Ok(6));
    assert_eq!(retried(stock.by_typed_mut_reference()), Ok(9));
}

/// Row 61.
#[test]
fn a_constructor_makes_its_self() {
    assert_eq!(retried(Stock::made("new")), Ok(Stock { name: "new".to_owned(), ..Stock::default() }));
}

/// Row 62.
#[test]
fn an_answer_may_borrow_from_self() {
    let stock = stock();
    assert_eq!(retried(stock.elided()), Ok(&1));
    assert_eq!(retried_blocking(|| stock.named("")), Ok("main"));
}

/// Row 63.
#[test]
fn a_mut_borrow_of_self_may_be_returned_without_retries() {
    let (mut stock, mut other) = (stock(), 0);
    *once(stock.lent()).unwrap() += 1;
    *once_blocking(|| stock.lent_sync(&mut other)).unwrap() += 1;
    assert_eq!(stock.items[0], 3);
}

struct Shelf<T, const N: usize>([T; N]);

impl<T: Clone + PartialEq, const N: usize> Shelf<T, N> {
    const SIZE: usize = N;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn size_with<U: Into<T> + Clone>(
        &self,
        one: U,
        more: [T; N],
    ) -> Result<(usize, usize), crate::support::Error> {
        blip_twice()?;
        let one: T = one.into();
        let same = self.0.iter().chain(&more).filter(|item| **item == one).count();
        Ok((Self::SIZE, same))
    }
}

/// Row 64.
#[test]
fn a_generic_impl_may_have_generic_methods() {
    let shelf = Shelf([1_u64, 2, 2]);
    assert_eq!(retried(shelf.size_with(2_u32, [2, 3, 3])), Ok((3, 3)));
}

/// Rows 65 and 66.
#[test]
fn macros_in_the_body_may_speak_of_self() {
    assert_eq!(retried(stock().formatted()), Ok("main: [1, 2, 3]".to_owned()));
    assert_eq!(retried(stock().selected()), Ok(6));
}
