//! What travels with a call: a small value that is the thread's own while the body is polled, and nobody's between.

use crate::{
    idempotency::IdempotencyKey,
    operation::Operation,
    report::Report,
    sync::{Mutex, MutexGuard, lock},
    testing,
    time::{Moment, now},
};
use pin_project_lite::pin_project;
use std::{
    cell::RefCell,
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
    time::Duration,
};
use tokio::task::JoinHandle;

/// How much it matters that this call is answered, for guards that must choose. Source of the four: `[storm, part 6]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criticality {
    /// May be refused at any time: batch work, prefetching.
    Sheddable,
    /// Refused when there is nothing else to refuse.
    SheddablePlus,
    /// A user waits for it.
    #[default]
    Critical,
    /// Must go through if anything does: money, safety.
    CriticalPlus,
}

/// How the inner operations of one attempt ended, as far as the attempt around them must know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inner {
    /// The last one that ended, if it failed.
    pub(crate) failed: Option<&'static Operation>,
    /// One that repeats on its own failed in a way it repeats, and none succeeded after it.
    pub(crate) retried: bool,
}

/// The same account, once tasks that the attempt has started write to it as well.
#[derive(Clone, Debug)]
pub(crate) struct Tasks(Arc<Mutex<Inner>>);

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }
}

/// The context itself; its module is private, so it is nobody's to name.
#[derive(Clone, Debug)]
pub struct Context {
    /// Of the running attempt.
    pub(crate) deadline: Moment,
    pub(crate) key: Option<IdempotencyKey>,
    /// From 1; 0 outside any attempt.
    pub(crate) attempt: u32,
    pub(crate) criticality: Criticality,
    pub(crate) inner: Inner,
    pub(crate) tasks: Option<Tasks>,
    pub(crate) report: Option<Report>,
}

impl Context {
    const EMPTY: Self = Self {
        deadline: Moment::NEVER,
        key: None,
        attempt: 0,
        criticality: Criticality::Critical,
        inner: Inner { failed: None, retried: false },
        tasks: None,
        report: None,
    };

    /// A copy of the thread's context, for something that starts inside it.
    pub(crate) fn inherited() -> Self {
        let copy = read(Self::clone).unwrap_or(Self::EMPTY);
        Self { inner: Inner::default(), tasks: None, ..copy }
    }

    /// How the inner operations of the attempt ended so far.
    pub(crate) fn inner(&self) -> Inner {
        self.tasks.as_ref().map_or(self.inner, |tasks| *tasks.lock())
    }

    /// An attempt begins, of which no inner operation has ended.
    pub(crate) fn begin(&mut self) {
        (self.inner, self.tasks) = (Inner::default(), None);
    }

    /// The account of a copy that the attempt ran in.
    pub(crate) fn account_of(&mut self, copy: Self) {
        (self.inner, self.tasks) = (copy.inner, copy.tasks);
    }

    fn ended(&mut self, change: impl Fn(&mut Inner)) {
        change(&mut self.inner);
        if let Some(tasks) = &self.tasks {
            change(&mut tasks.lock());
        }
    }

    /// The account for a task that starts inside; none outside an attempt.
    fn tasks(&mut self) -> Option<Tasks> {
        let inner = self.inner;
        let tasks = || Tasks(Arc::new(Mutex::new(inner)));
        (self.attempt > 0).then(|| self.tasks.get_or_insert_with(tasks).clone())
    }

    /// Makes this the thread's context until the guard is dropped.
    pub(crate) fn enter(&mut self) -> Entered<'_> {
        swap(self);
        Entered(self)
    }

    /// The same for a scope inside an attempt: what ends in the scope ends in the attempt.
    fn enter_scope(&mut self) -> EnteredScope<'_> {
        (self.inner, self.tasks) = read(|context| (context.inner, context.tasks.clone())).unwrap_or_default();
        swap(self);
        EnteredScope(self)
    }
}

thread_local! {
    static CURRENT: RefCell<Context> = const { RefCell::new(Context::EMPTY) };
}

/// `None` while the thread is being torn down.
fn read<R>(look: impl FnOnce(&Context) -> R) -> Option<R> {
    CURRENT.try_with(|context| look(&context.borrow())).ok()
}

fn swap(context: &mut Context) {
    let _ = CURRENT.try_with(|current| mem::swap(&mut *current.borrow_mut(), context));
}

/// The inside of a context.
pub(crate) struct Entered<'a>(&'a mut Context);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        swap(self.0);
    }
}

/// The inside of a scope.
struct EnteredScope<'a>(&'a mut Context);

impl Drop for EnteredScope<'_> {
    fn drop(&mut self) {
        swap(self.0);
        let account = (self.0.inner, self.0.tasks.take());
        let _ = CURRENT.try_with(|context| {
            let context = &mut *context.borrow_mut();
            (context.inner, context.tasks) = account;
        });
    }
}

/// Tells the attempt around it how an operation ended.
pub(crate) fn ended(change: impl Fn(&mut Inner)) {
    let _ = CURRENT.try_with(|context| context.borrow_mut().ended(change));
}

/// Notes a degraded answer for whoever asked for a report.
pub(crate) fn report() -> Option<Report> {
    read(|context| context.report.clone()).flatten()
}

/// The time left for the running attempt: what the body may still spend. `None`: no limit.
///
/// Inside an annotated function this is the smaller of the attempt timeout and the time left of every deadline around
/// it; outside, that of [`within`].
#[must_use]
pub fn remaining() -> Option<Duration> {
    let deadline = read(|context| context.deadline).filter(|at| *at != Moment::NEVER)?;
    Some(deadline.since(now()))
}

/// What to tell the next hop: [`remaining`] less a margin of 1 ms or 5 %, whichever is larger, in whole milliseconds.
/// `None`: no limit. Zero: do not send.
///
/// The margin pays for the way there and back. Sending the whole time left makes the callee work for callers that are
/// gone `[storm, row 10z]`.
#[must_use]
pub fn send_within() -> Option<Duration> {
    remaining().map(|left| {
        let margin = Duration::from_millis(1).max(left / 20);
        let whole = left.saturating_sub(margin).as_millis();
        Duration::from_millis(u64::try_from(whole).unwrap_or(u64::MAX))
    })
}

/// The number of the running attempt, from 1; `None` outside an annotated function.
#[must_use]
pub fn attempt() -> Option<u32> {
    read(|context| context.attempt).filter(|n| *n > 0)
}

/// The criticality of the running call.
#[must_use]
pub fn criticality() -> Criticality {
    read(|context| context.criticality).unwrap_or_default()
}

/// The key of the running write, the same in every attempt; for a client to send.
#[must_use]
pub fn idempotency_key() -> Option<IdempotencyKey> {
    read(|context| context.key.clone()).flatten()
}

/// Something that [`with`] sets for a future.
pub trait Carried: private::Sealed {}

mod private {
    pub trait Sealed {
        fn change(self) -> super::Change;
    }
}

/// What a scope changes.
#[derive(Debug)]
pub enum Change {
    Deadline(Moment),
    Criticality(Criticality),
    Key(IdempotencyKey),
    Report(Report),
}

impl Change {
    /// What is around, with this laid on top.
    fn apply(self) -> Context {
        let mut context = Context::inherited();
        match self {
            Self::Deadline(at) => context.deadline = context.deadline.min(at),
            Self::Criticality(criticality) => context.criticality = criticality,
            Self::Key(key) => context.key = Some(key),
            Self::Report(report) => context.report = Some(report),
        }
        context
    }
}

impl Carried for Criticality {}
impl private::Sealed for Criticality {
    fn change(self) -> Change {
        Change::Criticality(self)
    }
}

impl Carried for IdempotencyKey {}
impl private::Sealed for IdempotencyKey {
    fn change(self) -> Change {
        Change::Key(self)
    }
}

pin_project! {
    /// A future that runs in a context of its own: what was around it when it was first polled, and a change.
    #[must_use = "futures do nothing unless polled"]
    pub struct Scoped<F> {
        // Until the first poll.
        change: Option<Change>,
        context: Context,
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Scoped<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<F::Output> {
        let this = self.project();
        if let Some(change) = this.change.take() {
            *this.context = change.apply();
        }
        let _inside = this.context.enter_scope();
        this.future.poll(cx)
    }
}

fn at_most(limit: Duration) -> Change {
    Change::Deadline(now().after(limit))
}

/// Gives everything guarded inside `future` at most `limit` from now; the shorter deadline wins.
///
/// For the edge, which knows how long its caller waits. The future itself is not cut: code that is not guarded reads
/// [`remaining`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
///
/// let left = resilient_runtime::within(Duration::from_secs(2), async { resilient_runtime::remaining() }).await;
/// assert_eq!(left, Some(Duration::from_secs(2)));
/// # }
/// ```
pub fn within<F: Future>(limit: Duration, future: F) -> Scoped<F> {
    scoped(at_most(limit), future)
}

/// [`within`] for sync code.
pub fn within_blocking<R>(limit: Duration, body: impl FnOnce() -> R) -> R {
    let mut context = at_most(limit).apply();
    let _inside = context.enter_scope();
    body()
}

/// Runs `future` with a [`Criticality`] or an [`IdempotencyKey`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use resilient_runtime::{Criticality, criticality, with};
///
/// assert_eq!(with(Criticality::Sheddable, async { criticality() }).await, Criticality::Sheddable);
/// # }
/// ```
pub fn with<F: Future>(carried: impl Carried, future: F) -> Scoped<F> {
    scoped(carried.change(), future)
}

pub(crate) fn scoped<F: Future>(change: Change, future: F) -> Scoped<F> {
    Scoped { change: Some(change), context: Context::EMPTY, future }
}

pin_project! {
    /// A task, in a context that nobody else has.
    struct Task<F> {
        context: Context,
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Task<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _inside = this.context.enter();
        this.future.poll(cx)
    }
}

/// Starts a task that keeps the deadline, the key and the criticality of whoever starts it. What its operations have
/// repeated is not repeated around it.
///
/// # Panics
/// Outside a tokio runtime.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let tasks = CURRENT.try_with(|context| context.borrow_mut().tasks()).ok().flatten();
    tokio::spawn(testing::carry(Task { context: Context { tasks, ..Context::inherited() }, future }))
}

/// Starts a task that outlives its caller's deadline, key and criticality: work that is not for this request.
///
/// # Panics
/// Outside a tokio runtime.
pub fn detach<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(testing::carry(Task { context: Context::EMPTY, future }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn the_shorter_deadline_wins_and_ends_with_its_scope() {
        within(MS * 100, async {
            assert_eq!(within(MS * 500, async { remaining() }).await, Some(MS * 100));
            assert_eq!(within(MS * 40, async { remaining() }).await, Some(MS * 40));
            assert_eq!(remaining(), Some(MS * 100));
        })
        .await;
        assert_eq!(remaining(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_goes_on_the_wire_leaves_a_margin_and_is_never_negative() {
        let sent = |left| async move { within(left, async { send_within() }).await.unwrap() };
        assert_eq!(sent(MS * 60).await, MS * 57);
        assert_eq!(sent(MS * 10).await, MS * 9);
        assert_eq!(sent(MS * 1).await, Duration::ZERO);
        assert_eq!(sent(Duration::ZERO).await, Duration::ZERO);
        assert_eq!(within(Duration::MAX, async { send_within() }).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_spawned_task_keeps_the_context_and_a_detached_one_does_not() {
        within(MS * 100, async {
            assert_eq!(spawn(async { remaining() }).await.unwrap(), Some(MS * 100));
            assert_eq!(detach(async { remaining() }).await.unwrap(), None);
        })
        .await;
    }

    #[test]
    fn sync_code_has_the_same_context() {
        let left = within_blocking(MS * 100, || remaining().unwrap());
        assert!(left <= MS * 100 && left > MS * 50);
    }
}
