//! The app on a user's phone: what it can ask for, and what it makes of an answer.

use crate::tally::{Event, Tally};
use crate::wire::{DEGRADED, Peer};
use reqwest::{RequestBuilder, Response};
use std::sync::Arc;

/// What a user taps on, with the number of the product, cart or checkout.
#[derive(Clone, Copy)]
pub enum Action {
    /// Needs `prices`, never `stock`.
    Product(u64),
    /// Reads `stock`, for the badges.
    Cart(u64),
    /// Writes to `stock`.
    Checkout(u64),
}

/// An app, connected to shop-api.
#[derive(Clone)]
pub struct App {
    pub shop_api: Peer,
    pub tally: Arc<Tally>,
}

impl App {
    /// One attempt at an action.
    pub fn request(&self, action: Action) -> RequestBuilder {
        self.tally.add_now(Event::Attempt);
        match action {
            Action::Product(product) => self.shop_api.get(&format!("/products/{product}")),
            Action::Cart(cart) => self.shop_api.get(&format!("/carts/{cart}")),
            Action::Checkout(checkout) => self.shop_api.post(&format!("/checkouts/{checkout}")),
        }
    }

    /// What the user sees.
    pub fn show(response: &Response) -> Event {
        if !response.status().is_success() {
            Event::Refused
        } else if response.headers().contains_key(DEGRADED) {
            Event::Degraded
        } else {
            Event::Full
        }
    }
}
