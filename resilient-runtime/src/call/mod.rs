//! How a call passes the guards: the layers of the design, in their order.
//!
//! > fallback ( deadline ( coalesce ( bulkhead ( breaker ( retry + budget ( rate limit ( attempt timeout [ hedge ( body ) ]
//! > ) ) ) ) ) ) )
//!
//! [`Core`] holds the layers and decides; it knows neither futures nor the body's type. [`Call`] drives it as a future,
//! [`BlockingCall`] as plain code, through the same five steps:
//!
//! | step | when | what it asks |
//! |---|---|---|
//! | [`Core::start`] | before every attempt | first: deadline, breaker (a look), bulkhead, breaker, rate limit; later: nothing, the retry was granted |
//! | [`Core::settle`] | the body returned | retry: verdict, retries left, time, breaker, inner layer, budget |
//! | [`Core::cut`] | the attempt ran out of time | the same, for a timeout; nothing, for a deadline |
//! | [`Core::resume`] | after the backoff | deadline and breaker, once more; a permit for one more body where one was left behind; rate limit |
//! | drop | the caller left, or the body panicked | nothing: every guard takes back what it gave |

mod aside;
mod blocking;
mod coalesced;
mod core;
mod degrade;
mod future;
mod hedged;
mod threaded;
mod value;

pub use blocking::BlockingCall;
pub use coalesced::{Leading, Shareable};
pub use degrade::Keepable;
pub use future::{Call, Judge, once};
pub use threaded::Movable;
pub use value::{call, call_blocking};

pub(crate) use self::core::{Core, Next};
