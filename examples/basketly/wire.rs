//! What travels between the apps, shop-api and stock: HTTP/2 on loopback, and two headers.
//!
//! HTTP/2, because there a caller who gives up resets one stream and keeps its connection: the cancel of
//! `[storm, part 2]`. It also keeps thousands of waiting requests on a handful of sockets.

use crate::setting::Setting;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use reqwest::{Client, RequestBuilder};
use resilient::{IdempotencyKey, Rejected, RejectedKind};
use std::time::Duration;
use tokio::net::TcpListener;

/// The time left for this attempt, in whole ms: a duration, because clocks on different machines disagree.
const WITHIN: &str = "x-within-ms";
/// The same on every attempt of one action.
const KEY: &str = "idempotency-key";
/// Set on a page that lacks its optional part.
pub const DEGRADED: &str = "x-degraded";

/// A server as its clients see it.
#[derive(Clone)]
pub struct Peer {
    client: Client,
    url: String,
}

impl Peer {
    /// Starts a server on a free port.
    pub async fn start(router: Router) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = TowerToHyperService::new(router.clone());
                tokio::spawn(async move {
                    let mut server = Builder::new(TokioExecutor::new()).http2_only();
                    // `axum::serve` stops at 200 requests a connection. Here the waiting requests are the story.
                    server.http2().max_concurrent_streams(None);
                    server.serve_connection(TokioIo::new(socket), service).await
                });
            }
        });
        let client = Client::builder().http2_prior_knowledge().no_proxy().build().map_err(std::io::Error::other)?;
        Ok(Self { client, url })
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    pub fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url))
    }
}

/// The request, with what the other side should know of the running attempt.
///
/// # Errors
/// [`RejectedKind::Expired`] if too little time is left to send it.
pub fn carry(mut request: RequestBuilder) -> Result<RequestBuilder, Rejected> {
    if let Some(left) = resilient::send_within() {
        if left.is_zero() {
            return Err(Rejected::new("wire", RejectedKind::Expired, None));
        }
        request = request.header(WITHIN, left.as_millis().to_string());
    }
    if let Some(key) = resilient::idempotency_key() {
        request = request.header(KEY, key.to_string());
    }
    Ok(request)
}

/// The idempotency key that came with a request.
pub fn idempotency_key(headers: &HeaderMap) -> Option<IdempotencyKey> {
    Some(IdempotencyKey::from_parts([headers.get(KEY)?.to_str().ok()?]))
}

fn time_left(headers: &HeaderMap) -> Option<Duration> {
    headers.get(WITHIN)?.to_str().ok()?.parse().ok().map(Duration::from_millis)
}

/// Runs a server's job for one request.
///
/// A caller who gives up resets the stream, and the future of the handler is dropped. Annotated, the job is part of it
/// and ends with it, and while it runs it knows the caller's deadline. As shipped, it was handed to a thread pool that
/// never hears of it, and of no deadline.
pub async fn work(
    setting: Setting,
    headers: &HeaderMap,
    job: impl Future<Output = Response> + Send + 'static,
) -> Response {
    match (setting, time_left(headers)) {
        (Setting::Annotated, Some(left)) => resilient::within(left, job).await,
        (Setting::Annotated, None) => job.await,
        (Setting::AsShipped, _) => match tokio::spawn(job).await {
            Ok(response) => response,
            Err(_the_run_is_over) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        },
    }
}
