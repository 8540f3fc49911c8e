//! The bound on repeats over all calls to a dependency.

/// `retry_budget = …`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RetryBudget {
    /// `none`: no bound; refused by R36 unless allowed.
    Off,
    /// A bucket that earns a share of a token per call. 10 % is the per-client ratio of the SRE book `[storm, part 5]`.
    Ratio {
        /// Tokens earned per call (or success), in (0, 1]; 0.1.
        ratio: f64,
        /// What the bucket holds, and starts with; 10.
        burst: u32,
        /// Tokens that come back per second whatever the traffic; 0.
        floor_per_sec: u32,
        /// What earns.
        earn: Earn,
        /// `name`: a bucket of this name instead of the dependency's.
        name: Option<&'static str>,
    },
    /// `throttle`: 10 tokens, −1 per failed attempt, +0.1 per success; no retry at half of them or fewer `[a6]`.
    Throttle,
    /// `quota`: 500 tokens; a retry costs 14, after a throttled answer 5, and gets them back if it succeeds; a success
    /// without a retry brings 1. The AWS SDKs as of 2026 `[stack, §2.7]`.
    Quota,
    /// `active`: as many retries at once as a fifth of the calls in flight, and 3 whatever the traffic; Envoy's
    /// `[stack, §2.7]`.
    Active,
}

impl RetryBudget {
    /// What `retries` alone gets: 10 % of calls, bursts of 10.
    pub const DEFAULT: Self = Self::ratio(0.1);

    /// A ratio with every other setting at its default.
    #[must_use]
    pub const fn ratio(ratio: f64) -> Self {
        Self::Ratio { ratio, burst: 10, floor_per_sec: 0, earn: Earn::Call, name: None }
    }
}

/// What earns a share of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earn {
    /// Every call, at its first attempt.
    Call,
    /// Every success.
    Success,
}
