//! What HTTP answers and failures of `reqwest` mean, measured against small servers that misbehave.
#![cfg(feature = "reqwest")]

use reqwest::{
    Client, Response, StatusCode,
    dns::{Name, Resolve, Resolving},
    header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use resilient::{
    Class, Classify, Executed, Failure, Hint, Rejected, RejectedKind, Verdict,
    http::{Error, check, retry_after, retry_after_at, verdict},
};
use std::{
    future::pending,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// For what is to time out.
const SOON: Duration = Duration::from_millis(40);
/// For what is not, on a busy machine either.
const LATE: Duration = Duration::from_secs(10);

/// What a server does with each connection.
#[derive(Clone, Copy)]
enum Server {
    Refuses,
    ReadsThenCloses,
    ReadsThenStalls,
    AnswersThenCloses(&'static str),
    AnswersThenStalls(&'static str),
}

impl Server {
    /// Starts it on a port of its own, for as long as the test's runtime lives.
    async fn start(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        if !matches!(self, Self::Refuses) {
            tokio::spawn(async move {
                while let Ok((connection, _)) = listener.accept().await {
                    tokio::spawn(self.serve(connection));
                }
            });
        }
        url
    }

    /// The timeout of a client that is to see how it ends.
    fn patience(self) -> Duration {
        match self {
            Self::ReadsThenStalls | Self::AnswersThenStalls(_) => SOON,
            Self::Refuses | Self::ReadsThenCloses | Self::AnswersThenCloses(_) => LATE,
        }
    }

    async fn serve(self, mut connection: TcpStream) {
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(connection.read_u8().await.unwrap());
        }
        match self {
            Self::Refuses | Self::ReadsThenCloses => {}
            Self::ReadsThenStalls => pending().await,
            Self::AnswersThenCloses(answer) => connection.write_all(answer.as_bytes()).await.unwrap(),
            Self::AnswersThenStalls(answer) => {
                connection.write_all(answer.as_bytes()).await.unwrap();
                pending::<()>().await;
            }
        }
    }
}

fn client(timeout: Duration) -> Client {
    Client::builder().no_proxy().timeout(timeout).redirect(Policy::limited(1)).build().unwrap()
}

async fn answer(text: &'static str) -> Response {
    client(LATE).get(Server::AnswersThenCloses(text).start().await).send().await.unwrap()
}

/// What a client function looks like.
async fn fetch(client: &Client, url: &str) -> Result<String, Error> {
    let response = check(client.get(url).send().await?)?;
    Ok(response.text().await?)
}

#[tokio::test]
async fn each_way_to_fail_has_its_verdict() {
    let table = [
        (Server::Refuses, Class::Transient, Executed::No),
        (Server::ReadsThenCloses, Class::Transient, Executed::Unknown),
        (Server::ReadsThenStalls, Class::Timeout, Executed::Unknown),
        (Server::AnswersThenCloses("SSH-2.0-OpenSSH_9.9\r\n"), Class::Transient, Executed::Unknown),
        (
            Server::AnswersThenCloses("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
            Class::Transient,
            Executed::Unknown,
        ),
        (
            Server::AnswersThenStalls("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
            Class::Timeout,
            Executed::Unknown,
        ),
        (Server::AnswersThenCloses("HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n"), Class::Permanent, Executed::Yes),
    ];
    for (row, (server, class, executed)) in table.into_iter().enumerate() {
        let error = fetch(&client(server.patience()), &server.start().await).await.unwrap_err();
        assert_eq!(error.classify(), Verdict::new(class, executed), "row {row}: {error:?}");
        assert_eq!((error.status(), error.retry_after()), (None, None), "row {row}: {error:?}");
    }
}

/// A peer that closes at once may or may not have been sent the request; `No` is said only when it was not.
#[tokio::test]
async fn a_closing_peer_is_unsent_only_when_nothing_reached_it() {
    let mut unsent = 0;
    for turns in 0..4 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let received = tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            connection.shutdown().await.unwrap();
            let mut received = Vec::new();
            connection.read_to_end(&mut received).await.unwrap();
            received.len()
        });
        let verdict = fetch(&client(LATE), &url).await.unwrap_err().classify();
        let executed = if received.await.unwrap() == 0 { Executed::No } else { Executed::Unknown };
        assert_eq!(verdict, Verdict::new(Class::Transient, executed), "after {turns} turns");
        unsent += usize::from(executed == Executed::No);
    }
    assert!((1..4).contains(&unsent), "both kinds were there: {unsent} of 4 unsent");
}

#[tokio::test]
async fn a_name_that_does_not_resolve_was_never_sent() {
    struct Fails;
    impl Resolve for Fails {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(async { Err("no such host".into()) })
        }
    }
    struct Stalls;
    impl Resolve for Stalls {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(pending())
        }
    }
    let client = Client::builder().no_proxy().dns_resolver(Arc::new(Fails)).build().unwrap();
    let error = fetch(&client, "http://stock.example/").await.unwrap_err();
    assert_eq!(error.classify(), Verdict::TRANSIENT.unsent(), "{error:?}");

    let client = Client::builder().no_proxy().dns_resolver(Arc::new(Stalls)).connect_timeout(SOON).build().unwrap();
    let error = fetch(&client, "http://stock.example/").await.unwrap_err();
    assert_eq!(error.classify(), Verdict::TIMEOUT.unsent(), "{error:?}");
}

#[tokio::test]
async fn a_request_that_cannot_be_made_is_permanent() {
    let error = fetch(&client(LATE), "no url").await.unwrap_err();
    assert_eq!(error.classify(), Verdict::new(Class::Permanent, Executed::No), "{error:?}");
}

#[tokio::test]
async fn a_request_body_that_breaks_is_not_the_dependencys_doing() {
    let broken = answer("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf").await;
    let url = Server::ReadsThenStalls.start().await;
    let error = client(LATE).post(url).body(broken).send().await.unwrap_err();
    assert_eq!(error.classify(), Verdict::new(Class::Permanent, Executed::Unknown), "{error:?}");
}

#[tokio::test]
async fn an_answer_of_another_shape_is_no_healthy_answer() {
    let error = answer("HTTP/1.1 200 OK\r\n\r\n<html>").await.json::<String>().await.unwrap_err();
    assert_eq!(error.classify(), Verdict::TRANSIENT, "{error:?}");
}

#[tokio::test]
async fn an_error_of_reqwest_is_found_in_an_erased_one() {
    async fn quota() -> reqwest::Error {
        answer("HTTP/1.1 429 Too Many Requests\r\n\r\n").await.error_for_status().unwrap_err()
    }
    let wait = Duration::from_secs(2);
    let shed = Error::Status { status: StatusCode::SERVICE_UNAVAILABLE, retry_after: Some(wait) };
    let table: [(Box<dyn std::error::Error + Send + Sync>, Verdict); 4] = [
        (Box::new(std::io::Error::other(quota().await)), Verdict::THROTTLED),
        (Box::new(Failure::Inner(quota().await)), Verdict::THROTTLED),
        (Box::new(Error::from(quota().await)), Verdict::THROTTLED),
        (Box::new(shed), Verdict::OVERLOADED.after(wait)),
    ];
    for (erased, expected) in table {
        assert_eq!(erased.classify(), expected, "{erased:?}");
    }
}

// ===== answers =====

#[tokio::test]
async fn check_keeps_what_the_answer_said() {
    let wait = Duration::from_secs;
    let table = [
        ("503 Service Unavailable\r\n", Verdict::TRANSIENT),
        ("503 Service Unavailable\r\nretry-after: 2\r\n", Verdict::OVERLOADED.after(wait(2))),
        ("503 Service Unavailable\r\nretry-after: soon\r\n", Verdict::TRANSIENT),
        ("429 Too Many Requests\r\n", Verdict::THROTTLED),
        ("429 Too Many Requests\r\nretry-after: 0\r\n", Verdict::THROTTLED.after(wait(0))),
        (
            "429 Too Many Requests\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:49:40 GMT\r\n",
            Verdict::THROTTLED.after(wait(3)),
        ),
        ("429 Too Many Requests\r\nretry-after: 1.5\r\n", Verdict::THROTTLED),
        ("404 Not Found\r\nretry-after: 2\r\n", Verdict::PERMANENT),
    ];
    for (head, expected) in table {
        let text = format!("HTTP/1.1 {head}\r\n").leak();
        let error = check(answer(text).await).unwrap_err();
        assert_eq!(error.classify(), expected, "{head}");
        assert_eq!(error.status().map(|status| status.as_str().to_owned()).as_deref(), head.get(..3), "{head}");
    }
}

#[tokio::test]
async fn check_passes_on_whatever_is_no_error() {
    for text in ["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n"] {
        assert!(check(answer(text).await).is_ok(), "{text}");
    }
    let page = fetch(&client(LATE), &Server::AnswersThenCloses("HTTP/1.1 200 OK\r\n\r\npage").start().await).await;
    assert_eq!(page.unwrap(), "page");
}

#[tokio::test]
async fn error_for_status_forgets_the_hint_and_nothing_else() {
    for (text, expected) in [
        ("HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\n\r\n", Verdict::TRANSIENT),
        ("HTTP/1.1 429 Too Many Requests\r\n\r\n", Verdict::THROTTLED),
        ("HTTP/1.1 504 Gateway Timeout\r\n\r\n", Verdict::TIMEOUT),
        ("HTTP/1.1 409 Conflict\r\n\r\n", Verdict::PERMANENT),
    ] {
        let error = Error::from(answer(text).await.error_for_status().unwrap_err());
        assert_eq!(error.classify(), expected, "{text}");
        assert!(text.contains(error.status().unwrap().as_str()), "{text}");
    }
}

#[test]
fn every_status_has_its_verdict() {
    let (plain, mut hinted) = (HeaderMap::new(), HeaderMap::new());
    hinted.insert(RETRY_AFTER, HeaderValue::from_static("7"));
    let now = SystemTime::now();
    for code in 100..=999 {
        let expected = match code {
            200..=299 => None,
            408 | 504 => Some((Class::Timeout, Executed::Unknown)),
            429 => Some((Class::Throttled, Executed::No)),
            425 | 500 | 502 | 503 | 506..=999 => Some((Class::Transient, Executed::Unknown)),
            _ => Some((Class::Permanent, Executed::Yes)),
        };
        let status = StatusCode::from_u16(code).unwrap();
        let expected = expected.map(|(class, executed)| Verdict::new(class, executed));
        assert_eq!(verdict(status, &plain, now), expected, "{code}");

        let expected = expected.map(|plain| match (code, plain.class) {
            (_, Class::Permanent) => plain,
            (503, _) => Verdict::OVERLOADED.after(Duration::from_secs(7)),
            _ => plain.after(Duration::from_secs(7)),
        });
        assert_eq!(verdict(status, &hinted, now), expected, "{code} with a hint");
    }
}

#[test]
fn retry_after_is_seconds_or_a_date_and_nothing_else() {
    let secs = |n| Some(Duration::from_secs(n));
    // Sun, 06 Nov 1994 08:49:37 GMT
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    let table = [
        ("0", secs(0)),
        ("120", secs(120)),
        ("007", secs(7)),
        (" 5\t", secs(5)),
        ("18446744073709551615", secs(u64::MAX)),
        ("18446744073709551616", None),
        ("", None),
        ("-1", None),
        ("+5", None),
        ("1.5", None),
        ("1e3", None),
        ("0x10", None),
        ("120junk", None),
        ("120, 60", None),
        ("soon", None),
        ("\u{665}", None),
        ("Sun, 06 Nov 1994 08:49:40 GMT", secs(3)),
        ("Sunday, 06-Nov-94 08:49:40 GMT", secs(3)),
        ("Sun Nov  6 08:49:40 1994", secs(3)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", secs(0)),
        ("Sun, 06 Nov 1994 08:49:36 GMT", secs(0)),
        ("Mon, 06 Nov 1994 08:49:40 GMT", None),
        ("Sun, 06 Nov 1994 08:49:40 CET", None),
        ("Sun, 06 Nov 1994 25:49:40 GMT", None),
        ("Thu, 01 Jan 1969 00:00:00 GMT", None),
    ];
    for (value, expected) in table {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        assert_eq!(retry_after_at(&headers, now), expected, "{value:?}");
    }
    assert_eq!(retry_after(&HeaderMap::new()), None);
}

#[test]
fn a_date_counts_from_the_responses_own_clock() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    for (date, expected) in
        [("Sun, 06 Nov 1994 08:40:00 GMT", 600), ("Sun, 06 Nov 1994 09:00:00 GMT", 0), ("no date", 23)]
    {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static("Sun, 06 Nov 1994 08:50:00 GMT"));
        headers.insert(DATE, HeaderValue::from_static(date));
        assert_eq!(retry_after_at(&headers, now), Some(Duration::from_secs(expected)), "{date}");
    }
    let mut headers = HeaderMap::new();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("Sun, 06 Nov 1994 08:50:00 GMT"));
    assert_eq!(retry_after(&headers), Some(Duration::ZERO), "by the system's clock, long ago");
}

#[test]
fn an_error_carries_a_rejection_through() {
    let open = Rejected::new("stock.view", RejectedKind::Open, Some(Duration::from_millis(1_200)));
    let error = Error::from(open);
    assert_eq!((error.classify(), error.status()), (open.classify(), None));
    assert_eq!(error.classify().hint, Hint::After(Duration::from_millis(1_200)));
    assert_eq!(error.retry_after(), open.retry_after());
    assert_eq!(error.to_string(), open.to_string());
}

#[test]
fn an_error_says_what_was_answered_and_when_to_come_back() {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let error = Error::Status { status, retry_after: Some(Duration::from_secs(2)) };
    assert_eq!(error.to_string(), "answered with status 503 Service Unavailable, try again in 2000 ms");
    let error = Error::Status { status, retry_after: None };
    assert_eq!(error.to_string(), "answered with status 503 Service Unavailable");
}
