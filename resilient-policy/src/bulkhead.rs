//! The settings of the limit on concurrent calls.

use core::time::Duration;

/// `bulkhead = 12` or `bulkhead(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bulkhead {
    /// How many calls run at once.
    pub limit: Limit,
    /// `name`: one gate shared by every operation that writes it; `None`: the operation's own.
    pub name: Option<&'static str>,
    /// `max_wait_ms`: how long a call may queue; 0: a full bulkhead answers at once.
    pub max_wait: Duration,
    /// `max_queue`: how many may queue; `None`: as many as may run.
    pub max_queue: Option<u32>,
    /// `order`: who leaves the queue first.
    pub order: Order,
    /// `max_age`: the age limit of a standing queue.
    pub max_age: Option<Duration>,
}

impl Bulkhead {
    /// A gate of `size` permits that nobody waits for.
    #[must_use]
    pub const fn of(size: u32) -> Self {
        Self {
            limit: Limit::Fixed(size),
            name: None,
            max_wait: Duration::ZERO,
            max_queue: None,
            order: Order::Fifo,
            max_age: None,
        }
    }
}

/// How many calls run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Always this many.
    Fixed(u32),
    /// As many as the dependency turns out to serve.
    Adaptive {
        /// Never fewer; 4.
        min: u32,
        /// Never more; 200.
        max: u32,
        /// By which measure.
        kind: Adaptive,
    },
}

/// How an adaptive limit finds its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adaptive {
    /// Up by one per round trip, down by a tenth when one fails.
    Aimd,
    /// By the queue that the round-trip time implies.
    Vegas,
    /// By the ratio of long-term to short-term round-trip time.
    Gradient2,
}

/// Who leaves a queue first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one that came first.
    Fifo,
    /// While the queue stands: the one that came last, whose caller is likeliest to be there still.
    Newest,
}
