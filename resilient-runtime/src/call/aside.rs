//! What only a call off the straight path has, in a box, so that no other call pays for it.

use crate::{budget::Token, bulkhead::Waiter, keyed::Selected, rate_limit::Reservation};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Aside {
    /// What the call waits for before an attempt.
    pub(super) waiting: Option<Waiting>,
    /// The retry's, from when it was granted until its attempt has ended.
    pub(super) token: Option<Token>,
    /// The wait before the last retry, which decorrelated jitter grows from.
    pub(super) waited: Duration,
    /// The states that the call's keys select, where a guard's name has placeholders. The last field, so that what is
    /// given back above still meets its own key's state.
    pub(super) selected: Option<Selected>,
}

/// A place in line, which is given up when it is dropped.
#[derive(Debug)]
pub(super) enum Waiting {
    /// For a permit of the bulkhead.
    Permit(Waiter),
    /// For a turn at the rate limit.
    Turn(Reservation),
}
