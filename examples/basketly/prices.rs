//! `prices`: always healthy, and what a product page needs.

use axum::{Router, extract::Path, routing::get};

pub fn router() -> Router {
    Router::new().route("/prices/{product}", get(price))
}

async fn price(Path(product): Path<u64>) -> String {
    format!("{}.{:02} €", product % 20 + 1, product % 100)
}
