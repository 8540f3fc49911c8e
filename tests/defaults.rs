//! `#[resilient::defaults(…)]`: what a group of functions inherits.

use resilient::{Failure, IdempotencyKey, OperationSnapshot, resilient, snapshot, testing};
use std::{io, time::Duration};

type Answer = Result<Option<Duration>, Failure<io::Error>>;

fn broken() -> Failure<io::Error> {
    Failure::Inner(io::Error::from(io::ErrorKind::ConnectionReset))
}

const BRIEF: Duration = Duration::from_millis(20);

struct Stock;

#[resilient::defaults(dependency = "stock", timeout_ms = 60, retry_budget = 0.1, breaker("stock", window = 50))]
impl Stock {
    #[resilient(read)]
    async fn view(&self) -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient(read, timeout = BRIEF, breaker = "stock.list")]
    async fn list(&self) -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient(write, idempotency_key = key, bulkhead = 2)]
    async fn reserve(&mut self, key: IdempotencyKey) -> Answer {
        assert_eq!(resilient::idempotency_key(), Some(key));
        if resilient::attempt() == Some(1) { Err(broken()) } else { Ok(None) }
    }

    #[resilient(retries = 0)]
    async fn once(&self) -> Answer {
        Err(broken())
    }

    /// Not annotated: not guarded.
    fn untouched(&self) -> Option<Duration> {
        resilient::remaining()
    }
}

#[resilient::defaults(timeout_ms = 100, dependency = "outer")]
mod nested {
    use super::{Answer, resilient};

    #[cfg_attr(all(), resilient(read))]
    pub async fn outer() -> Answer {
        Ok(resilient::remaining())
    }

    #[resilient::defaults(timeout_ms = 30)]
    pub mod inner {
        use super::Answer;

        #[resilient::resilient]
        pub async fn plain() -> Answer {
            Ok(resilient::remaining())
        }
    }
}

fn operation(name: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|known| known.operation == name).unwrap_or_else(|| panic!("no operation `{name}`"))
}

fn ms(n: u64) -> Option<Duration> {
    Some(Duration::from_millis(n))
}

#[tokio::test(start_paused = true)]
async fn a_function_inherits_what_it_does_not_write() {
    testing::isolated(async {
        assert_eq!(Stock.view().await.unwrap(), ms(60));
        assert_eq!(Stock.list().await.unwrap(), ms(20));
        let (view, list) = (operation("stock.view"), operation("stock.list"));
        assert_eq!((view.dependency, list.dependency), ("stock", "stock"));
        assert_eq!((view.breaker.unwrap().name, list.breaker.unwrap().name), ("stock", "stock.list"));
        assert!(view.budget.is_some());
        assert_eq!(Stock.untouched(), None);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_inherited_budget_repeats_a_write_with_a_key_and_not_what_says_never() {
    testing::isolated(async {
        Stock.reserve(IdempotencyKey::random()).await.unwrap();
        Stock.once().await.unwrap_err();
        assert_eq!(operation("stock.reserve").counts.attempts, 2);
        assert_eq!(operation("stock.once").counts.attempts, 1);
        assert!(operation("stock.once").budget.is_none());
        resilient::verify().expect("one breaker for all of them is no conflict");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn inner_defaults_win_over_outer_ones() {
    testing::isolated(async {
        assert_eq!(nested::outer().await.unwrap(), ms(100));
        assert_eq!(nested::inner::plain().await.unwrap(), ms(30));
        assert_eq!(operation("defaults::nested::inner::plain").dependency, "outer");
    })
    .await;
}
