//! `stock`: what is left of the things in a cart, and reservations. One database query per request.

use crate::database::Database;
use crate::setting::Setting;
use crate::tally::{Event, Tally};
use crate::wire;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing};
use resilient::IdempotencyKey;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// `[storm, part 2]`: stock may spend 15 s on a call, which shop-api drops after 1 s: an inverted timeout.
const LIMIT: Duration = Duration::from_secs(15);

/// The service.
#[derive(Clone)]
pub struct Stock {
    pub setting: Setting,
    pub database: Arc<Database>,
    pub ledger: Arc<Ledger>,
    pub tally: Arc<Tally>,
}

impl Stock {
    pub fn router(self) -> Router {
        Router::new()
            .route("/stock/{cart}", routing::get(view))
            .route("/reservations/{checkout}", routing::post(reserve))
            .with_state(self)
    }

    async fn answer(self, headers: &HeaderMap, done: impl FnOnce(&Ledger) -> u64 + Send + 'static) -> Response {
        self.tally.add_now(Event::StockCall);
        let job = async move {
            let expires = resilient::remaining().map(|left| Instant::now() + left);
            match timeout(LIMIT, self.database.query(expires)).await {
                Ok(Ok(())) => done(&self.ledger).to_string().into_response(),
                _ => StatusCode::GATEWAY_TIMEOUT.into_response(),
            }
        };
        wire::work(self.setting, headers, job).await
    }
}

async fn view(State(stock): State<Stock>, Path(cart): Path<u64>, headers: HeaderMap) -> Response {
    stock.answer(&headers, move |_| cart % 50).await
}

async fn reserve(State(stock): State<Stock>, Path(checkout): Path<u64>, headers: HeaderMap) -> Response {
    let key = wire::idempotency_key(&headers);
    stock.answer(&headers, move |ledger| ledger.commit(checkout, key)).await
}

/// The reservations that were committed.
#[derive(Default)]
pub struct Ledger(Mutex<Book>);

#[derive(Default)]
struct Book {
    receipts: u64,
    by_key: HashMap<IdempotencyKey, u64>,
    checkouts: HashSet<u64>,
}

impl Ledger {
    /// Commits a reservation and returns its receipt; with a key that was here before, only the first receipt.
    ///
    /// `[storm, part 3]`: "so the callee can return the first result instead of acting twice".
    fn commit(&self, checkout: u64, key: Option<IdempotencyKey>) -> u64 {
        let book = &mut *self.0.lock().unwrap();
        if let Some(first) = key.as_ref().and_then(|key| book.by_key.get(key)) {
            return *first;
        }
        book.receipts += 1;
        book.checkouts.insert(checkout);
        if let Some(key) = key {
            book.by_key.insert(key, book.receipts);
        }
        book.receipts
    }

    /// How many commits repeated an earlier one of the same checkout.
    pub fn duplicates(&self) -> u64 {
        let book = self.0.lock().unwrap();
        book.receipts - book.checkouts.len() as u64
    }
}
