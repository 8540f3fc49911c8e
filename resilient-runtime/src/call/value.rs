//! A policy as a value: the same engine for code that cannot be an annotated function.

use super::{BlockingCall, Call};
use crate::{
    operation::Site,
    outcome::{Answer, Judged, Rejectable},
};
use std::{future::Future, ops::ControlFlow};

/// Guards what `body` makes, by the policy of `site`: for closures and generated clients.
///
/// `body` is asked for a new future per attempt, and for one more where the policy hedges; it is asked inside the attempt, so
/// that it can read [`remaining`](crate::remaining). Plans B are the business of code that can call one: the policy's
/// `fallback` is not used here.
///
/// ```
/// use resilient_runtime::{Failure, Site, call, policy::{Policy, Safety, Timeout}};
/// use std::{io, time::Duration};
///
/// static STOCK: Site = Site::named("stock.view", &Policy {
///     safety: Safety::Read,
///     timeout: Timeout::After(Duration::from_millis(60)),
///     retries: 1,
///     ..Policy::NEW
/// });
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let stock: Result<u32, Failure<io::Error>> = call(&STOCK, || async { Ok(3) }).await;
/// assert_eq!(stock.unwrap(), 3);
/// # }
/// ```
///
/// # Errors
/// What the last attempt returned, or the guard that answered instead.
pub async fn call<F: Future>(site: &'static Site, mut body: impl FnMut() -> F) -> F::Output
where
    F::Output: Answer<Error: Judged<F::Output> + Rejectable<F::Output>>,
{
    let mut call = Call::new(site);
    loop {
        let attempt = call.hedged(&mut body, <F::Output as Answer>::Error::judge);
        if let ControlFlow::Break(ending) = attempt.await {
            return <F::Output as Answer>::Error::conclude(ending);
        }
    }
}

/// [`call`] for sync code.
///
/// # Errors
/// What the last attempt returned, or the guard that answered instead.
pub fn call_blocking<R>(site: &'static Site, mut body: impl FnMut() -> R) -> R
where
    R: Answer<Error: Judged<R> + Rejectable<R>>,
{
    let mut call = BlockingCall::new(site);
    loop {
        if let ControlFlow::Break(ending) = call.attempt(&mut body, R::Error::judge) {
            return R::Error::conclude(ending);
        }
    }
}
