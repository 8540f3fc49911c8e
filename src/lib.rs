//! One attribute that turns a bare function, sync or async, into a guarded one; and a policy that would make an outage
//! worse does not compile.
//!
//! # Start here
//!
//! Say what your errors mean, once. Then write one line over the function that calls something:
//!
//! ```
//! use resilient::resilient;
//!
//! #[derive(Debug, resilient::Classify)]
//! enum StockError {
//!     /// It answered, and will answer the same again.
//!     #[permanent]
//!     NoSuchSku,
//!     /// It may work in a moment.
//!     #[transient]
//!     Broken,
//!     /// A guard answered instead.
//!     #[rejected]
//!     Guard(resilient::Rejected),
//! }
//!
//! #[resilient(timeout_ms = 60, retry_budget = 0.1, breaker = "stock.view", bulkhead = 12, fallback = cached)]
//! async fn view_stock(sku: &str) -> Result<u32, StockError> {
//!     // An HTTP call, a query, anything that can be slow or fail.
//!     if sku.is_empty() { Err(StockError::NoSuchSku) } else { Ok(3) }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! assert_eq!(view_stock("apple").await.unwrap(), 3);
//!
//! let stock = resilient::operation("stock.view").unwrap().snapshot();
//! assert_eq!((stock.operation, stock.dependency), ("stock.view", "stock"));
//! assert_eq!(stock.counts.succeeded, 1);
//! # }
//! ```
//!
//! From the outside in, a call passes
//!
//! > fallback ( deadline ( coalesce ( bulkhead ( breaker ( retry + budget ( rate limit ( attempt timeout \[ hedge ( your
//! > function ) \] ) ) ) ) ) ) )
//!
//! Nothing is on unless you write it. What each of them counts is one table, in `docs/guards/README.md`, and there is a page
//! for each beside it.
//!
//! | key | what it does |
//! |---|---|
//! | `timeout_ms = 60`, `deadline_ms = 500` | one attempt, and the whole call, take at most this long |
//! | `read`; `write`, `idempotency_key = key` | says what a second run would do |
//! | `retries = 2`, `retry(…)`, `retry_budget = 0.1` | how often it is repeated, with which waits, and how much of all calls |
//! | `breaker = "stock.view"` | refuses early while the dependency is plainly down |
//! | `bulkhead = 12`, `bulkhead(adaptive)` | at most this many calls at once |
//! | `rate_limit = "100/min"` | at most this many attempts per time |
//! | `hedge = p95` | a second copy of a slow read |
//! | `coalesce` | reads that ask the same at the same time share one answer |
//! | `fallback = cached` | plan B: the last good answer, `default`, `value(…)`, a function |
//! | `blocking = cooperative`, `thread` | how a sync function keeps its timeout |
//! | `name`, `dependency`, `allow(R07)`, `crate = path` | identity, exceptions, where this crate is |
//!
//! The names of guards may select one state per key: `breaker = "webhook.{customer}"`. [`defaults`] gives settings to a whole
//! `impl` block or module, and [`call`] guards what cannot be a function.
//!
//! # What a caller gets
//!
//! - The last attempt's own `Err`, untouched, when nothing repeats it; [`last_stop`] says why not.
//! - A [`Rejected`], as the function's error type, when a guard answered instead. It names the operation, the guard and
//!   when to come back, maps to an HTTP status, and says whether the body may have run.
//! - Plan B's answer, if there is one; [`report`] lists where that happened.
//!
//! # A write
//!
//! Repeating is declared, never assumed. A write is repeated only with a key that its caller makes once per action:
//!
//! ```
//! use resilient::{IdempotencyKey, resilient};
//! # #[derive(Debug, resilient::Classify)]
//! # enum StockError { #[transient] Broken, #[rejected] Guard(resilient::Rejected) }
//!
//! #[resilient(write, idempotency_key = key, timeout_ms = 60, deadline_ms = 500, retries = 1, breaker = "stock.reserve")]
//! async fn reserve(key: IdempotencyKey, cart: &[u32]) -> Result<usize, StockError> {
//!     // What a client sends along: the same key in every attempt, and the time that is left for this one.
//!     assert_eq!(resilient::idempotency_key(), Some(key));
//!     assert!(resilient::send_within().is_some());
//!     if resilient::attempt() == Some(1) { Err(StockError::Broken) } else { Ok(cart.len()) }
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! let key = IdempotencyKey::from_parts(["cart", "17"]);
//! assert_eq!(reserve(key, &[1, 2]).await.unwrap(), 2);
//! # }
//! ```
//!
//! # Sync functions
//!
//! A blocked thread cannot be stopped, so a timeout on a sync function says how it is kept: with
//! `blocking = cooperative` the body bounds its own waits by [`remaining`].
//!
//! ```
//! # use resilient::resilient;
//! #[resilient(read, timeout_ms = 200, deadline_ms = 1_000, retries = 2, blocking = cooperative)]
//! fn ask(port: u16) -> std::io::Result<std::net::TcpStream> {
//!     let left = resilient::remaining().unwrap_or_default();
//!     std::net::TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), left)
//! }
//! ```
//!
//! With `blocking = thread`, for clients without a timeout of their own, the body runs on a thread of its bulkhead, and the
//! caller walks away in time; the permit stays taken until the body has ended.
//!
//! ```
//! # use resilient::resilient;
//! #[resilient(timeout_ms = 200, bulkhead = 4, blocking = thread)]
//! fn resolve(host: String) -> std::io::Result<Vec<std::net::SocketAddr>> {
//!     std::net::ToSocketAddrs::to_socket_addrs(&(host, 80)).map(Iterator::collect)
//! }
//! ```
//!
//! # A slow tail
//!
//! Most reads are fast, and a few meet a server that pauses. With `hedge` a read that takes longer than usual gets a second
//! copy, and the first answer wins. Copies pay from the retry budget, so that they stop when everything is slow.
//!
//! ```
//! # use resilient::resilient;
//! # #[derive(Debug, resilient::Classify)]
//! # enum StockError { #[transient] Broken, #[rejected] Guard(resilient::Rejected) }
//! # async fn request(_: &str) -> Result<u32, StockError> { Ok(3) }
//! #[resilient(timeout_ms = 60, hedge = p95, rate_limit("500/s", max_wait_ms = 5), bulkhead(12, max_wait_ms = 20))]
//! async fn view_stock(sku: &str) -> Result<u32, StockError> {
//!     request(sku).await
//! }
//! ```
//!
//! # For whoever operates the program
//!
//! [`snapshot`] lists every guard, [`verify`] finds names about which two functions disagree, and [`operation`] has the
//! verbs that change guards while calls run.
//!
//! ```
//! # use resilient::{Forced, resilient};
//! # #[derive(Debug, resilient::Classify)]
//! # enum StockError { #[transient] Broken, #[rejected] Guard(resilient::Rejected) }
//! #[resilient(timeout_ms = 60, breaker = "prices.view", bulkhead = 12)]
//! async fn view_price(sku: &str) -> Result<u32, StockError> {
//!     Ok(3)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let prices = resilient::operation("prices.view").expect("it is listed before its first call");
//! prices.force(Forced::Open);
//! assert!(view_price("apple").await.is_err());
//! prices.automatic();
//! prices.limit(20);
//! assert!(view_price("apple").await.is_ok());
//! assert_eq!(prices.snapshot().bulkhead.unwrap().limit, 20);
//! # }
//! ```
//!
//! # In tests
//!
//! With feature `testing` a test has guards of its own, seeded random numbers, and a clock that it moves: [`testing`].
//!
//! # Features
//!
//! - `catalog` (on by default): operations are listed before their first call.
//! - `reqwest`: [`Classify`] for `reqwest::Error`, and `http::check`, which keeps status and `Retry-After`.
//! - `testing`: guards, random numbers and a clock of a test's own.
#![forbid(unsafe_code)]

pub use resilient_macros::{Classify, defaults, resilient};
pub use resilient_runtime::*;

#[doc(hidden)]
pub use resilient_runtime::__private;
