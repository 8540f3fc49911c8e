//! What stands between the parentheses: every attempt starts from the caller's arguments.

use crate::support::{Error, Result, blip_twice, retried, retried_blocking};
use resilient::resilient;
use std::{borrow::Cow, cell::Cell, fmt::Display, future::Future, io::Write, rc::Rc, sync::Arc};

#[derive(Clone, Debug, PartialEq)]
struct Point {
    x: u64,
    y: String,
}

fn point() -> Point {
    Point { x: 1, y: "one".to_owned() }
}

/// Row 4.
#[test]
fn a_mut_argument_is_as_the_caller_gave_it_in_every_attempt() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn next(mut x: u64) -> Result<u64> {
        x += 1;
        blip_twice()?;
        Ok(x)
    }
    assert_eq!(retried(next(1)), Ok(2));
}

/// Row 5.
#[test]
fn a_mut_vec_of_a_sync_function_is_the_original_in_the_second_attempt() {
    #[resilient(read, timeout = none, retries = 2)]
    fn longer(mut list: Vec<u8>) -> Result<Vec<u8>> {
        list.push(2);
        blip_twice()?;
        Ok(list)
    }
    assert_eq!(retried_blocking(|| longer(vec![1])), Ok(vec![1, 2]));
}

/// Rows 6 and 7.
#[test]
fn an_argument_may_go_unused() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn nameless(_: u64, _: String, _: &str) -> Result<()> {
        blip_twice()
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn underscored(_x: u64, _y: &str, _z: String) -> Result<()> {
        blip_twice()
    }
    assert_eq!(retried(nameless(1, String::new(), "")), Ok(()));
    assert_eq!(retried_blocking(|| underscored(1, "", String::new())), Ok(()));
}

/// Rows 8, 9 and 10.
#[test]
fn a_pattern_argument_is_destructured_in_every_attempt() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn tuple((a, b): (u64, String)) -> Result<(u64, Vec<u8>)> {
        let bytes = b.into_bytes();
        blip_twice()?;
        Ok((a, bytes))
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn array([a, mut b]: [u64; 2]) -> Result<u64> {
        b += a;
        blip_twice()?;
        Ok(b)
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn fields(Point { x, y }: Point) -> Result<Point> {
        let moved = Point { x, y };
        blip_twice()?;
        Ok(moved)
    }
    assert_eq!(retried(tuple((1, "a".to_owned()))), Ok((1, vec![b'a'])));
    assert_eq!(retried_blocking(|| array([1, 2])), Ok(3));
    assert_eq!(retried(fields(point())), Ok(point()));
}

/// Rows 11 and 13.
#[test]
fn a_pattern_reaches_through_a_reference() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn fields(&Point { x, ref y }: &Point) -> Result<usize> {
        blip_twice()?;
        Ok(usize::try_from(x).unwrap_or_default() + y.len())
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn tuple(&(a, _): &(u64, String)) -> Result<u64> {
        blip_twice()?;
        Ok(a)
    }
    assert_eq!(retried(fields(&point())), Ok(4));
    assert_eq!(retried_blocking(|| tuple(&(7, String::new()))), Ok(7));
}

/// Row 12.
#[test]
fn a_shared_mut_argument_keeps_what_failed_attempts_did_to_it() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn raised(#[share] Point { x, .. }: &mut Point) -> Result<()> {
        *x += 1;
        blip_twice()
    }
    let mut point = point();
    assert_eq!(retried(raised(&mut point)), Ok(()));
    assert_eq!(point.x, 4);
}

/// Rows 14, 15 and 16.
#[test]
fn arguments_may_be_generic() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn owned<T: AsRef<str> + Clone>(text: T) -> Result<usize> {
        let moved = text;
        blip_twice()?;
        Ok(moved.as_ref().len())
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn unsized_behind_a_reference<T>(shown: &T) -> Result<String>
    where
        T: Display + ?Sized,
    {
        blip_twice()?;
        Ok(shown.to_string())
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn sized<const N: usize>(bytes: [u8; N]) -> Result<usize> {
        blip_twice()?;
        Ok(bytes.len().min(N))
    }
    assert_eq!(retried(owned("four")), Ok(4));
    assert_eq!(retried(owned("four".to_owned())), Ok(4));
    assert_eq!(retried_blocking(|| unsized_behind_a_reference("str")), Ok("str".to_owned()));
    assert_eq!(retried(sized([0; 5])), Ok(5));
}

/// Rows 17 and 18.
#[test]
fn an_answer_may_borrow_from_an_argument() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn one<'a>(text: &'a str, _other: &str) -> Result<&'a str> {
        blip_twice()?;
        Ok(&text[..1])
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn longer<'a, 'b: 'a>(a: &'a str, b: &'b str) -> Result<&'a str> {
        blip_twice()?;
        Ok(if a.len() > b.len() { a } else { b })
    }
    assert_eq!(retried(one("abc", "")), Ok("a"));
    assert_eq!(retried_blocking(|| longer("abc", "abcd")), Ok("abcd"));
}

/// Rows 19 and 21.
#[test]
fn an_impl_trait_argument_is_cloned() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn text(text: impl AsRef<str> + Send + Clone) -> Result<usize> {
        let moved = text;
        blip_twice()?;
        Ok(moved.as_ref().len())
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn counted(mut next: impl FnMut() -> u64 + Clone) -> Result<u64> {
        let first = next();
        blip_twice()?;
        Ok(first + next())
    }
    let mut n = 0;
    let next = move || {
        n += 1;
        n
    };
    assert_eq!(retried(text("four")), Ok(4));
    assert_eq!(retried(counted(next)), Ok(3));
}

/// Rows 20, 22 and 23.
#[test]
fn a_shared_argument_is_lent_to_every_attempt() {
    /// Not `Clone`.
    struct Once(u64);

    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn closure(#[share] f: impl Fn() -> u64, #[share] once: Once) -> Result<u64> {
        let n = f() + once.0;
        blip_twice()?;
        Ok(n)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn callback(#[share] f: &mut dyn FnMut()) -> Result<()> {
        f();
        blip_twice()
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn asynchronous<F, Fut>(#[share] f: F) -> Result<u64>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = u64>,
    {
        let n = f().await;
        blip_twice()?;
        Ok(n)
    }
    let not_clone = Once(1);
    let once = Once(2);
    assert_eq!(retried(closure(|| not_clone.0, once)), Ok(3));
    let mut calls = 0;
    assert_eq!(retried_blocking(|| callback(&mut || calls += 1)), Ok(()));
    assert_eq!(calls, 3);
    assert_eq!(retried(asynchronous(|| async { not_clone.0 })), Ok(1));
}

/// Rows 24 and 25.
#[test]
fn functions_are_arguments() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn pointer(f: fn(u64) -> u64) -> Result<u64> {
        blip_twice()?;
        Ok(f(1))
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn higher_ranked<F: for<'a> Fn(&'a str) -> &'a str>(#[share] f: F) -> Result<usize> {
        blip_twice()?;
        Ok(f(&String::from("abc")).len())
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn an_async_closure(#[share] f: impl AsyncFn(&str) -> usize) -> Result<usize> {
        blip_twice()?;
        Ok(f("abc").await)
    }
    assert_eq!(retried(pointer(|n| n + 1)), Ok(2));
    assert_eq!(retried_blocking(|| higher_ranked(|text| &text[1..])), Ok(2));
    assert_eq!(retried(an_async_closure(async |text: &str| text.len())), Ok(3));
}

/// Rows 26 and 27.
#[test]
fn what_is_cheap_to_clone_is_cloned() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn cow(text: Cow<'_, str>) -> Result<String> {
        let owned = text.into_owned();
        blip_twice()?;
        Ok(owned)
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn arc(text: Arc<str>) -> Result<Arc<str>> {
        blip_twice()?;
        Ok(text)
    }
    let text: Arc<str> = "abc".into();
    assert_eq!(retried(cow(Cow::Borrowed("abc"))), Ok("abc".to_owned()));
    assert_eq!(retried(arc(text.clone())), Ok(text.clone()));
    assert_eq!(Arc::strong_count(&text), 1);
}

/// Row 28.
#[test]
fn a_buffer_to_fill_is_shared() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn slice(#[share] buffer: &mut [u8]) -> Result<usize> {
        buffer.fill(1);
        blip_twice()?;
        Ok(buffer.len())
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn writer(#[share] out: &mut impl Write) -> Result<()> {
        out.write_all(b"x").map_err(|_| Error::Blip)?;
        blip_twice()
    }
    let mut buffer = [0; 2];
    assert_eq!(retried(slice(&mut buffer)), Ok(2));
    assert_eq!(buffer, [1, 1]);
    let mut out = Vec::new();
    assert_eq!(retried(writer(&mut out)), Ok(()));
    assert_eq!(out, b"xxx");
}

/// Rows 36, 37 and 38.
#[test]
fn attributes_of_an_argument_are_obeyed() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn configured(
        #[cfg(any())] gone: NoSuchType,
        #[cfg(not(any()))] (a, b): (u64, u64),
        #[cfg(not(any()))] c: u64,
        #[allow(unused_variables)] x: u64,
    ) -> Result<u64> {
        blip_twice()?;
        Ok(a + b + c)
    }
    #[resilient(read, timeout = none, retries = 2)]
    fn expected(#[expect(unused_variables)] x: u64, #[expect(unused_variables)] (y, _): (u64, u64)) -> Result<()> {
        blip_twice()
    }
    assert_eq!(retried(configured((1, 2), 3, 4)), Ok(6));
    assert_eq!(retried_blocking(|| expected(1, (2, 3))), Ok(()));
}

/// Rows 46 and 47; that the latter stays `Send` is in `tests/send.rs`.
#[test]
fn arguments_need_not_be_send_or_sync() {
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn counted(count: Rc<Cell<u64>>) -> Result<()> {
        count.set(count.get() + 1);
        tokio::task::yield_now().await;
        blip_twice()
    }
    #[resilient(read, timeout_ms = 50, deadline_ms = 5_000, retries = 2)]
    async fn fresh(cell: Cell<u64>) -> Result<u64> {
        cell.set(cell.get() + 1);
        tokio::task::yield_now().await;
        blip_twice()?;
        Ok(cell.get())
    }
    let count = Rc::new(Cell::new(0));
    assert_eq!(retried(counted(count.clone())), Ok(()));
    assert_eq!(count.get(), 3);
    assert_eq!(retried(fresh(Cell::new(0))), Ok(1));
}
