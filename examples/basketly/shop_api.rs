//! `shop-api`: product pages, carts and checkouts, all on the same threads.

use crate::setting::Setting;
use crate::wire::{self, Peer};
use crate::{annotated, as_shipped};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing};
use resilient::{IdempotencyKey, http};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// `[storm, part 1]`: 400 threads. Product pages never call stock, but wait for the same threads.
const THREADS: usize = 400;
/// `[storm, part 1]`: what a page takes besides its calls.
const OWN_WORK: Duration = Duration::from_millis(10);
/// `[storm, part 2]`: shop-api may spend 3 s on an attempt that the app abandons after 2 s: an inverted timeout.
const LIMIT: Duration = Duration::from_secs(3);

/// The service.
#[derive(Clone)]
pub struct ShopApi {
    setting: Setting,
    threads: Arc<Semaphore>,
    prices: Peer,
    stock: Peer,
}

/// What a cart page shows of the stock.
pub enum Badges {
    /// "3".
    Left(String),
    /// The plan B: the cart is worth showing without them.
    Missing,
}

impl ShopApi {
    pub fn new(setting: Setting, prices: Peer, stock: Peer) -> Self {
        Self { setting, threads: Arc::new(Semaphore::new(THREADS)), prices, stock }
    }

    pub fn router(self) -> Router {
        Router::new()
            .route("/products/{product}", routing::get(product))
            .route("/carts/{cart}", routing::get(cart))
            .route("/checkouts/{checkout}", routing::post(checkout))
            .with_state(self)
    }

    async fn answer<P>(self, headers: &HeaderMap, page: impl FnOnce(Self) -> P + Send + 'static) -> Response
    where
        P: Future<Output = Response> + Send,
    {
        let setting = self.setting;
        let job = async move {
            let threads = Arc::clone(&self.threads);
            let _thread = threads.acquire().await;
            if resilient::remaining().is_some_and(|left| left.is_zero()) {
                return StatusCode::GATEWAY_TIMEOUT.into_response();
            }
            let page = async {
                sleep(OWN_WORK).await;
                page(self).await
            };
            // Boxed, so that a request which waits for a thread takes no room for the page it may become.
            match timeout(LIMIT, Box::pin(page)).await {
                Ok(response) => response,
                Err(_) => StatusCode::GATEWAY_TIMEOUT.into_response(),
            }
        };
        wire::work(setting, headers, job).await
    }
}

async fn product(State(shop): State<ShopApi>, Path(product): Path<u64>, headers: HeaderMap) -> Response {
    let page = async move |shop: ShopApi| {
        let price = match shop.setting {
            Setting::AsShipped => as_shipped::price(&shop.prices, product).await,
            Setting::Annotated => annotated::price(&shop.prices, product).await.map_err(status),
        };
        price.map(|price| format!("product {product}: {price}")).into_response()
    };
    shop.answer(&headers, page).await
}

async fn cart(State(shop): State<ShopApi>, Path(cart): Path<u64>, headers: HeaderMap) -> Response {
    let page = async move |shop: ShopApi| {
        let badges = match shop.setting {
            Setting::AsShipped => as_shipped::view_stock(&shop.stock, cart).await,
            Setting::Annotated => annotated::view_stock(&shop.stock, cart).await.map_err(status),
        };
        match badges {
            Ok(Badges::Left(left)) => format!("cart {cart}: {left} left").into_response(),
            Ok(Badges::Missing) => ([(wire::DEGRADED, "badges")], format!("cart {cart}")).into_response(),
            Err(status) => status.into_response(),
        }
    };
    shop.answer(&headers, page).await
}

async fn checkout(State(shop): State<ShopApi>, Path(checkout): Path<u64>, headers: HeaderMap) -> Response {
    let key = wire::idempotency_key(&headers).unwrap_or_else(IdempotencyKey::random);
    let page = async move |shop: ShopApi| {
        let receipt = match shop.setting {
            Setting::AsShipped => as_shipped::reserve(&shop.stock, checkout).await,
            Setting::Annotated => annotated::reserve(key, &shop.stock, checkout).await.map_err(status),
        };
        receipt.map(|receipt| format!("checkout {checkout}: receipt {receipt}")).into_response()
    };
    shop.answer(&headers, page).await
}

/// What the app is told when a call failed for good.
fn status(error: http::Error) -> StatusCode {
    match error {
        http::Error::Rejected(rejected) => StatusCode::from_u16(rejected.status()).unwrap_or(StatusCode::BAD_GATEWAY),
        _ => StatusCode::BAD_GATEWAY,
    }
}
