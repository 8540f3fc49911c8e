//! The vocabulary of [`resilient`](https://docs.rs/resilient): what a policy says, what it means when it says
//! nothing, and which policies are refused.
//!
//! Everything here is plain data and `const fn`. The attribute macro asks [`rules`] while it expands, the code it
//! emits asks them again in a `const` where a setting is a path to a constant, and the runtime asks them of a policy
//! that is built as a value. There is one list.
//!
//! ```
//! use std::time::Duration;
//! use resilient_policy::{Policy, Rule, Timeout, faults};
//!
//! let policy = Policy {
//!     timeout: Timeout::After(Duration::from_millis(100)),
//!     deadline: Some(Duration::from_millis(50)),
//!     ..Policy::NEW
//! };
//! let fault = faults(&policy).next().unwrap();
//! assert_eq!(fault.rule, Rule::R06);
//! assert_eq!(fault.at, "timeout");
//! ```
#![forbid(unsafe_code)]

mod breaker;
mod budget;
mod bulkhead;
mod fallback;
mod hedge;
mod policy;
mod rate_limit;
mod retry;
mod rule;
pub mod rules;
mod setters;
mod text;

pub use breaker::{Breaker, Scope, Window};
pub use budget::{Earn, RetryBudget};
pub use bulkhead::{Adaptive, Bulkhead, Limit, Order};
pub use fallback::{Fallback, FallbackKind};
pub use hedge::{Hedge, HedgeDelay};
pub use policy::{Blocking, Policy, Safety, Shape, Timeout};
pub use rate_limit::RateLimit;
pub use retry::{Jitter, Retry};
pub use rule::{Allowed, Fault, Kind, Rule};
pub use rules::{check, faults, first_fault};
pub use text::Text;
