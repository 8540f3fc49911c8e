//! Waiting on a thread for what another thread brings.

use super::{Moment, now};
use crate::testing;
use std::{
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

/// Wakes a parked thread.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks the thread until `poll` is ready, or until `until` by the clock, in a test by the test's; `None` for the
/// latter. What is ready in time is never missed: it is asked before the clock.
pub(crate) fn block_on<T>(until: Moment, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
    let waker = Waker::from(Arc::new(Parked(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = poll(&mut cx) {
            return Some(value);
        }
        if testing::waits(until, &cx) {
            return None;
        }
        match until.since(now()) {
            left if left.is_zero() => return None,
            _ if until == Moment::NEVER => thread::park(),
            left => thread::park_timeout(left),
        }
    }
}

#[cfg(all(test, not(resilient_loom)))]
mod tests {
    use super::*;
    use std::{
        sync::{Mutex, PoisonError},
        time::Duration,
    };

    const MS: Duration = Duration::from_millis(1);

    /// A value that another thread puts there.
    #[derive(Default)]
    struct Cell(Mutex<(Option<u32>, Option<Waker>)>);

    impl Cell {
        fn poll(&self, cx: &Context<'_>) -> Poll<u32> {
            let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            inside.1 = Some(cx.waker().clone());
            inside.0.map_or(Poll::Pending, Poll::Ready)
        }

        fn put(&self, value: u32) {
            let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            inside.0 = Some(value);
            inside.1.take().into_iter().for_each(Waker::wake);
        }
    }

    #[test]
    fn what_another_thread_brings_ends_the_wait() {
        for value in 0..200 {
            let cell = Cell::default();
            let got = thread::scope(|scope| {
                scope.spawn(|| cell.put(value));
                block_on(Moment::NEVER, |cx| cell.poll(cx))
            });
            assert_eq!(got, Some(value));
        }
    }

    #[test]
    fn what_is_there_already_wins_over_a_time_that_is_past() {
        assert_eq!(block_on(now(), |_| Poll::Ready(1)), Some(1));
        assert_eq!(block_on(now(), |_| Poll::<u32>::Pending), None);
    }

    #[cfg(feature = "testing")]
    #[test]
    fn a_clock_moved_by_another_thread_ends_the_wait() {
        testing::isolated_blocking(|| {
            for _ in 0..200 {
                let (scope, until) = (testing::handle(), now().after(MS * 3_600_000));
                let moved = thread::spawn(move || scope.run(|| testing::advance(MS * 3_600_000)));
                assert_eq!(block_on(until, |_| Poll::<u32>::Pending), None);
                moved.join().unwrap();
            }
        });
    }
}
