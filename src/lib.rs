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
//! let stock = &resilient::snapshot()[0];
//! assert_eq!((stock.operation, stock.dependency), ("stock.view", "stock"));
//! assert_eq!(stock.counts.succeeded, 1);
//! # }
//! ```
//!
//! From the outside in, a call passes
//!
//! > fallback ( deadline ( bulkhead ( breaker ( retry + budget ( attempt timeout \[ your function \] ) ) ) ) )
//!
//! and what each of them counts is one table, in `docs/guards/README.md`.
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
//! # Features
//!
//! - `reqwest`: [`Classify`] for `reqwest::Error`, and `http::check`, which keeps status and `Retry-After`.
//! - `testing`: guards, random numbers and a clock of a test's own.
#![forbid(unsafe_code)]

pub use resilient_macros::{Classify, defaults, resilient};
pub use resilient_runtime::*;

#[doc(hidden)]
pub use resilient_runtime::__private;
