//! No text makes the macros panic: arbitrary attributes on some items, and on arbitrary ones.
#![no_main]
// What only the compiler calls, and what only tests call, is not called here.
#![allow(dead_code)]

use libfuzzer_sys::fuzz_target;

include!(concat!(env!("OUT_DIR"), "/macros/lib.rs"));

const ITEMS: &[&str] = &[
    "async fn f(key: K, id: u64, (a, b): (u64, u64), _: u8) -> Result<u64, E> { g(id, a, b).await }",
    "fn f(&mut self, #[share] x: &mut u64, key: String) -> Result<u64, E> { Ok(*x) }",
    "fn f(key: K) -> Pin<Box<dyn Future<Output = Result<u64, E>>>> { Box::pin(async move { let key = key; Ok(1) }) }",
    "fn f() -> impl Future<Output = u64> { async { 1 } }",
    "async fn f<T: Clone, const N: u32>(mut self: Box<Self>, t: T) -> Option<&mut u64> { #![allow(x)] None }",
    "impl S { #[resilient(read)] async fn f(&self) -> Result<u64, E> { Ok(1) } }",
];

/// What stands between the words of an attribute.
const MARKS: &[&str] = &[
    " = ",
    ", ",
    "(",
    ")",
    "(",
    ")",
    "_ms",
    "60",
    "60ms",
    "0",
    "-1",
    "0.5",
    "10%",
    "1e400",
    "\"60ms\"",
    "\"a.b\"",
    "\"{x}\"",
    "\"\"",
    "none",
    "cached",
    "value",
    "key",
    "R07",
    "R99",
    "LIMIT",
    "a::b",
    "::<",
    ">",
    "|x| x",
    "Self",
    "_",
    "{",
    "}",
    "[",
    "]",
    "#",
    "!",
    "&",
    "'a'",
    "true",
    "p95",
    "throttle",
    "adaptive",
    "thread",
    "full",
    "__defaults",
    "\"100/min\"",
    ";",
    ".",
];

/// Text from bytes: as they are, or each as a word of the table or a mark, which gets further.
fn text(data: &[u8], by_words: bool) -> String {
    if !by_words {
        return String::from_utf8_lossy(data).into_owned();
    }
    let words = keys::KEYS.iter().flat_map(|key| std::iter::once(key).chain(key.options)).map(|key| key.word);
    let words: Vec<_> = MARKS.iter().copied().chain(words).collect();
    data.iter().map(|byte| words[usize::from(*byte) % words.len()]).collect::<Vec<_>>().join(" ").replace(" _ms", "_ms")
}

/// Whether brackets are nested deeper than any parser of the compiler's kind follows.
fn is_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 64
    })
}

fuzz_target!(|data: &[u8]| {
    // Every text that is lexed is kept for its places.
    proc_macro2::extra::invalidate_current_thread_spans();
    let Some((&how, data)) = data.split_first() else { return };
    let (args, item) = match usize::from(how >> 1) % (ITEMS.len() + 1) {
        0 => {
            let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
            (text(&data[..at], how & 1 == 1), text(&data[at..], false).replace('\0', ""))
        }
        n => (text(data, how & 1 == 1), ITEMS[n - 1].to_owned()),
    };
    if is_deep(&args) || is_deep(&item) {
        return;
    }
    // What does not lex never reaches a macro.
    let (Ok(args), Ok(item)) = (args.parse::<TokenStream>(), item.parse::<TokenStream>()) else { return };
    run(args.clone(), item.clone());
    defaults::expand(&args, &item);
    derive::expand(item);
});
