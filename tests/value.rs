//! A policy as a value: the same engine for closures and generated clients.

use resilient::policy::{
    Blocking, Breaker, Bulkhead, Fallback, FallbackKind, Hedge, HedgeDelay, Policy, Safety, Shape, Timeout, Window,
};
use resilient::{
    Failure, IdempotencyKey, OperationSnapshot, Rejected, RejectedKind, Site, Stop, call, call_blocking, last_stop,
    snapshot, testing, with,
};
use std::{io, time::Duration};

type Answer = Result<u32, Failure<io::Error>>;

const MS: Duration = Duration::from_millis(1);

const READ: Policy = Policy {
    safety: Safety::Read,
    timeout: Timeout::After(Duration::from_millis(60)),
    retries: 2,
    breaker: Some(Breaker {
        name: "stock",
        window: Window::Count { size: 2, max_age: None },
        open_jitter: 0.0,
        ..Breaker::NEW
    }),
    bulkhead: Some(Bulkhead::of(1)),
    ..Policy::NEW
};

static VIEW: Site = Site::named("stock.view", &READ);
static VIEW_BLOCKING: Site = Site::named("stock.view.blocking", &Policy { shape: Shape::Sync, ..READ });
static RESERVE: Site = Site::named(
    "stock.reserve",
    &Policy { safety: Safety::Write, keyed: true, retries: 1, timeout: READ.timeout, ..Policy::NEW },
);

fn broken() -> Failure<io::Error> {
    Failure::Inner(io::ErrorKind::ConnectionReset.into())
}

fn operation(name: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|known| known.operation == name).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_closure_is_asked_for_a_new_future_per_attempt() {
    testing::isolated(async {
        let mut asked = 0;
        let answer: Answer = call(&VIEW, || {
            asked += 1;
            let n = asked;
            async move { if n < 3 { Err(broken()) } else { Ok(n) } }
        })
        .await;
        assert_eq!(answer.unwrap(), 3);
        let view = operation("stock.view");
        assert_eq!((view.dependency, view.counts.attempts, view.breaker.unwrap().failures), ("stock", 3, 0));
        assert!(view.location.to_string().contains("tests/value.rs:"), "{}", view.location);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn every_guard_is_there_without_a_function() {
    testing::isolated(async {
        let hangs = || std::future::pending::<Answer>();
        let Err(Failure::Rejected(cut)) = call(&VIEW, hangs).await else { panic!("it hangs") };
        assert!(matches!(cut.kind(), RejectedKind::TimedOut { limit_ms: 60 }));
        assert_eq!(last_stop(), Some(Stop::Exhausted));
        let _: Answer = call(&VIEW, hangs).await;
        let refused: Answer = call(&VIEW, || async { Ok(1) }).await;
        let Err(Failure::Rejected(open)) = refused else { panic!("two of two failed") };
        assert_eq!(open, Rejected::new("stock.view", RejectedKind::Open, Some(MS * 5_000)));
    })
    .await;
}

#[test]
fn sync_code_passes_the_same_guards() {
    testing::isolated_blocking(|| {
        let mut asked = 0;
        let answer: Answer = call_blocking(&VIEW_BLOCKING, || {
            asked += 1;
            if asked < 3 { Err(broken()) } else { Ok(asked) }
        });
        assert_eq!(answer.unwrap(), 3);
        assert_eq!(operation("stock.view.blocking").counts.attempts, 3);
    });
}

#[tokio::test(start_paused = true)]
async fn a_write_is_repeated_with_a_key_around_it_and_not_without() {
    testing::isolated(async {
        let mut asked = 0;
        let mut reserve = || {
            asked += 1;
            async { Err::<u32, _>(broken()) }
        };
        call(&RESERVE, &mut reserve).await.unwrap_err();
        assert_eq!(last_stop(), Some(Stop::NotRepeatable));
        with(IdempotencyKey::random(), call(&RESERVE, &mut reserve)).await.unwrap_err();
        assert_eq!(asked, 1 + 2);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_hedges_asks_for_one_more_future() {
    static SITE: Site = Site::named(
        "stock.view",
        &Policy {
            hedge: Some(Hedge { delay: HedgeDelay::After(Duration::from_millis(5)), min_samples: 100 }),
            bulkhead: None,
            ..READ
        },
    );
    testing::isolated(async {
        let mut made = 0;
        let answer: Answer = call(&SITE, || {
            made += 1;
            let nth = made;
            async move {
                if nth == 1 {
                    std::future::pending::<()>().await;
                }
                Ok(nth)
            }
        })
        .await;
        assert_eq!((answer.unwrap(), snapshot()[0].counts.hedges_won), (2, 1));
    })
    .await;
}

/// What `Site::named` says of a policy; in a `static` it is a compile error.
fn refused(policy: Policy) -> String {
    let policy: &'static Policy = Box::leak(Box::new(policy));
    let said = std::panic::catch_unwind(|| Site::named("stock.view", policy)).err().expect("it is refused");
    match said.downcast::<String>() {
        Ok(text) => *text,
        Err(said) => (*said.downcast::<&str>().expect("a panic says something")).to_string(),
    }
}

#[test]
fn a_policy_that_a_rule_refuses_or_that_only_a_function_can_keep_is_no_site() {
    assert!(refused(Policy { timeout: Timeout::Unset, ..READ }).starts_with("[R04] "));
    let hedge = Some(Hedge { delay: HedgeDelay::Percentile(9.5), min_samples: 100 });
    assert_eq!(refused(Policy { hedge, ..READ }), "[R03] `p950` is no percentile; write `p95`");
    let plan_b = Some(Fallback::of(FallbackKind::Default));
    assert!(refused(Policy { fallback: plan_b, ..READ }).contains("has no `fallback`"));
    assert!(refused(Policy { coalesce: true, ..READ }).contains("for `coalesce` annotate a function"));
    let thread = Policy { blocking: Some(Blocking::Thread), bulkhead: Some(Bulkhead::of(1)), ..READ };
    assert!(refused(thread).contains("for `blocking = thread` annotate a function"));
}
