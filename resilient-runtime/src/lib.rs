//! The guards, registries and call engine behind [`resilient`](https://docs.rs/resilient). Use them through that crate.
#![forbid(unsafe_code)]

mod arguments;
mod breaker;
mod budget;
mod bulkhead;
mod cache;
mod call;
mod catalog;
mod classify;
mod coalesce;
mod context;
mod counters;
mod histogram;
#[cfg(feature = "reqwest")]
pub mod http;
mod idempotency;
mod keyed;
mod offset;
mod operation;
mod operator;
mod outcome;
mod pool;
mod random;
mod rate_limit;
mod registry;
mod rejected;
mod report;
mod snapshot;
mod stop;
mod sync;
pub mod testing;
mod time;
#[cfg(all(test, not(resilient_loom)))]
mod vectors;
mod verdict;

pub use breaker::{BreakerState, Forced};
pub use call::{call, call_blocking};
pub use classify::chain;
pub use context::{
    Carried, Criticality, Scoped, attempt, criticality, detach, idempotency_key, remaining, send_within, spawn, with,
    within, within_blocking,
};
pub use counters::Counts;
pub use idempotency::IdempotencyKey;
pub use offset::offset;
pub use operation::{Location, Site};
pub use operator::{OperationHandle, operation};
pub use registry::Conflict;
pub use rejected::{Failure, Rejected, RejectedKind};
pub use report::{Degraded, report};
pub use resilient_policy as policy;
pub use snapshot::{
    BreakerSnapshot, BudgetSnapshot, BulkheadSnapshot, KeyedSnapshot, OperationSnapshot, Verified, forget, snapshot,
    verify,
};
pub use stop::{Stop, last_stop};
pub use verdict::{Class, Classify, Executed, Hint, Verdict};

/// What the expansion of `#[resilient]` names. Not for use by hand: it changes with every version.
#[doc(hidden)]
pub mod __private {
    pub use crate::__list as list;
    pub use crate::{
        arguments::{Itself, Key, KeyPart, Part, Reusable, Slot},
        call::{BlockingCall, Call, Judge, Keepable, Leading, Movable, Shareable, once},
        catalog::Listed,
        classify::RetryAfter,
        idempotency::KeyArgument,
        keyed::{Guard, Placeholder, StateKey},
        operation::Site,
        outcome::{
            Answer, Ending, HoldsRejected, Judged, Judgement, OfValue, PlanB, Probe, Rejectable, give, judge_by,
            or_value, unnamed,
        },
        verdict::Verdict,
    };
    pub use core;
    #[cfg(feature = "catalog")]
    pub use inventory;
    pub use resilient_policy as policy;

    /// Refuses to compile a policy that breaks `rule` by the value of a constant.
    ///
    /// # Panics
    /// In a `const`, which is the compile error; with the same text that the macro gives for a literal.
    #[track_caller]
    pub const fn require(policy: &policy::Policy, rule: policy::Rule) {
        if let Some(fault) = policy::check(rule, policy, 0) {
            panic!("{}", fault.message().as_str());
        }
    }
}
