//! The time of a test: paused, and read off the library's own clock.

use resilient::{remaining, within};
use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};

/// A runtime whose clock moves only when there is nothing else to do.
pub fn paused() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Milliseconds.
pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The result of a future that has nothing to wait for.
pub fn at_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("sync code does not wait for a waker"),
    }
}

const LONG: Duration = Duration::from_secs(1 << 30);

/// A stopwatch on the library's clock, which may have been moved by hand: what is left of a long time that began with
/// the test, read in a context of its own.
pub struct Watch {
    look: Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>,
    seen: Arc<Mutex<Duration>>,
}

impl Watch {
    pub fn start() -> Self {
        let seen = Arc::new(Mutex::default());
        let write = seen.clone();
        let look = poll_fn(move |_| {
            *write.lock().unwrap() = LONG - remaining().expect("a long time is left");
            Poll::Pending
        });
        let watch = Self { look: Mutex::new(Box::pin(within(LONG, look))), seen };
        // A scope takes its surroundings when it is first polled: here, where no deadline is around it.
        watch.elapsed();
        watch
    }

    pub fn elapsed(&self) -> Duration {
        let polled = self.look.lock().unwrap().as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        *self.seen.lock().unwrap()
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.elapsed())
    }
}
