//! The circuit breaker's settings.

use core::time::Duration;

/// `breaker = "name"` or `breaker("name", …)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breaker {
    /// Whose state it is: two operations that write one name share one breaker.
    pub name: &'static str,
    /// `window` (calls) or `window_ms`; the last 20 calls.
    pub window: Window,
    /// `min_calls`: no verdict before this many; `None`: the window, or 20 with a time window.
    pub min_calls: Option<u32>,
    /// `failure_rate`: opens at this share of failures, inclusive; 0.5.
    pub failure_rate: f64,
    /// `slow_ms`: an attempt that takes longer is slow.
    pub slow: Option<Duration>,
    /// `slow_rate`: opens at this share of slow calls, inclusive; 0.5.
    pub slow_rate: f64,
    /// `consecutive`: opens after this many failures in a row.
    pub consecutive: Option<u32>,
    /// `open_ms`: how long it refuses; 5 s.
    pub open: Duration,
    /// `open_jitter`: the open time is stretched by a random share up to this, so that a fleet does not probe in step; 0.5.
    pub open_jitter: f64,
    /// `open_factor`: how much the open time grows per re-open; 1.
    pub open_factor: f64,
    /// `open_cap_ms`: the longest open time before jitter; 60 s.
    pub open_cap: Duration,
    /// `probes`: trial calls of a half-open breaker; 3.
    pub probes: u32,
    /// `passes`: probes that must pass to close; `None`: all.
    pub passes: Option<u32>,
    /// `probe_timeout_ms`: the time one probe may take; `None`: the attempt timeout.
    pub probe_timeout: Option<Duration>,
    /// `scope`: what is one sample; the call.
    pub scope: Scope,
}

impl Breaker {
    /// The defaults; the name is to be written.
    pub const NEW: Self = Self {
        name: "",
        window: Window::Count { size: 20, max_age: None },
        min_calls: None,
        failure_rate: 0.5,
        slow: None,
        slow_rate: 0.5,
        consecutive: None,
        open: Duration::from_millis(5_000),
        open_jitter: 0.5,
        open_factor: 1.0,
        open_cap: Duration::from_millis(60_000),
        probes: 3,
        passes: None,
        probe_timeout: None,
        scope: Scope::Call,
    };

    /// The calls that must be in before the rates mean anything.
    #[must_use]
    pub const fn min_calls(&self) -> u32 {
        match (self.min_calls, self.window) {
            (Some(written), _) => written,
            (None, Window::Count { size, .. }) => size,
            (None, Window::Time { .. }) => 20,
        }
    }

    /// The probes that must pass before it closes.
    #[must_use]
    pub const fn passes(&self) -> u32 {
        match self.passes {
            Some(written) => written,
            None => self.probes,
        }
    }
}

/// What the rates are taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The last `size` calls.
    Count {
        /// Calls.
        size: u32,
        /// `window_age_ms`: calls older than this no longer count.
        max_age: Option<Duration>,
    },
    /// The calls of the last `span`, in 10 buckets.
    Time {
        /// `window_ms`.
        span: Duration,
    },
}

/// What a breaker counts as one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The call: by its last attempt.
    Call,
    /// Every attempt.
    Attempt,
}
