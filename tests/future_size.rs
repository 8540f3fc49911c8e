//! What the guards add to a function's future.
//!
//! A guarded future holds the call, the pinned attempt, the arguments that another attempt may need and the outcome of
//! the last one. Nothing large may be in it twice: layers of `async fn` would double it each time.
//!
//! `cargo test --test future_size -- --nocapture` prints the table.
#![warn(clippy::all, clippy::pedantic)]

use resilient::{Rejected, resilient};
use std::fmt;

#[derive(Debug, resilient::Classify)]
enum Error {
    #[transient]
    Blip,
    #[rejected]
    Rejected(Rejected),
}

type Result<T> = std::result::Result<T, Error>;

/// What a call may take beyond the body, the arguments and the outcome: guards, context and timer.
const CALL: usize = 320;

/// The sizes of one function's futures under more and more guards, in bytes.
struct Row {
    function: &'static str,
    plain: usize,
    /// Only a timeout.
    bounded: usize,
    /// A timeout and retries.
    repeated: usize,
    /// Every guard but a cache.
    guarded: usize,
    /// The arguments that are taken by value.
    owned: usize,
    outcome: usize,
}

impl Row {
    fn most(&self) -> usize {
        self.plain + self.owned + self.outcome + CALL
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, plain, bounded, repeated, guarded, .. } = self;
        write!(f, "{function:<20} {plain:>6} {bounded:>8} {repeated:>9} {guarded:>8} {:>5}", self.most())
    }
}

/// The same function under no guard, a timeout, retries, and everything.
macro_rules! row {
    ($name:ident($($argument:ident: $ty:ty = $value:expr),*), owned = $owned:expr, $out:ty, $body:block) => {{
        async fn plain($($argument: $ty),*) -> Result<$out> $body

        async fn plan_b($($argument: $ty),*) -> Result<$out> {
            $(let _ = $argument;)*
            tokio::task::yield_now().await;
            Err(Error::Blip)
        }

        #[resilient(timeout_ms = 50)]
        async fn bounded($($argument: $ty),*) -> Result<$out> $body

        #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
        async fn repeated($($argument: $ty),*) -> Result<$out> $body

        #[resilient(
            read,
            timeout_ms = 50,
            deadline_ms = 500,
            retries = 2,
            retry_budget = 0.1,
            breaker = "future.size",
            bulkhead = 8,
            fallback = plan_b
        )]
        async fn guarded($($argument: $ty),*) -> Result<$out> $body

        Row {
            function: stringify!($name),
            plain: size_of_val(&plain($($value),*)),
            bounded: size_of_val(&bounded($($value),*)),
            repeated: size_of_val(&repeated($($value),*)),
            guarded: size_of_val(&guarded($($value),*)),
            owned: $owned,
            outcome: size_of::<Result<$out>>(),
        }
    }};
}

#[test]
fn guards_add_no_more_than_a_call_its_arguments_and_its_outcome() {
    let rows = [
        row!(nothing(), owned = 0, (), {
            tokio::task::yield_now().await;
            Ok(())
        }),
        row!(small(n: u64 = 1, text: &str = "a"), owned = 8, u64, {
            tokio::task::yield_now().await;
            Ok(n + text.len() as u64)
        }),
        row!(string(text: String = String::new()), owned = 24, String, {
            tokio::task::yield_now().await;
            Ok(text)
        }),
        row!(large_argument(bytes: [u8; 1024] = [0; 1024]), owned = 1024, u8, {
            tokio::task::yield_now().await;
            Ok(bytes[0])
        }),
        row!(large_reference(bytes: &[u8; 1024] = &[0; 1024]), owned = 0, u8, {
            tokio::task::yield_now().await;
            Ok(bytes[0])
        }),
        row!(large_local(), owned = 0, u8, {
            let bytes = std::hint::black_box([0_u8; 4096]);
            tokio::task::yield_now().await;
            Ok(bytes[0])
        }),
        row!(large_answer(), owned = 0, [u8; 1024], {
            tokio::task::yield_now().await;
            Ok([0; 1024])
        }),
    ];
    println!("{:<20} {:>6} {:>8} {:>9} {:>8} {:>5}", "bytes", "plain", "timeout", "+ retries", "all", "most");
    for row in &rows {
        println!("{row}");
    }
    for row in &rows {
        assert!(row.bounded.max(row.repeated) <= row.most(), "{row}");
        assert!(row.guarded <= row.most(), "{row}");
    }
}
