//! What other libraries got wrong, once each: a name begins with its row in `docs/known-mistakes.md` and says what went
//! wrong there. Most stories are told of the async function and of the sync one, in the words of
//! `tests/conformance/world.rs`.

macro_rules! words {
    ($($word:ident = $path:literal)+) => {$(
        #[path = $path]
        #[allow(dead_code, unused_imports, reason = "the conformance tests use the rest")]
        mod $word;
    )+};
}
words!(clock = "../conformance/clock.rs" dep = "../conformance/dep.rs");
words!(ended = "../conformance/ended.rs" world = "../conformance/world.rs");

mod breaker;
mod bulkhead;
mod coalesce;
mod hedge;
mod nesting;
mod probe;
mod rate_limit;
mod reentry;
mod retry;
mod table;
mod threads;
mod timeout;

mod value;
