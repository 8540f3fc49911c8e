//! The client functions as shipped: every one has a timeout and retries, and both are wrong.

use crate::app::{Action, App};
use crate::shop_api::Badges;
use crate::tally::Event;
use crate::wire::Peer;
use axum::http::StatusCode;
use reqwest::{RequestBuilder, Response};
use std::time::Duration;
use tokio::time::timeout;

/// `[storm, part 3]`: "the app tries 3 times; for each app attempt, shop-api tries stock 3 times".
pub const ATTEMPTS: u32 = 3;
/// `[storm, part 2]`: the app abandons an attempt after 2 s, while shop-api may spend 3 s on it.
const APP_TIMEOUT: Duration = Duration::from_secs(2);
/// `[storm, part 2]`: shop-api drops a call to stock after 1 s, while stock may spend 15 s on it.
const CALL_TIMEOUT: Duration = Duration::from_secs(1);

/// What the app does for one action, whether its user still waits or not.
pub async fn open(app: &App, action: Action) -> Event {
    match repeat(APP_TIMEOUT, || app.request(action)).await {
        Ok(response) => App::show(&response),
        Err(_) => Event::Refused,
    }
}

pub async fn price(prices: &Peer, product: u64) -> Result<String, StatusCode> {
    text(repeat(CALL_TIMEOUT, || prices.get(&format!("/prices/{product}"))).await?).await
}

pub async fn view_stock(stock: &Peer, cart: u64) -> Result<Badges, StatusCode> {
    text(repeat(CALL_TIMEOUT, || stock.get(&format!("/stock/{cart}"))).await?).await.map(Badges::Left)
}

pub async fn reserve(stock: &Peer, checkout: u64) -> Result<String, StatusCode> {
    text(repeat(CALL_TIMEOUT, || stock.post(&format!("/reservations/{checkout}"))).await?).await
}

/// Up to 3 attempts, one right after the other, whatever went wrong.
async fn repeat(limit: Duration, request: impl Fn() -> RequestBuilder) -> Result<Response, StatusCode> {
    for _ in 0..ATTEMPTS {
        match timeout(limit, request().send()).await {
            Ok(Ok(response)) if response.status().is_success() => return Ok(response),
            _ => {}
        }
    }
    Err(StatusCode::SERVICE_UNAVAILABLE)
}

async fn text(response: Response) -> Result<String, StatusCode> {
    response.text().await.map_err(|_| StatusCode::BAD_GATEWAY)
}
