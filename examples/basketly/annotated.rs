//! The same client functions, annotated.

use crate::app::{Action, App};
use crate::shop_api::Badges;
use crate::tally::Event;
use crate::wire::{self, Peer};
use resilient::http::{self, check};
use resilient::{IdempotencyKey, resilient};

/// What the app does for one action: a single attempt, since shop-api is the one layer that retries `[storm, part 3]`.
///
/// A tap is where a user's action starts, so this is where a checkout gets its key.
pub async fn open(app: &App, action: Action) -> Event {
    let attempt = async {
        let response = wire::carry(app.request(action))?.send().await?;
        Ok::<_, http::Error>(App::show(&response))
    };
    let shown = match action {
        Action::Checkout(_) => resilient::with(IdempotencyKey::random(), attempt).await,
        Action::Product(_) | Action::Cart(_) => attempt.await,
    };
    shown.unwrap_or(Event::Left)
}

/// The price on a product page.
#[resilient(read, timeout_ms = 60, retry_budget = 0.1, breaker = "prices.get")]
pub async fn price(prices: &Peer, product: u64) -> Result<String, http::Error> {
    let request = prices.get(&format!("/prices/{product}"));
    Ok(check(wire::carry(request)?.send().await?)?.text().await?)
}

/// How many are left of what is in a cart: nice to have.
///
/// - 60 ms are about 2 × the P99.9 of a healthy stock `[storm, part 2]`.
/// - 12 calls at once: in the hiccup 200 queries/s × 60 ms are all that can be answered in time `[storm, part 6]`.
///   Healthy, 700 views/s × 5 ms keep 3 to 4 of the 12 busy.
/// - `open_ms` is 5,000 by default, which is right for production. This hiccup lasts 10 s, and a breaker that opened
///   just before its end would show carts without badges for 5 to 7.5 s more. With 1 s it asks again within 1.5 s.
#[resilient(
    read,
    timeout_ms = 60,
    retry_budget = 0.1,
    breaker("stock.view", open_ms = 1_000),
    bulkhead = 12,
    fallback = without_badges
)]
pub async fn view_stock(stock: &Peer, cart: u64) -> Result<Badges, http::Error> {
    let request = stock.get(&format!("/stock/{cart}"));
    Ok(Badges::Left(check(wire::carry(request)?.send().await?)?.text().await?))
}

/// The plan B of [`view_stock`]: a cart is worth showing without its badges `[storm, part 9]`.
async fn without_badges(_stock: &Peer, _cart: u64) -> Result<Badges, http::Error> {
    Ok(Badges::Missing)
}

/// Reserves what is in a cart, once, however many attempts it takes: each carries the same key.
///
/// It has no plan B: where this fails, the user is told so.
///
/// - A probe may take 100 ms `[storm, part 7]`. In the hiccup even a query that waits for nothing takes longer than 60 ms
///   in 22 % of cases `[storm, part 9]`, so that three probes of 60 ms would pass only every other time.
#[resilient(
    write,
    idempotency_key = key,
    timeout_ms = 60,
    deadline_ms = 500,
    retries = 1,
    breaker("stock.reserve", open_ms = 1_000, probe_timeout_ms = 100)
)]
pub async fn reserve(key: IdempotencyKey, stock: &Peer, checkout: u64) -> Result<String, http::Error> {
    let request = stock.post(&format!("/reservations/{checkout}"));
    Ok(check(wire::carry(request)?.send().await?)?.text().await?)
}
