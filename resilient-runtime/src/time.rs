//! The only place that reads a clock or sleeps, for async and for sync code alike, so that a test can own time.

mod park;

pub(crate) use park::block_on;

use crate::testing;
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    sync::OnceLock,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

/// A point on the process's monotonic clock, in nanoseconds; additions saturate at [`Moment::NEVER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// Where the clock counts from.
    pub(crate) const ORIGIN: Self = Self(0);
    pub(crate) const NEVER: Self = Self(u64::MAX);

    pub(crate) fn after(self, wait: Duration) -> Self {
        let wait = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(wait))
    }

    #[cfg(feature = "testing")]
    pub(crate) fn before(self, wait: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// The time from `earlier` to here, zero where `earlier` is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// Nanoseconds since the clock's origin.
    pub(crate) fn nanos(self) -> u64 {
        self.0
    }

    fn instant(self) -> Instant {
        // Half of u64::MAX nanoseconds is 292 years; later than that, tokio need not know.
        origin() + Duration::from_nanos(self.0.min(u64::MAX / 2))
    }
}

/// Where moments count from: a day ago, since a paused runtime's clock may stand where the process was a while ago.
fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(|| {
        let now = Instant::now();
        now.checked_sub(Duration::from_secs(86_400)).unwrap_or(now)
    })
}

/// Now, by tokio's clock, which tests may pause, plus what the test moved by hand.
pub(crate) fn now() -> Moment {
    testing::cost::look_at_the_clock();
    // The origin first: it is a day before the moment at which it is asked for, and the first now is no earlier than that.
    let origin = origin();
    let here = u64::try_from(Instant::now().saturating_duration_since(origin).as_nanos()).unwrap_or(u64::MAX);
    testing::shifted(Moment(here))
}

/// Blocks the thread until `until`; in a test, moves the test's clock there instead.
pub(crate) fn block_until(until: Moment) {
    let wait = until.since(now());
    if !testing::slept(wait) && !wait.is_zero() {
        std::thread::sleep(wait);
    }
}

pin_project! {
    /// One timer that is made when it is first needed and re-armed after that.
    pub(crate) struct Timer {
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl Timer {
    pub(crate) const fn new() -> Self {
        Self { sleep: None }
    }

    /// Ready once it is `until`; wakes the task then. [`Moment::NEVER`] registers nothing.
    ///
    /// A body that uses up tokio's cooperative budget in every poll must not keep its own timer from firing, so the
    /// timer is polled outside that budget.
    pub(crate) fn poll_until(self: Pin<&mut Self>, until: Moment, cx: &mut Context<'_>) -> Poll<()> {
        if until == Moment::NEVER {
            return Poll::Pending;
        }
        let mut this = self.project();
        if testing::waits(until, cx) {
            return Poll::Ready(());
        }
        let target = testing::unshifted(until).instant();
        match this.sleep.as_mut().as_pin_mut() {
            None => this.sleep.set(Some(sleep_until(target))),
            Some(sleep) if sleep.deadline() != target => sleep.reset(target),
            Some(_) => {}
        }
        match this.sleep.as_pin_mut() {
            Some(sleep) => Pin::new(&mut tokio::task::coop::unconstrained(sleep)).poll(cx),
            None => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_saturate_in_both_directions() {
        let now = now();
        assert_eq!(now.after(Duration::MAX), Moment::NEVER);
        assert_eq!(now.since(Moment::NEVER), Duration::ZERO);
        assert_eq!(now.after(Duration::from_millis(5)).since(now), Duration::from_millis(5));
    }
}
