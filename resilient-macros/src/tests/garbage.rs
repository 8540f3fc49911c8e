//! Half-typed text: an error, never a panic.

use super::tokens;

/// A small generator, so that a failure can be run again.
struct Soup(u64);

impl Soup {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        from[usize::try_from(self.0 % from.len() as u64).unwrap()]
    }
}

const WORDS: &[&str] = &[
    "timeout",
    "timeout_ms",
    "retries",
    "retry",
    "retry_budget",
    "breaker",
    "bulkhead",
    "fallback",
    "cached",
    "value",
    "key",
    "name",
    "allow",
    "crate",
    "hedge",
    "rate_limit",
    "read",
    "write",
    "window",
    "jitter",
    "on",
    "any",
    "error",
    "none",
    "idempotency_key",
    "blocking",
    "cooperative",
    "thread",
    "coalesce",
    "adaptive",
    "strict",
    "p95",
    "p0",
    "\"100/min\"",
    "=",
    "=",
    "=",
    ",",
    ",",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "-",
    "%",
    "::",
    "&",
    "|",
    "..",
    "60",
    "60ms",
    "0",
    "1.5s",
    "1e400",
    "0x10ms",
    "\"60ms\"",
    "\"stock.view\"",
    "\"\"",
    "\"{x}\"",
    "\"\\\"\"",
    "'a'",
    "b\"x\"",
    "true",
    "Self",
    "x",
    "A::B",
    "R07",
    "#",
    "!",
    "?",
    "99999999999999999999999999999999999999999s",
    "\"99999999999999999999999999999999999999999999999h\"",
    "1_000",
    "r#type",
    "_",
    "\"µs\"",
    "5µs",
];

const ITEMS: &[&str] = &[
    "async fn f(x: u64, (a, b): (u64, u64), _: u8) -> Result<u64, E> { Ok(x) }",
    "fn f(&mut self, x: &mut u64) -> Result<u64, E> { Ok(1) }",
    "fn f(x: String) -> Pin<Box<dyn Future<Output = Result<u64, E>>>> { Box::pin(async move { let x = x; Ok(1) }) }",
    "fn f() -> impl Future<Output = u64> { async { 1 } }",
    "async fn f(); ",
    "struct S;",
    "fn",
    "",
    "async fn f(",
    "pub",
    "#[doc] fn f() {}",
];

#[test]
fn no_text_makes_the_macro_panic() {
    let mut soup = Soup(0x5eed);
    for _ in 0..20_000 {
        let length = soup.0 % 14;
        let args: Vec<_> = (0..length).map(|_| soup.pick(WORDS)).collect();
        let (args, item) = (args.join(" "), soup.pick(ITEMS));
        // Brackets that do not match never reach a macro.
        let (Ok(args), Ok(item)) = (args.parse(), item.parse()) else { continue };
        crate::run(args, item);
    }
}

#[test]
fn a_setting_cut_off_anywhere_is_an_error_and_no_more() {
    let whole = "timeout_ms = 60, read, retry(base_ms = 5, jitter = full), breaker = (\"a\", window = 20), fallback = value(1 + 1)";
    let all: Vec<_> = tokens(whole).into_iter().collect();
    for end in 0..all.len() {
        let cut = all[..end].iter().cloned().collect();
        crate::run(cut, tokens("async fn f(x: u64) -> Result<u64, E> { Ok(x) }"));
    }
}
