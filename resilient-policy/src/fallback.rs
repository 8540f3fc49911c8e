//! Plan B.

use core::time::Duration;

/// `fallback = …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// What answers instead.
    pub kind: FallbackKind,
    /// `on = any`: also for a `Permanent` verdict, where the dependency did answer.
    pub on_any: bool,
}

impl Fallback {
    /// A plan B for everything but an answer of the dependency.
    #[must_use]
    pub const fn of(kind: FallbackKind) -> Self {
        Self { kind, on_any: false }
    }
}

/// What answers instead of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FallbackKind {
    /// `cached`: the last good answer for the same arguments.
    Cached {
        /// `max_stale_ms`: how old it may be; 5 min.
        max_stale: Duration,
        /// `max_entries`: how many answers are kept; 1 000.
        max_entries: u32,
    },
    /// `default`: `Default::default()`.
    Default,
    /// `value(expr)`, evaluated when it is needed.
    Value,
    /// A function with the same arguments.
    Path {
        /// Its name, without the path to it: by this the runtime knows its failure from that of something it called.
        function: &'static str,
        /// `timeout_ms`: how long it may take; `None`: the attempt timeout.
        timeout: Option<Duration>,
    },
}

impl FallbackKind {
    /// `fallback = cached` with its defaults.
    pub const CACHED: Self = Self::Cached { max_stale: Duration::from_secs(300), max_entries: 1_000 };
}
