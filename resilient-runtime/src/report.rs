//! What was served degraded inside a piece of work.

use crate::context::{self, Change};
use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// One answer that was not the function's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Degraded {
    /// The operation whose plan B answered.
    pub operation: &'static str,
    /// How old the answer is, where it is an earlier one.
    pub age: Option<Duration>,
}

/// A list that everything inside one [`report`] writes to.
#[derive(Clone, Debug, Default)]
pub struct Report(Arc<Mutex<Vec<Degraded>>>);

impl Report {
    pub(crate) fn add(&self, degraded: Degraded) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(degraded);
    }

    /// What stands in it; nothing does afterwards.
    pub(crate) fn take(&self) -> Vec<Degraded> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds what was found elsewhere.
    pub(crate) fn append(&self, more: &[Degraded]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(more);
    }
}

/// Runs `future` and lists what was served degraded inside: by which operation, and how old it is.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (page, degraded) = resilient_runtime::report(async { "page" }).await;
/// assert_eq!(page, "page");
/// assert!(degraded.is_empty());
/// # }
/// ```
pub async fn report<F: Future>(future: F) -> (F::Output, Vec<Degraded>) {
    let report = Report::default();
    let output = context::scoped(Change::Report(report.clone()), future).await;
    (output, report.take())
}
