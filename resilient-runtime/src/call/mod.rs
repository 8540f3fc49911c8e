//! How a call passes the guards: the layers of the design, in their order.
//!
//! > fallback ( deadline ( coalesce ( bulkhead ( breaker ( retry + budget ( rate limit ( attempt timeout [ hedge ( body ) ]
//! > ) ) ) ) ) ) )
//!
//! [`Core`] is one call; it decides, and knows neither futures nor the body's type. [`Call`] drives it as a future,
//! [`BlockingCall`] as plain code, through the same five steps:
//!
//! | step | where | when | what it asks |
//! |---|---|---|---|
//! | [`Core::start`] | `admit` | before every attempt | first: deadline, breaker (a look), bulkhead, breaker, rate limit; later: nothing, the retry was granted |
//! | [`Core::settle`] | `settle`, `retry` | the body returned | retry: verdict, retries left, time, breaker, inner layer, budget |
//! | [`Core::cut`] | `settle`, `retry` | the attempt ran out of time | the same, for a timeout; nothing, for a deadline |
//! | [`Core::resume`] | `retry` | after the backoff | deadline and breaker, once more; a permit for one more body where one was left behind; rate limit |
//! | drop | `release` | the caller left, or the body panicked | nothing: every guard takes back what it gave |
//!
//! `hedged`, `threaded` and `coalesced` are the other ways to run a body, or not to; `degrade` is plan B; `value` is a
//! policy without a function.

mod admit;
mod aside;
mod blocking;
mod coalesced;
mod core;
mod degrade;
mod future;
mod hedged;
mod release;
mod retry;
mod settle;
mod threaded;
mod value;

pub use blocking::BlockingCall;
pub use coalesced::{Leading, Shareable};
pub use degrade::Keepable;
pub use future::{Call, Judge, once};
pub use threaded::Movable;
pub use value::{call, call_blocking};

pub(crate) use self::core::{Core, Next};
