//! Attributes and functions that come out of a macro, or share a function with another one.

use crate::support::{Result, blip_twice, once, ran, retried, retried_blocking};
use resilient::resilient;
use std::{future::Future, pin::Pin};

macro_rules! from_fragments {
    ($name:ident, $retries:expr, $millis:literal, $argument:ident: $ty:ty, $out:ty, $body:block) => {
        #[resilient(read, timeout_ms = $millis, deadline_ms = 5_000, retries = $retries)]
        async fn $name($argument: $ty) -> $out $body
    };
}

macro_rules! from_patterns {
    ($vis:vis fn $name:ident($($pat:pat => $ty:ty),*) -> $out:ty { $($body:tt)* }) => {
        #[resilient(read, timeout = none, retries = 2)]
        $vis fn $name($(#[share] $pat: $ty),*) -> $out { $($body)* }
    };
}

macro_rules! from_owned_patterns {
    ($vis:vis fn $name:ident($($pat:pat => $ty:ty),*) -> $out:ty $body:block) => {
        #[resilient(read, timeout = none, retries = 2)]
        $vis fn $name($($pat: $ty),*) -> $out $body
    };
}

macro_rules! guarded {
    ($item:item) => {
        #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
        $item
    };
}

macro_rules! set {
    ({ $($settings:tt)* } $item:item) => {
        #[resilient($($settings)*)]
        $item
    };
}

const RETRIES: u32 = 2;

from_fragments!(by_value, 2, 50, n: u64, Result<u64>, {
    blip_twice()?;
    Ok(n)
});
from_fragments!(by_constant, RETRIES, 50, text: String, Result<Vec<u8>>, {
    let bytes = text.into_bytes();
    blip_twice()?;
    Ok(bytes)
});
from_fragments!(by_reference, 1 + 1, 50, text: &str, Result<usize>, {
    blip_twice()?;
    Ok(text.len())
});
from_patterns!(
    fn lent(list => &mut Vec<u64>) -> Result<usize> {
        list.push(1);
        blip_twice()?;
        Ok(list.len())
    }
);
from_owned_patterns!(
    fn taken_apart((a, b) => (u64, String), mut c => u64, &d => &u64, _ => u8) -> Result<(u64, String)> {
        c += a;
        blip_twice()?;
        Ok((c + d, b))
    }
);
guarded! {
    async fn item(n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(n)
    }
}
set! {
    { read, timeout = 50ms, deadline = "5s", retries = 2, breaker("macros.set", failure_rate = 50%) }
    pub(crate) async fn settings(n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(n)
    }
}

/// Row 82.
#[test]
fn a_function_may_come_out_of_a_macro() {
    assert_eq!(retried(by_value(1)), Ok(1));
    assert_eq!(retried(by_constant("a".to_owned())), Ok(vec![b'a']));
    assert_eq!(retried(by_reference("a")), Ok(1));
    assert_eq!(retried_blocking(|| lent(&mut Vec::new())), Ok(3));
    assert_eq!(retried_blocking(|| taken_apart((1, "b".to_owned()), 2, &3, 4)), Ok((6, "b".to_owned())));
    assert_eq!(retried(item(1)), Ok(1));
    assert_eq!(retried(settings(1)), Ok(1));
}

macro_rules! future_of {
    ($name:ident, $out:ty) => {
        #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
        fn $name(n: u64) -> $out {
            Box::pin(async move {
                blip_twice()?;
                Ok(n)
            })
        }
    };
}

future_of!(pinned, Pin<Box<dyn Future<Output = Result<u64>> + Send>>);

/// Row 82.
#[test]
fn a_type_from_a_macro_is_still_seen_to_be_a_future() {
    assert_eq!(retried(pinned(1)), Ok(1));
}

#[tracing::instrument]
#[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
async fn below_instrument(n: u64, text: String) -> Result<u64> {
    let moved = text;
    tokio::task::yield_now().await;
    blip_twice()?;
    Ok(n + moved.len() as u64)
}

#[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
#[tracing::instrument(skip(text), err, ret)]
async fn above_instrument(n: u64, text: String) -> Result<u64> {
    let moved = text;
    tokio::task::yield_now().await;
    blip_twice()?;
    Ok(n + moved.len() as u64)
}

#[tracing::instrument(err)]
#[resilient(read, timeout = none, retries = 2)]
fn sync_below_instrument(mut n: u64, text: String) -> Result<u64> {
    n += text.into_bytes().len() as u64;
    blip_twice()?;
    Ok(n)
}

#[resilient(read, timeout = none, retries = 2)]
#[tracing::instrument(err, ret)]
fn sync_above_instrument(mut n: u64, text: String) -> Result<u64> {
    n += text.into_bytes().len() as u64;
    blip_twice()?;
    Ok(n)
}

struct Stock(u64);

impl Stock {
    #[tracing::instrument(skip(self))]
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn below_instrument(&self, n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(self.0 + n)
    }

    #[tracing::instrument(skip(self))]
    #[resilient(timeout_ms = 50)]
    async fn once_below_instrument(&mut self, n: u64) -> Result<&mut u64> {
        ran();
        self.0 += n;
        Ok(&mut self.0)
    }

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    #[tracing::instrument(skip(self))]
    async fn above_instrument(&mut self, n: u64) -> Result<u64> {
        self.0 += n;
        blip_twice()?;
        Ok(self.0)
    }
}

/// Row 83.
#[test]
fn a_function_may_be_instrumented_in_either_order() {
    assert_eq!(retried(below_instrument(1, "ab".to_owned())), Ok(3));
    assert_eq!(retried(above_instrument(1, "ab".to_owned())), Ok(3));
    assert_eq!(retried_blocking(|| sync_below_instrument(1, "ab".to_owned())), Ok(3));
    assert_eq!(retried_blocking(|| sync_above_instrument(1, "ab".to_owned())), Ok(3));
    assert_eq!(retried(Stock(2).below_instrument(1)), Ok(3));
    assert_eq!(once(Stock(2).once_below_instrument(1)), Ok(&mut 3));
    assert_eq!(retried(Stock(0).above_instrument(1)), Ok(3));
}

/// Row 84: tokio makes a sync function of it first, so that it can have no timeout.
#[tokio::test(start_paused = true)]
#[resilient(read, timeout = none, retries = 2)]
async fn a_test_may_stand_above_the_attribute() -> Result<()> {
    tokio::task::yield_now().await;
    blip_twice()
}

/// Row 84.
#[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
#[tokio::test(start_paused = true)]
async fn a_test_may_stand_below_the_attribute() -> Result<()> {
    tokio::task::yield_now().await;
    blip_twice()
}

/// Row 84.
#[test]
#[resilient(read, timeout = none, retries = 2)]
fn a_sync_test_may_be_guarded() -> Result<()> {
    blip_twice()
}

/// Row 85.
#[test]
fn the_attribute_may_hang_on_a_condition() {
    #[cfg_attr(all(), resilient(read, timeout = 50ms, deadline_ms = 5_000, retries = 2))]
    async fn guarded(n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(n)
    }
    #[cfg_attr(any(), resilient(nonsense))]
    async fn unguarded(n: u64) -> Result<u64> {
        ran();
        std::future::ready(Ok(n)).await
    }
    assert_eq!(retried(guarded(1)), Ok(1));
    assert_eq!(once(unguarded(1)), Ok(1));
}
