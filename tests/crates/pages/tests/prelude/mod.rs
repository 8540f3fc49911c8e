//! The names that the pages share: types and clients of a shop.

pub use resilient::{Criticality, Forced, IdempotencyKey, resilient};
pub use std::{sync::Arc, time::Duration};

/// Any error, so that a block may end in `?`.
pub struct Anything;

impl<E: std::fmt::Debug> From<E> for Anything {
    fn from(_: E) -> Self {
        Self
    }
}

#[derive(Clone, Debug, Default)]
pub struct Stock;
#[derive(Debug)]
pub struct Receipt;
pub type Reservation = Receipt;
pub struct Cart;
pub struct Job;
pub struct Upload;
pub struct Event;
pub struct Customer {
    pub id: u64,
}
pub type CustomerId = str;

pub trait Limits {
    fn sku(&self) -> &str;
}

#[derive(Clone, Debug, resilient::Classify)]
pub enum StockError {
    #[permanent]
    NoSuchSku,
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}
pub type HookError = StockError;

/// A client as a value.
pub struct Client;

impl Client {
    pub async fn view(&self, _: &str) -> Result<Stock, StockError> {
        Ok(Stock)
    }
}

/// Takes anything and answers anything.
macro_rules! client {
    ($($module:ident: $($name:ident($($argument:ident),*)),*;)*) => {
        $(pub mod $module {
            $(pub async fn $name<R>($($argument: impl Sized),*) -> Result<R, super::StockError> {
                Err(super::StockError::Broken)
            })*
        })*
    };
}

client! {
    client: stock(sku), view_for(tenant, sku), reserve(key, cart), upload(file), next_job(), post(customer, event);
    outbox: put(key, cart);
    snapshots: read(sku);
}

pub mod blocking_client {
    pub fn stock(_: &str) -> Result<super::Stock, super::StockError> {
        Ok(super::Stock)
    }
}

pub async fn view_stock(_: &str) -> Result<Stock, StockError> {
    Ok(Stock)
}

pub async fn prefetch(_: &Cart) {}
