//! `hedge`: the body is a closure that makes two copies of a call, and each starts from the caller's arguments.
//!
//! The first copy hangs and the second answers, which it can only from arguments of its own.

mod guards;
mod methods;

use crate::support::{Error, Result, copy, hedged};
use futures_util::future::{BoxFuture, FutureExt};
use resilient::resilient;
use std::{
    borrow::Cow,
    cell::Cell,
    fmt::{Debug, Display},
    future::Future,
    pin::Pin,
    rc::Rc,
    sync::Arc,
};

// ===== free functions =====

/// Rows 1, 3 and 6.
#[test]
fn a_function_needs_no_arguments_to_be_hedged() {
    type Answer = Result<u64>;

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn none() -> Result<u64> {
        copy(&()).await?;
        Ok(1)
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn unnamed(_: u64, _text: &str) -> Answer {
        copy(&()).await?;
        Ok(1)
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn of_std(n: u64) -> std::io::Result<u64> {
        copy(&n).await?;
        Ok(n)
    }
    assert_eq!(hedged(none()), Ok(1));
    assert_eq!(hedged(unnamed(1, "")), Ok(1));
    assert_eq!(hedged(of_std(1)).unwrap(), 1);
}

/// Rows 4, 5, 26 and 27.
#[test]
fn both_copies_own_an_owned_argument() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn raised(mut n: u64, mut list: Vec<u8>) -> Result<(u64, Vec<u8>)> {
        n += 1;
        list.push(2);
        copy(&(n, &list)).await?;
        Ok((n, list))
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn moved(text: Cow<'_, str>, shared: Arc<str>) -> Result<String> {
        let (owned, shared) = (text.into_owned(), shared);
        copy(&(&owned, &shared)).await?;
        Ok(owned + &shared)
    }
    let shared: Arc<str> = "b".into();
    assert_eq!(hedged(raised(1, vec![1])), Ok((2, vec![1, 2])));
    assert_eq!(hedged(moved(Cow::Borrowed("a"), shared.clone())), Ok("ab".to_owned()));
    assert_eq!(Arc::strong_count(&shared), 1);
}

/// Rows 8, 9, 10, 11 and 13.
#[test]
fn both_copies_take_a_pattern_apart() {
    #[derive(Clone)]
    struct Point {
        x: u64,
        y: String,
    }

    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn owned(
        (a, mut b): (u64, String),
        [c, _]: [u64; 2],
        Point { x, y }: Point,
        &(d, _): &(u64, String),
    ) -> Result<(u64, String)> {
        b.push_str(&y);
        copy(&(a, &b, c, d, x)).await?;
        Ok((a + c + d + x, b))
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn lent(Point { x, y }: &Point) -> Result<u64> {
        copy(&(x, y)).await?;
        Ok(x + y.len() as u64)
    }
    let point = Point { x: 8, y: "y".to_owned() };
    let outcome = hedged(owned((1, "b".to_owned()), [2, 0], point.clone(), &(4, String::new())));
    assert_eq!(outcome, Ok((15, "by".to_owned())));
    assert_eq!(hedged(lent(&point)), Ok(9));
}

/// Rows 14, 15, 16, 19, 21, 24 and 25.
#[test]
fn a_hedged_function_may_be_generic() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn owned<T: AsRef<str> + Clone + Debug>(text: T) -> Result<usize> {
        let moved = text;
        copy(&moved).await?;
        Ok(moved.as_ref().len())
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn lent<T>(shown: &T) -> Result<String>
    where
        T: Display + ?Sized,
    {
        copy(&shown.to_string()).await?;
        Ok(shown.to_string())
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn sized<const N: usize>(bytes: [u8; N]) -> Result<usize> {
        copy(&bytes).await?;
        Ok(bytes.len().min(N))
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn opaque(text: impl AsRef<str> + Clone, mut next: impl FnMut() -> u64 + Clone) -> Result<u64> {
        let (moved, n) = (text, next());
        copy(&(moved.as_ref(), n)).await?;
        Ok(moved.as_ref().len() as u64 + next())
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn functions<F: for<'a> Fn(&'a str) -> &'a str>(f: &F, pointer: fn(u64) -> u64) -> Result<u64> {
        copy(&f("abc")).await?;
        Ok(pointer(f("abc").len() as u64))
    }
    let mut n = 0;
    let next = move || {
        n += 1;
        n
    };
    assert_eq!(hedged(owned("four".to_owned())), Ok(4));
    assert_eq!(hedged(lent("str")), Ok("str".to_owned()));
    assert_eq!(hedged(sized([0; 5])), Ok(5));
    assert_eq!(hedged(opaque("four", next)), Ok(6));
    assert_eq!(hedged(functions(&|text: &str| &text[1..], |n| n + 1)), Ok(3));
}

/// Rows 17, 18, 29, 30 and 31.
#[test]
fn what_a_hedged_function_returns_may_borrow_or_be_opaque() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn elided<'a, 'b: 'a>(a: &'a str, b: &'b str) -> Result<&'a str> {
        copy(&(a, b)).await?;
        Ok(if a.len() > b.len() { a } else { b })
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn opaque(list: &[u64]) -> Result<impl Iterator<Item = &u64>, Error> {
        copy(&list).await?;
        Ok(list.iter().skip(1))
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn coerced(start: u64) -> Result<Box<dyn Iterator<Item = u64> + Send>, Error> {
        copy(&start).await?;
        Ok(Box::new(start..3))
    }
    assert_eq!(hedged(elided("a", "ab")), Ok("ab"));
    assert_eq!(hedged(opaque(&[1, 2, 3])).unwrap().sum::<u64>(), 5);
    assert_eq!(hedged(coerced(1)).unwrap().sum::<u64>(), 3);
}

/// Rows 34, 36, 37, 38, 42 and 43.
#[test]
fn names_attributes_and_early_returns_are_as_without_a_hedge() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn r#type(
        r#fn: u64,
        #[cfg(any())] gone: NoSuchType,
        #[cfg(not(any()))] (a, b): (u64, u64),
        #[allow(unused_variables)] x: u64,
        #[expect(unused_variables)] y: u64,
    ) -> Result<u64> {
        fn doubled(n: u64) -> u64 {
            n * 2
        }
        copy(&(r#fn, a, b)).await?;
        if a > 0 {
            return Ok(doubled(r#fn));
        }
        Ok(b)
    }
    assert_eq!(hedged(r#type(2, (1, 0), 3, 4)), Ok(4));
}

/// Rows 46 and 47.
#[test]
fn arguments_of_a_hedged_function_need_not_be_send_or_sync() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn counted(count: Rc<Cell<u64>>, cell: Cell<u64>) -> Result<u64> {
        count.set(count.get() + 1);
        cell.set(cell.get() + 1);
        copy(&cell.get()).await?;
        Ok(cell.get())
    }
    let count = Rc::new(Cell::new(0));
    assert_eq!(hedged(counted(count.clone(), Cell::new(0))), Ok(1));
    assert_eq!((count.get(), Rc::strong_count(&count)), (2, 1));
}

/// Row 51.
#[test]
fn arguments_named_as_the_hedges_own_are_the_users() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    async fn sum(call: u64, flow: u64, __flow: u64, __arg0: String) -> Result<u64> {
        copy(&(call, flow)).await?;
        Ok(call + flow + __flow + __arg0.len() as u64)
    }
    assert_eq!(hedged(sum(1, 2, 4, "8".to_owned())), Ok(8));
}

// ===== futures by hand =====

/// Rows 78, 79 and 80.
#[test]
fn a_future_by_hand_may_be_hedged() {
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    #[expect(clippy::manual_async_fn, reason = "a body that is one block is still reported")]
    fn one_block(n: u64, text: String) -> impl Future<Output = Result<u64>> {
        async move {
            let moved = text;
            copy(&(n, &moved)).await?;
            Ok(n + moved.len() as u64)
        }
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    fn after_some_work(n: u64, text: String) -> impl Future<Output = Result<u64>> + Send {
        let doubled = n * 2;
        async move {
            copy(&(doubled, &text)).await?;
            Ok(doubled + text.len() as u64)
        }
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    fn alias(text: &str, n: u64) -> BoxFuture<'_, Result<u64>> {
        async move {
            copy(&(text, n)).await?;
            Ok(n + text.len() as u64)
        }
        .boxed()
    }
    #[resilient(timeout_ms = 50, hedge = 20ms)]
    fn pinned<'a>(text: &'a str, _other: &str, n: u64) -> Pin<Box<dyn Future<Output = Result<u64>> + Send + 'a>> {
        Box::pin(async move {
            copy(&(text, n)).await?;
            Ok(n + text.len() as u64)
        })
    }
    assert_eq!(hedged(one_block(1, "ab".to_owned())), Ok(3));
    assert_eq!(hedged(after_some_work(1, "ab".to_owned())), Ok(4));
    assert_eq!(hedged(alias("ab", 1)), Ok(3));
    assert_eq!(hedged(pinned("ab", "", 1)), Ok(3));
}

// ===== from a macro, beside other attributes, without a prelude =====

macro_rules! from_fragments {
    ($name:ident, $delay:expr, $argument:pat => $ty:ty, $out:ty, $body:block) => {
        #[resilient(timeout_ms = 50, hedge = $delay)]
        async fn $name($argument: $ty) -> $out $body
    };
}

const DELAY: std::time::Duration = std::time::Duration::from_millis(20);

from_fragments!(by_literal, "20ms", (a, b) => (u64, String), Result<u64>, {
    copy(&(a, &b)).await?;
    Ok(a + b.len() as u64)
});
from_fragments!(by_constant, DELAY, mut text => String, Result<Vec<u8>>, {
    text.push('!');
    copy(&text).await?;
    Ok(text.into_bytes())
});

#[tracing::instrument]
#[resilient(timeout_ms = 50, hedge = 20ms)]
async fn below_instrument(n: u64, text: String) -> Result<u64> {
    let moved = text;
    copy(&(n, &moved)).await?;
    Ok(n + moved.len() as u64)
}

#[resilient(timeout_ms = 50, hedge = 20ms)]
#[tracing::instrument(skip(text), err, ret)]
async fn above_instrument(n: u64, text: String) -> Result<u64> {
    let moved = text;
    copy(&(n, &moved)).await?;
    Ok(n + moved.len() as u64)
}

#[resilient::resilient(crate = ren, timeout_ms = 50, hedge = 20ms)]
async fn renamed(n: u64) -> Result<u64> {
    copy(&n).await?;
    Ok(n)
}

mod bare {
    #![no_implicit_prelude]

    #[::resilient::resilient(
        timeout_ms = 50,
        deadline_ms = 5_000,
        retries = 2,
        retry_budget = 0.2,
        breaker = "hedged.bare",
        bulkhead = 4,
        rate_limit = "100/s",
        hedge = 20ms,
        coalesce,
        fallback = cached
    )]
    pub async fn every_guard(n: u64, text: &str) -> ::std::result::Result<u64, crate::support::Error> {
        crate::support::copy(&(n, text)).await?;
        ::std::result::Result::Ok(n + text.len() as u64)
    }
}

/// Rows 82, 83, 86 and 87.
#[test]
fn a_hedge_stands_where_the_other_guards_do() {
    assert_eq!(hedged(by_literal((1, "b".to_owned()))), Ok(2));
    assert_eq!(hedged(by_constant("a".to_owned())), Ok(b"a!".to_vec()));
    assert_eq!(hedged(below_instrument(1, "ab".to_owned())), Ok(3));
    assert_eq!(hedged(above_instrument(1, "ab".to_owned())), Ok(3));
    assert_eq!(hedged(renamed(1)), Ok(1));
    assert_eq!(hedged(bare::every_guard(1, "ab")), Ok(3));
}
