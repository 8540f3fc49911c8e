//! Free functions: what they return, how they are declared, and what stands in their bodies.

use crate::support::{Error, Result, blip_twice, once, once_blocking, ran, retried, retried_blocking};
use resilient::resilient;
use std::{
    error, io,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Row 1.
#[test]
fn an_async_function_without_arguments_is_retried() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn retries() -> Result<u64> {
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(1)
    }
    #[resilient(timeout_ms = 50)]
    async fn runs_once() -> Result<u64> {
        ran();
        Ok(1)
    }
    assert_eq!(retried(retries()), Ok(1));
    assert_eq!(once(runs_once()), Ok(1));
}

/// Row 2.
#[test]
fn a_sync_function_without_arguments_is_retried() {
    #[resilient(read, timeout = none, retries = 2)]
    fn retries() -> Result<u64> {
        blip_twice()?;
        Ok(1)
    }
    #[resilient(read, timeout_ms = 50, blocking = cooperative, deadline_ms = 5_000, retries = 2)]
    fn bounds_itself() -> Result<bool> {
        blip_twice()?;
        Ok(resilient::remaining().is_some())
    }
    #[resilient(timeout = none)]
    fn runs_once() -> Result<u64> {
        ran();
        Ok(1)
    }
    assert_eq!(retried_blocking(retries), Ok(1));
    assert_eq!(retried_blocking(bounds_itself), Ok(true));
    assert_eq!(once_blocking(runs_once), Ok(1));
}

/// Row 3.
#[test]
fn a_result_may_go_by_another_name() {
    type Answer = Result<u64>;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn of_std() -> io::Result<u64> {
        blip_twice()?;
        Ok(1)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn of_this_crate() -> Answer {
        blip_twice()?;
        Ok(1)
    }
    assert_eq!(retried(of_std()).unwrap(), 1);
    assert_eq!(retried_blocking(of_this_crate), Ok(1));
}

/// Row 29.
#[test]
fn an_answer_may_be_an_opaque_type() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn asynchronous(end: u64) -> Result<impl Iterator<Item = u64>, Error> {
        blip_twice()?;
        Ok(0..end)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn sync(end: u64) -> Result<impl Iterator<Item = u64>, Error> {
        blip_twice()?;
        Ok((0..end).rev())
    }
    assert_eq!(retried(asynchronous(3)).unwrap().sum::<u64>(), 3);
    assert_eq!(retried_blocking(|| sync(3)).unwrap().next(), Some(2));
}

/// Row 30.
#[test]
fn an_opaque_answer_may_borrow_from_an_argument() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn asynchronous(list: &[u64]) -> Result<impl Iterator<Item = &u64>, Error> {
        blip_twice()?;
        Ok(list.iter().skip(1))
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn sync(list: &[u64]) -> Result<impl Iterator<Item = &u64>, Error> {
        blip_twice()?;
        Ok(list.iter().skip(1))
    }
    let list = [1, 2, 3];
    assert_eq!(retried(asynchronous(&list)).unwrap().sum::<u64>(), 5);
    assert_eq!(retried_blocking(|| sync(&list)).unwrap().sum::<u64>(), 5);
}

/// Rows 31, 32 and 33.
#[test]
fn the_body_is_coerced_and_inferred_as_without_the_attribute() {
    type Erased = Box<dyn error::Error + Send + Sync>;

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn boxed(start: u64) -> Result<Box<dyn Iterator<Item = u64> + Send>, Error> {
        blip_twice()?;
        Ok(Box::new(start..3))
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn collected(texts: &[&str]) -> Result<Vec<u64>, Erased> {
        let numbers = texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        blip_twice()?;
        Ok(numbers)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn converted() -> Result<u64, Erased> {
        if blip_twice().is_err() {
            return Err("a blip".into());
        }
        "1".parse().map_err(Into::into)
    }
    assert_eq!(retried(boxed(1)).unwrap().sum::<u64>(), 3);
    assert_eq!(retried(collected(&["1", "2"])).unwrap(), [1, 2]);
    assert_eq!(retried_blocking(converted).unwrap(), 1);
}

/// Row 34.
#[test]
fn a_raw_name_is_named_without_its_prefix() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn r#type(r#fn: u64, mut r#mod: String) -> Result<(u64, String)> {
        r#mod.push('!');
        blip_twice()?;
        Ok((r#fn, r#mod))
    }
    let (outcome, operations) = retried(async { (r#type(1, "a".to_owned()).await, resilient::snapshot()) });
    assert_eq!(outcome, Ok((1, "a!".to_owned())));
    assert!(operations[0].operation.ends_with("::type"), "{}", operations[0].operation);
}

/// Row 35.
#[test]
fn attributes_of_the_function_stay_on_it() {
    /// Documented.
    #[must_use = "a number is for counting"]
    #[inline]
    #[resilient(timeout = none, fallback = default)]
    fn above() -> u64 {
        ran();
        1
    }
    #[resilient(timeout = none, fallback = default)]
    /// Documented.
    #[must_use = "a number is for counting"]
    #[inline]
    fn below() -> u64 {
        ran();
        1
    }
    once_blocking(|| {
        #[expect(unused_must_use, reason = "what the function says is to be heard")]
        above();
    });
    once_blocking(|| {
        #[expect(unused_must_use, reason = "what the function says is to be heard")]
        below();
    });
}

/// Row 40.
#[test]
fn a_function_may_have_a_foreign_interface() {
    #[resilient(read, timeout = none, retries = 2)]
    #[allow(improper_ctypes_definitions, reason = "a `Result` is nothing that C knows")]
    extern "C" fn called_from_c(n: u64) -> Result<u64> {
        blip_twice()?;
        Ok(n)
    }
    assert_eq!(retried_blocking(|| called_from_c(1)), Ok(1));
}

/// Rows 41 and 42.
#[test]
fn a_body_may_hold_attributes_and_items() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn attributed() -> Result<()> {
        #![allow(unused_variables, reason = "an attribute of the body")]
        let x = 1;
        blip_twice()
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn with_items(n: u64) -> Result<u64> {
        const TWO: u64 = 2;

        fn doubled(n: u64) -> u64 {
            n * TWO
        }
        macro_rules! and_one {
            ($n:expr) => {
                $n + 1
            };
        }
        blip_twice()?;
        Ok(and_one!(doubled(n)))
    }
    assert_eq!(retried(attributed()), Ok(()));
    assert_eq!(retried(with_items(2)), Ok(5));
}

/// Row 43.
#[test]
fn a_body_may_be_left_early() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn searched(list: &[u64], wanted: u64) -> Result<usize> {
        blip_twice()?;
        let mut at = 0;
        let found = 'search: loop {
            for candidate in list {
                if *candidate == wanted {
                    break 'search at;
                }
                at += 1;
                if at > 100 {
                    continue 'search;
                }
            }
            return Ok(list.len());
        };
        Ok(found)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn returned(n: u64) -> Result<u64> {
        blip_twice()?;
        if n > 1 {
            return Ok(1);
        }
        Ok(n)
    }
    assert_eq!(retried(searched(&[1, 2, 3], 2)), Ok(1));
    assert_eq!(retried(searched(&[1, 2, 3], 4)), Ok(3));
    assert_eq!(retried_blocking(|| returned(7)), Ok(1));
}

/// Row 44.
#[test]
fn a_body_may_be_unwritten() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn planned(_: u64) -> Result<u64> {
        todo!()
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn never() -> Result<u64> {
        unimplemented!("for now")
    }
    #[resilient(timeout = none)]
    fn once() -> Result<u64> {
        unreachable!()
    }
    let panics = |call: &dyn Fn()| catch_unwind(AssertUnwindSafe(call)).is_err();
    assert!(panics(&|| drop(retried(planned(1)))));
    assert!(panics(&|| drop(retried_blocking(never))));
    assert!(panics(&|| drop(once_blocking(once))));
}

/// Row 45.
#[test]
fn a_function_may_call_itself() {
    #[resilient(read, timeout = none, retries = 2)]
    fn sync(n: u64) -> Result<u64> {
        if n == 0 {
            ran();
            return Ok(0);
        }
        Ok(n + sync(n - 1)?)
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn asynchronous(n: u64) -> Result<u64> {
        if n == 0 {
            ran();
            return Ok(0);
        }
        Ok(n + Box::pin(asynchronous(n - 1)).await?)
    }
    assert_eq!(once_blocking(|| sync(3)), Ok(6));
    assert_eq!(once(asynchronous(3)), Ok(6));
}

mod shop {
    pub mod stock {
        use crate::support::{Result, blip_twice};
        use resilient::resilient;

        #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
        pub(crate) async fn of_the_crate() -> Result<u64> {
            blip_twice()?;
            Ok(1)
        }

        #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
        pub(in crate::free) async fn of_a_path() -> Result<u64> {
            blip_twice()?;
            Ok(1)
        }

        #[resilient(read, timeout = none, retries = 2)]
        pub(super) fn of_the_parent() -> Result<u64> {
            blip_twice()?;
            Ok(1)
        }
    }

    pub fn of_the_parent() -> Result<u64, super::Error> {
        stock::of_the_parent()
    }
}

/// Row 48.
#[test]
fn visibility_is_kept() {
    assert_eq!(retried(shop::stock::of_the_crate()), Ok(1));
    assert_eq!(retried(shop::stock::of_a_path()), Ok(1));
    assert_eq!(retried_blocking(shop::of_the_parent), Ok(1));
}

/// Row 49; the other tests hold functions inside a function already.
#[test]
fn a_guarded_function_may_stand_inside_another() {
    #[resilient(timeout_ms = 1_000)]
    async fn outer(n: u64) -> Result<u64> {
        #[resilient(read, timeout_ms = 50, deadline_ms = 500, retries = 2)]
        async fn inner(n: u64) -> Result<u64> {
            blip_twice()?;
            Ok(n)
        }
        Ok(inner(n).await? + 1)
    }
    assert_eq!(retried(outer(1)), Ok(2));
}
