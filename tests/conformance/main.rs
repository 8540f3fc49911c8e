//! How guarded calls behave, in numbers: the conformance vectors, the counting table and the retry-safety table of the
//! design, and what others got wrong.
//!
//! Read [`world`] first: it says how a test reads. `ids.txt` says for each vector whether it passes, and where ours
//! differs on purpose.

mod clock;
mod dep;
mod ended;
mod world;

// The guards.
mod active;
mod breaker;
mod bulkhead;
mod cached;
mod coalesced;
mod crowds;
mod fallback;
mod half_open;
mod hedge;
mod keyed;
mod operator;
mod queue;
mod retry;
mod time_window;
mod timeout;
mod window;

// What holds for all of them.
mod composition;
mod context;
mod counting;
mod hostile;
mod model;
mod nesting;
mod rate_limit;
mod repeatable;
mod shared;

mod ids;
