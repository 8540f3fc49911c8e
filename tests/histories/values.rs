//! A policy as a value: the closure that makes the body is the body's beginning.

use crate::dep::Outcome;
use resilient::{
    Failure, Site, call,
    policy::{Policy, Safety, Timeout},
    remaining, snapshot,
    testing::isolated,
};
use std::{
    future::{Future, Ready, ready},
    panic::{catch_unwind, resume_unwind},
    task::{Context, Waker},
    time::Duration,
};

static VALUE: Site = Site::named(
    "value",
    &Policy { safety: Safety::Read, timeout: Timeout::After(Duration::from_millis(60)), ..Policy::NEW },
);

#[tokio::test(start_paused = true)]
async fn what_the_closure_reads_is_of_the_attempt() {
    let seen = isolated(call(&VALUE, || {
        // As a client's builder does, before there is a future.
        let (left, attempt) = (remaining(), resilient::attempt());
        ready(Ok::<_, Failure<std::io::Error>>((left, attempt)))
    }));
    assert_eq!(seen.await.unwrap(), (Some(Duration::from_millis(60)), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_closure_is_one_of_the_body() {
    isolated(async {
        let panicked = catch_unwind(|| {
            let body = || -> Ready<Outcome> { resume_unwind(Box::new("scripted")) };
            let mut called = Box::pin(call(&VALUE, body));
            called.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        });
        assert!(panicked.is_err());
        let counts = &snapshot()[0].counts;
        assert_eq!((counts.panicked, counts.dropped), (1, 0), "{counts:?}");
    })
    .await;
}
