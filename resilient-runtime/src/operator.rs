//! The operator's verbs: what a person may do to a running program's guards.

use crate::{
    breaker::{Breaker, Forced},
    operation::Operation,
    snapshot::{OperationSnapshot, current},
};

/// The operation of this name: one on the list (feature `catalog`), or one that has been called; else `None`.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use resilient_runtime::{Failure, Forced, RejectedKind, Site, call, operation, policy::{Breaker, Policy, Timeout}};
/// use std::{io, time::Duration};
///
/// static STOCK: Site = Site::named("stock.view", &Policy {
///     timeout: Timeout::After(Duration::from_millis(60)),
///     breaker: Some(Breaker { name: "stock.view", ..Breaker::NEW }),
///     ..Policy::NEW
/// });
///
/// async fn view() -> Result<u32, Failure<io::Error>> {
///     call(&STOCK, || async { Ok(3) }).await
/// }
///
/// assert_eq!(view().await.unwrap(), 3);
/// let stock = operation("stock.view").expect("it has been called");
/// stock.force(Forced::Open);
/// assert!(matches!(view().await, Err(Failure::Rejected(no)) if no.kind() == RejectedKind::Open));
/// stock.automatic();
/// assert_eq!(view().await.unwrap(), 3);
/// # }
/// ```
#[must_use]
pub fn operation(name: &str) -> Option<OperationHandle> {
    current().operations().into_iter().find(|known| known.name == name).map(OperationHandle)
}

/// One operation, for whoever operates the program.
///
/// What it changes is the state that the operation uses, also for all others that share it. A verb for a guard that the
/// operation does not have does nothing and says `false`.
#[derive(Clone, Copy, Debug)]
pub struct OperationHandle(&'static Operation);

impl OperationHandle {
    /// Its guards as they are now.
    #[must_use]
    pub fn snapshot(&self) -> OperationSnapshot {
        OperationSnapshot::of(self.0)
    }

    /// Holds its breaker in a state, whatever the dependency does, until [`automatic`](Self::automatic).
    pub fn force(&self, state: Forced) -> bool {
        self.breaker(|breaker| breaker.force(Some(state)))
    }

    /// Lets its breaker decide by itself again, closed and with an empty window.
    pub fn automatic(&self) -> bool {
        self.breaker(|breaker| breaker.force(None))
    }

    /// Makes its breaker as good as new: closed, with an empty window, and not forced.
    pub fn reset(&self) -> bool {
        self.breaker(Breaker::reset)
    }

    /// Changes how many calls its bulkhead admits at once. Who is inside stays inside, and who waits goes on waiting.
    pub fn limit(&self, size: u32) -> bool {
        self.0.guards.gate.inspect(|gate| gate.resize(size)).is_some()
    }

    /// Empties its cache.
    pub fn forget(&self) {
        self.0.cache.clear();
    }

    fn breaker(&self, verb: impl FnOnce(&'static Breaker)) -> bool {
        self.0.guards.breaker.map(verb).is_some()
    }
}
