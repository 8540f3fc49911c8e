//! Names that the attribute must neither take away from the user nor stumble over.

use crate::support::{blip_twice, retried, retried_blocking};
use resilient::resilient;

/// Row 50.
#[test]
fn constants_named_as_the_attributes_own_are_the_users() {
    const POLICY: u64 = 1;
    const OPERATION: u64 = 10;
    static SITE: u64 = 100;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn sum() -> crate::support::Result<u64> {
        blip_twice()?;
        Ok(POLICY + OPERATION + SITE)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn with_its_own() -> crate::support::Result<u64> {
        const POLICY: u64 = 2;
        static SITE: u64 = 200;
        blip_twice()?;
        Ok(POLICY + SITE)
    }
    assert_eq!(retried(sum()), Ok(111));
    assert_eq!(retried_blocking(with_its_own), Ok(202));
}

/// Row 50.
#[test]
fn settings_may_be_constants_named_as_the_attributes_own() {
    use std::time::Duration;

    const POLICY: Duration = Duration::from_millis(50);
    const SITE: u64 = 5_000;
    const RETRIES: u32 = 2;

    #[resilient(read, timeout = POLICY, deadline_ms = SITE, retries = RETRIES)]
    async fn from_constants() -> crate::support::Result<Option<Duration>> {
        blip_twice()?;
        Ok(resilient::remaining())
    }
    assert_eq!(retried(from_constants()), Ok(Some(POLICY)));
}

/// Row 51.
#[test]
fn arguments_named_as_the_attributes_own_are_the_users() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = first)]
    async fn sum(
        run: u64,
        attempt: u64,
        slot0: u64,
        site: u64,
        call: u64,
        ending: u64,
        p: u64,
    ) -> crate::support::Result<u64> {
        blip_twice()?;
        Ok(run + attempt + slot0 + site + call + ending + p)
    }
    async fn first(n: u64, _: u64, _: u64, _: u64, _: u64, _: u64, _: u64) -> crate::support::Result<u64> {
        std::future::ready(Ok(n)).await
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn patterns(
        (__arg0, outcome): (u64, u64),
        [judge, body]: [u64; 2],
        __arg1: String,
        key: &str,
    ) -> crate::support::Result<u64> {
        blip_twice()?;
        Ok(__arg0 + outcome + judge + body + (__arg1.len() + key.len()) as u64)
    }
    assert_eq!(retried(sum(1, 2, 4, 8, 16, 32, 64)), Ok(127));
    assert_eq!(retried_blocking(|| patterns((1, 2), [4, 8], "a".to_owned(), "b")), Ok(17));
}

/// Row 86.
mod bare {
    #![no_implicit_prelude]

    use ::resilient::resilient;

    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::resilient::Classify)]
    pub enum Error {
        #[transient]
        Blip,
        #[rejected]
        Rejected(::resilient::Rejected),
    }

    fn blip_twice() -> ::std::result::Result<(), Error> {
        crate::support::blip_twice().map_err(|_| Error::Blip)
    }

    pub async fn plan_b(n: u64, _: &str) -> ::std::result::Result<u64, Error> {
        ::std::future::ready(::std::result::Result::Ok(n)).await
    }

    #[resilient(
        read,
        timeout_ms = 50,
        deadline_ms = 5_000,
        retries = 2,
        retry_budget = 0.2,
        breaker("bare.all", window = 10, min_calls = 10),
        bulkhead = 4,
        fallback = plan_b
    )]
    pub async fn every_guard(n: u64, text: &str) -> ::std::result::Result<u64, Error> {
        blip_twice()?;
        ::std::result::Result::Ok(n + text.len() as u64)
    }

    #[resilient(timeout_ms = 50, deadline_ms = 5_000, retries = 2, fallback = cached)]
    pub async fn cached(n: u64, text: &str) -> ::std::result::Result<u64, Error> {
        blip_twice()?;
        ::std::result::Result::Ok(n + text.len() as u64)
    }

    #[resilient(read, timeout = none, retries = 2, fallback = value(7))]
    pub fn sync(n: u64) -> ::std::result::Result<u64, Error> {
        blip_twice()?;
        ::std::result::Result::Ok(n)
    }

    #[resilient(read, timeout = none, fallback = default)]
    pub fn plain() -> u64 {
        crate::support::ran();
        1
    }
}

/// Row 86.
#[test]
fn a_module_may_have_no_prelude() {
    assert_eq!(retried(bare::every_guard(1, "ab")), Ok(3));
    assert_eq!(retried(bare::cached(1, "ab")), Ok(3));
    assert_eq!(retried_blocking(|| bare::sync(1)), Ok(1));
    assert_eq!(crate::support::once_blocking(bare::plain), 1);
}

/// Row 88.
mod crowded {
    use crate::support;
    use ::resilient::resilient;

    #[allow(dead_code, reason = "they are there to be in the way")]
    pub mod core {}
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub mod std {}
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub mod tokio {}
    pub mod alloc {}
    pub mod resilient_runtime {}
    pub mod resilient_policy {}
    /// Not std's.
    pub type Result = ::std::result::Result<u64, support::Error>;
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub struct Some;
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub struct None;
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub struct Option;
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub trait Future {}
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub trait Default {}
    #[allow(dead_code, reason = "they are there to be in the way")]
    pub trait FnOnce {}
    #[allow(unused_macros, reason = "they are there to be in the way")]
    macro_rules! concat {
        () => {};
    }
    #[allow(unused_macros, reason = "they are there to be in the way")]
    macro_rules! file {
        (no) => {};
    }
    #[allow(unused_macros, reason = "they are there to be in the way")]
    macro_rules! pin {
        (no) => {};
    }

    pub async fn plan_b(n: u64) -> Result {
        ::std::future::ready(Ok(n)).await
    }

    #[resilient(
        read,
        timeout_ms = 50,
        deadline_ms = 5_000,
        retries = 2,
        breaker = "crowded.all",
        bulkhead = 4,
        fallback = plan_b
    )]
    pub async fn every_guard(n: u64) -> Result {
        support::blip_twice()?;
        Ok(n)
    }

    #[resilient(read, timeout = none, retries = 2, fallback = default)]
    pub fn sync(n: u64) -> Result {
        support::blip_twice()?;
        Ok(n)
    }
}

/// Row 88.
#[test]
fn a_module_may_shadow_what_everyone_knows() {
    assert_eq!(retried(crowded::every_guard(1)), Ok(1));
    assert_eq!(retried_blocking(|| crowded::sync(1)), Ok(1));
}

/// What a company puts in front of the crate.
mod facade {
    pub use ::resilient::*;

    #[doc(hidden)]
    pub use ::resilient::__private;
}

/// Row 87.
#[test]
fn the_crate_may_go_by_another_name() {
    #[ren::resilient(crate = ren, read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn renamed() -> crate::support::Result<u64> {
        blip_twice()?;
        Ok(1)
    }
    #[ren::resilient(read, crate = ::ren, timeout = none, retries = 2)]
    fn absolute() -> crate::support::Result<u64> {
        blip_twice()?;
        Ok(1)
    }
    #[facade::resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2, crate = crate::hygiene::facade)]
    async fn through_a_facade() -> crate::support::Result<u64> {
        blip_twice()?;
        Ok(1)
    }
    assert_eq!(retried(renamed()), Ok(1));
    assert_eq!(retried_blocking(absolute), Ok(1));
    assert_eq!(retried(through_a_facade()), Ok(1));
}
