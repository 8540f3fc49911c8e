//! A closure as the body: what it does before its future is polled is its body, too.

use crate::clock::paused;
use resilient::{
    Failure, IdempotencyKey, Site, attempt, call, idempotency_key, policy::*, remaining, snapshot, testing, with,
};
use std::{
    future::{Future, Ready, ready},
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    task::{Context, Waker},
    time::Duration,
};

static RESERVE: Site = Site::named(
    "stock.reserve",
    &Policy {
        safety: Safety::Write,
        keyed: true,
        retries: 1,
        timeout: Timeout::After(Duration::from_millis(60)),
        breaker: Some(Breaker { name: "stock", ..Breaker::NEW }),
        ..Policy::NEW
    },
);

type Answer = Result<u32, Failure<io::Error>>;

/// The key is read where the request is built, and a client builds it before it returns its future.
#[test]
fn p27_a_closure_that_builds_its_request_first_has_the_attempts_context() {
    paused().block_on(testing::isolated(async {
        let key = IdempotencyKey::from_parts(["cart", "17"]);
        let mut seen = Vec::new();
        let asked = call(&RESERVE, || {
            seen.push((attempt(), idempotency_key(), remaining()));
            ready(Answer::Err(Failure::Inner(io::ErrorKind::ConnectionReset.into())))
        });
        with(key.clone(), asked).await.unwrap_err();
        let limit = Some(Duration::from_millis(60));
        assert_eq!(seen, [(Some(1), Some(key.clone()), limit), (Some(2), Some(key), limit)]);
    }));
}

#[test]
fn t39_a_closure_that_panics_has_failed() {
    paused().block_on(testing::isolated(async {
        let mut asked = Box::pin(call(&RESERVE, || -> Ready<Answer> { resume_unwind(Box::new("scripted")) }));
        let polled = AssertUnwindSafe(|| asked.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        assert!(catch_unwind(polled).is_err());
        drop(asked);
        let now = &snapshot()[0];
        assert_eq!((now.counts.panicked, now.counts.dropped, now.counts.in_flight), (1, 0, 0));
        assert_eq!(now.breaker.unwrap().failures, 1);
    }));
}
