//! Plan B, a key and a cache ask for the arguments once more.

use crate::support::{Error, Result, blip_twice, ran, retried, retried_blocking};
use resilient::{IdempotencyKey, resilient};

/// Fails as often as it is asked.
fn fail() -> Result<()> {
    ran();
    Err(Error::Blip)
}

/// What plan B got, to see that it is what the caller gave.
async fn described((a, b): (u64, String), mut n: u64, text: &str) -> Result<String> {
    n += 1;
    std::future::ready(Ok(format!("{a} {b} {n} {text}"))).await
}

#[test]
fn plan_b_gets_the_arguments_as_the_caller_gave_them() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = described)]
    async fn asynchronous((a, b): (u64, String), mut n: u64, text: &str) -> Result<String> {
        let moved = b;
        n += a;
        fail()?;
        Ok(format!("{moved} {n} {text}"))
    }
    #[resilient(read, timeout = none, retries = 2, fallback = joined)]
    fn sync(mut list: Vec<u64>, _: u64) -> Result<Vec<u64>> {
        list.push(3);
        fail()?;
        Ok(list)
    }
    #[expect(clippy::unnecessary_wraps, reason = "a plan B returns what its function returns")]
    fn joined(list: Vec<u64>, end: u64) -> Result<Vec<u64>> {
        Ok([list, vec![end]].concat())
    }
    assert_eq!(retried(asynchronous((1, "b".to_owned()), 2, "c")), Ok("1 b 3 c".to_owned()));
    assert_eq!(retried_blocking(|| sync(vec![1], 2)), Ok(vec![1, 2]));
}

#[test]
fn plan_b_may_be_told_the_error() {
    async fn explained(text: String, error: &Error) -> Result<String> {
        std::future::ready(Ok(format!("{text}: {error}"))).await
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback(explained, error))]
    async fn told(text: String) -> Result<String> {
        fail()?;
        Ok(text)
    }
    assert_eq!(retried(told("why".to_owned())), Ok("why: a blip".to_owned()));
}

struct Stock {
    spare: u64,
    seen: u64,
}

impl Stock {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = Stock::spare_and)]
    async fn shared(&self, n: u64) -> Result<u64> {
        fail()?;
        Ok(n)
    }

    async fn spare_and(&self, n: u64) -> Result<u64> {
        std::future::ready(Ok(self.spare + n)).await
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = Stock::seen_and)]
    async fn exclusive(&mut self, n: u64) -> Result<u64> {
        self.seen += n;
        tokio::task::yield_now().await;
        fail()?;
        Ok(n)
    }

    async fn seen_and(&mut self, n: u64) -> Result<u64> {
        self.seen += n;
        std::future::ready(Ok(self.seen)).await
    }
}

#[test]
fn plan_b_of_a_method_is_a_method() {
    assert_eq!(retried(Stock { spare: 2, seen: 0 }.shared(1)), Ok(3));
    assert_eq!(retried(Stock { spare: 2, seen: 0 }.exclusive(1)), Ok(4));
}

#[test]
fn a_value_may_be_made_of_the_arguments() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = value(n + text.len()))]
    async fn asynchronous(n: usize, text: String) -> Result<usize> {
        let moved = text;
        fail()?;
        Ok(moved.len() + n)
    }
    #[resilient(read, timeout = none, retries = 2, fallback = value(vec![n; 2]))]
    fn sync(n: u64) -> Result<Vec<u64>> {
        fail()?;
        Ok(vec![n])
    }
    #[resilient(read, timeout = none, retries = 2, fallback = default)]
    fn generic<T: Default + Clone>(value: T) -> Result<T, Error> {
        fail()?;
        Ok(value)
    }
    assert_eq!(retried(asynchronous(1, "ab".to_owned())), Ok(3));
    assert_eq!(retried_blocking(|| sync(1)), Ok(vec![1, 1]));
    assert_eq!(retried_blocking(|| generic(1)), Ok(0));
}

#[test]
fn an_answer_is_kept_for_the_same_arguments() {
    #[resilient(timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = cached)]
    async fn whole(n: u64, text: &str, mut list: Vec<u64>) -> Result<Vec<u64>> {
        list.push(n + text.len() as u64);
        blip_twice()?;
        Ok(list)
    }
    #[resilient(timeout = none, retries = 2, fallback(cached, key = (text.as_str(), &pair.0)))]
    fn parts(text: String, pair: (u64, String)) -> Result<(String, String)> {
        blip_twice()?;
        Ok((text, pair.1))
    }
    #[resilient(timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = cached)]
    async fn generic<T: Clone + Eq + std::hash::Hash + Send + Sync + 'static>(key: &T) -> Result<T, Error> {
        blip_twice()?;
        Ok(key.clone())
    }
    assert_eq!(retried(whole(1, "a", vec![1])), Ok(vec![1, 2]));
    assert_eq!(retried_blocking(|| parts("a".to_owned(), (1, "b".to_owned()))), Ok(("a".to_owned(), "b".to_owned())));
    assert_eq!(retried(generic(&1)), Ok(1));
}

#[test]
fn a_key_may_be_owned_or_lent() {
    #[resilient(write, idempotency_key = key, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn owned(key: IdempotencyKey, n: u64) -> Result<(IdempotencyKey, u64)> {
        let moved = key;
        blip_twice()?;
        assert_eq!(resilient::idempotency_key(), Some(moved.clone()));
        Ok((moved, n))
    }
    #[resilient(write, idempotency_key = key, timeout = none, retries = 2)]
    fn lent(n: u64, key: &IdempotencyKey) -> Result<u64> {
        blip_twice()?;
        assert_eq!(resilient::idempotency_key().as_ref(), Some(key));
        Ok(n)
    }
    let key = IdempotencyKey::from_parts(["cart-1"]);
    assert_eq!(retried(owned(key.clone(), 1)), Ok((key.clone(), 1)));
    assert_eq!(retried_blocking(|| lent(1, &key)), Ok(1));
}

/// Under `deny(warnings)`: none of these is an unused variable.
#[test]
fn an_argument_that_only_a_setting_uses_is_used() {
    #[resilient(write, idempotency_key = key, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn keyed(key: IdempotencyKey) -> Result<()> {
        blip_twice()
    }
    #[resilient(timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback(cached, key = (tenant)))]
    async fn kept(tenant: u64) -> Result<u64> {
        blip_twice()?;
        Ok(1)
    }
    #[resilient(read, timeout = none, retries = 2, fallback = value(spare))]
    fn replaced(spare: u64) -> Result<u64> {
        fail()?;
        Ok(1)
    }
    #[resilient(read, timeout = none, retries = 2, fallback = same)]
    fn handed_on(spare: u64) -> Result<u64> {
        fail()?;
        Ok(1)
    }
    #[expect(clippy::unnecessary_wraps, reason = "a plan B returns what its function returns")]
    fn same(spare: u64) -> Result<u64> {
        Ok(spare)
    }
    assert_eq!(retried(keyed(IdempotencyKey::random())), Ok(()));
    assert_eq!(retried(kept(1)), Ok(1));
    assert_eq!(retried_blocking(|| replaced(2)), Ok(2));
    assert_eq!(retried_blocking(|| handed_on(2)), Ok(2));
}
