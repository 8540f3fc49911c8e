//! Guards with one state per key: `breaker = "webhook.{customer}"`.
//!
//! | file | what is in it |
//! |---|---|
//! | `key` | what the placeholders of one call are, in one bounded text |
//! | `map` | the states by key: found, made, leased, forgotten |
//! | `states` | what each guard's state does when its key is forgotten |

mod key;
mod map;
mod states;

pub use key::{Placeholder, StateKey};
pub(crate) use map::{Keyed, KeyedCounts, Lease, State};
pub use states::Guard;
pub(crate) use states::{ByKey, Selected};

#[cfg(all(test, not(resilient_loom)))]
mod tests;
