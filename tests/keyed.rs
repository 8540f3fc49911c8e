//! One state per key: what a caller sees of `breaker = "webhook.{customer}"`.
//!
//! `RESILIENT_KEYS=1000000 cargo test --release --test keyed` sends the whole flood.
#![warn(clippy::all, clippy::pedantic)]

use resilient::{
    KeyedSnapshot, OperationSnapshot, Rejected, RejectedKind, resilient, snapshot,
    testing::{advance, isolated, isolated_blocking},
};
use std::{
    cell::Cell,
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

#[derive(Debug, PartialEq, resilient::Classify)]
enum Error {
    #[transient]
    Broken,
    #[rejected]
    Rejected(Rejected),
}

type Result<T> = std::result::Result<T, Error>;

/// What the caller of a call got.
fn kind<T: fmt::Debug>(outcome: &Result<T>) -> Option<RejectedKind> {
    match outcome {
        Err(Error::Rejected(rejected)) => Some(rejected.kind()),
        _ => None,
    }
}

const OPEN: Option<RejectedKind> = Some(RejectedKind::Open);

/// The result of a future that waits for nothing.
fn at_once<F: Future>(future: F) -> F::Output {
    match poll(&mut pin!(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

fn poll<F: Future>(future: &mut Pin<&mut F>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn now(operation: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|now| now.operation == operation).unwrap()
}

fn keyed(operation: &str, guard: &str) -> KeyedSnapshot {
    *now(operation).keyed.iter().find(|keyed| keyed.guard == guard).unwrap()
}

// ===== two customers, one of them down =====

#[resilient(timeout = none, breaker("webhook.{customer}", window = 2))]
async fn send(customer: &str) -> Result<()> {
    if customer == "down" { Err(Error::Broken) } else { Ok(()) }
}

#[resilient(timeout = none, breaker("webhook.sync.{customer}", window = 2))]
fn send_blocking(customer: &str) -> Result<()> {
    if customer == "down" { Err(Error::Broken) } else { Ok(()) }
}

fn only_the_broken_customers_breaker_opens(send: fn(&str) -> Result<()>) {
    for _ in 0..2 {
        assert_eq!(send("up"), Ok(()));
        assert_eq!(send("down"), Err(Error::Broken));
    }
    assert_eq!(kind(&send("down")), OPEN);
    assert_eq!(send("up"), Ok(()));
    assert_eq!(send("new"), Ok(()));
    // And it tries that customer again when its time is over.
    advance(Duration::from_secs(8));
    assert_eq!(send("down"), Err(Error::Broken));
    assert_eq!(kind(&send("down")), OPEN);
}

#[test]
fn one_customers_trouble_is_not_anothers() {
    at_once(isolated(async { only_the_broken_customers_breaker_opens(|customer| at_once(send(customer))) }));
    isolated_blocking(|| only_the_broken_customers_breaker_opens(send_blocking));
}

#[test]
fn a_snapshot_shows_the_name_as_it_is_written_and_how_many_states_there_are() {
    isolated_blocking(|| {
        only_the_broken_customers_breaker_opens(send_blocking);
        let now = now("webhook.sync.{customer}");
        assert_eq!((now.dependency, now.breaker), ("webhook", None));
        let breaker = now.keyed[0];
        assert_eq!((breaker.guard, breaker.name), ("breaker", "webhook.sync.{customer}"));
        assert_eq!((breaker.states, breaker.refusing, breaker.overflowed, breaker.evicted), (3, 1, 0, 0));
        assert_eq!((now.counts.calls, now.counts.open, now.counts.in_flight), (9, 2, 0));
    });
}

#[test]
fn a_customer_who_does_not_call_for_ten_minutes_is_forgotten() {
    isolated_blocking(|| {
        assert_eq!(send_blocking("down"), Err(Error::Broken));
        advance(Duration::from_secs(599));
        assert_eq!(send_blocking("down"), Err(Error::Broken));
        assert_eq!(kind(&send_blocking("down")), OPEN);
        advance(Duration::from_secs(600));
        for _ in 0..2 {
            assert_eq!(send_blocking("down"), Err(Error::Broken));
        }
    });
}

#[test]
fn one_customers_rate_is_not_anothers() {
    #[resilient(timeout = none, name = "api.ask", rate_limit("2/s", burst = 2, name = "api.{customer}"))]
    fn ask(customer: &str) -> Result<usize> {
        Ok(customer.len())
    }
    isolated_blocking(|| {
        for customer in ["a", "b", "a"] {
            assert_eq!(ask(customer), Ok(1));
        }
        assert_eq!(kind(&ask("a")), Some(RejectedKind::Limited));
        assert_eq!(ask("b"), Ok(1));
        let now = keyed("api.ask", "rate limit");
        assert_eq!((now.name, now.states, now.refusing), ("api.{customer}", 2, 2));
        // One permit is back: nobody is refused any more, though neither has a full second's yet.
        advance(Duration::from_millis(500));
        assert_eq!(keyed("api.ask", "rate limit").refusing, 0);
    });
}

#[test]
fn a_dependency_has_no_key() {
    #[resilient(timeout = none, breaker = "{tenant}.webhook")]
    fn keyed_first(tenant: u64) -> Result<u64> {
        Ok(tenant)
    }
    isolated_blocking(|| {
        keyed_first(1).unwrap();
        assert_eq!(now("{tenant}.webhook").dependency, "{tenant}.webhook");
    });
}

// ===== the other guards =====

#[test]
fn one_customers_calls_take_no_permit_of_anothers() {
    #[resilient(timeout = none, name = "slow", bulkhead(2, name = "slow.{customer}"))]
    async fn slow(customer: u32) -> Result<u32> {
        if customer == 1 {
            std::future::pending::<()>().await;
        }
        Ok(customer)
    }
    at_once(isolated(async {
        let (mut a, mut b) = (pin!(slow(1)), pin!(slow(1)));
        assert!(poll(&mut a).is_pending() && poll(&mut b).is_pending());
        assert_eq!(kind(&at_once(slow(1))), Some(RejectedKind::Full { limit: 2 }));
        assert_eq!(at_once(slow(2)), Ok(2));
        a.set(slow(1));
        assert!(poll(&mut a).is_pending());
        assert_eq!((keyed("slow", "bulkhead").states, keyed("slow", "bulkhead").refusing), (2, 1));
    }));
}

#[test]
fn one_customers_retries_spend_no_token_of_anothers() {
    #[resilient(
        read,
        timeout = none,
        retries = 1,
        retry(base_ms = 1),
        name = "spent",
        retry_budget(0.1, burst = 2, name = "spent.{customer}")
    )]
    fn spent(customer: u32, runs: &Cell<u32>) -> Result<u32> {
        runs.set(runs.get() + 1);
        Err(Error::Broken)
    }
    isolated_blocking(|| {
        let runs = |customer| {
            let runs = Cell::new(0);
            assert_eq!(spent(customer, &runs), Err(Error::Broken));
            runs.get()
        };
        assert_eq!([runs(1), runs(1), runs(1), runs(2), runs(1)], [2, 2, 1, 2, 1]);
    });
}

// ===== what a placeholder may be =====

/// Says how often it was written.
struct Counted<'a>(&'a Cell<u32>);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        f.write_str("x")
    }
}

#[test]
fn a_key_is_read_once_per_call_however_many_guards_and_attempts_there_are() {
    #[resilient(
        read,
        timeout = none,
        retries = 2,
        retry(base_ms = 1),
        breaker = "once.{key}",
        bulkhead(4, name = "once.{key}"),
        retry_budget(0.5, name = "once.{key}")
    )]
    fn once(key: &Counted<'_>, runs: &Cell<u32>) -> Result<()> {
        let _ = key;
        runs.set(runs.get() + 1);
        Err(Error::Broken)
    }
    isolated_blocking(|| {
        let (written, runs) = (Cell::new(0), Cell::new(0));
        assert_eq!(once(&Counted(&written), &runs), Err(Error::Broken));
        assert_eq!((written.get(), runs.get()), (1, 3));
    });
}

#[derive(Clone)]
struct Order {
    shop: Shop,
    pair: (u32, String),
}

#[derive(Clone)]
struct Shop {
    id: u64,
}

struct Client {
    region: Region,
}

struct Region {
    name: &'static str,
}

impl Client {
    #[resilient(read, timeout = none, retries = 1, retry(base_ms = 1), breaker = "all.{order.shop.id}.{order.pair.1}")]
    async fn owned(&self, order: Order) -> Result<u64> {
        drop(order.pair);
        Ok(order.shop.id)
    }

    #[resilient(timeout = none, breaker = "own.{self.region.name}")]
    async fn own(&mut self, n: u32) -> Result<u32> {
        self.region.name = "changed";
        Ok(n)
    }

    #[resilient(timeout = none, breaker = "arc.{self.region.name}.{n}")]
    fn shared(self: Arc<Self>, mut n: u32) -> Result<u32> {
        n += 1;
        Ok(n)
    }

    #[resilient(timeout = none, breaker = "value.{self.region.name}")]
    fn value(self) -> Result<Region> {
        Ok(self.region)
    }
}

#[resilient(read, timeout = none, retries = 1, retry(base_ms = 1), breaker = "generic.{key}.{other}")]
async fn generic<T: fmt::Display + Clone>(key: T, other: impl fmt::Display + Clone) -> Result<()> {
    drop((key, other));
    Ok(())
}

#[resilient(timeout = none, breaker = "exclusive.{name}.{list.0}")]
fn exclusive(name: &mut String, list: &mut (u8, Vec<u8>)) -> Result<()> {
    name.push('x');
    list.1.push(1);
    Ok(())
}

#[resilient(timeout = none, breaker = "unused.{key}")]
fn unused(key: u64, (_, n): (u64, u64)) -> Result<u64> {
    Ok(n)
}

#[async_trait::async_trait]
trait Sends {
    async fn send(&self, customer: String) -> Result<usize>;
}

#[async_trait::async_trait]
impl Sends for Client {
    #[resilient(read, timeout = none, retries = 1, retry(base_ms = 1), breaker = "trait.{self.region.name}.{customer}")]
    async fn send(&self, customer: String) -> Result<usize> {
        Ok(customer.len() + self.region.name.len())
    }
}

#[test]
fn a_placeholder_is_an_argument_or_a_field_however_it_is_handed_over() {
    let client = || Client { region: Region { name: "eu" } };
    let order = || Order { shop: Shop { id: 3 }, pair: (1, "a".to_owned()) };
    at_once(isolated(async {
        assert_eq!(client().owned(order()).await, Ok(3));
        assert_eq!(client().own(1).await, Ok(1));
        assert_eq!(generic("a", 1).await, Ok(()));
        assert_eq!(generic(1, String::new()).await, Ok(()));
        assert_eq!(client().send("abc".to_owned()).await, Ok(5));
        assert_eq!(Arc::new(client()).shared(1), Ok(2));
        assert_eq!(client().value().map(|region| region.name), Ok("eu"));
        assert_eq!(exclusive(&mut String::new(), &mut (1, Vec::new())), Ok(()));
        assert_eq!(unused(1, (2, 3)), Ok(3));
        let states: Vec<_> = snapshot().iter().map(|now| (now.operation, now.keyed[0].states)).collect();
        assert_eq!(
            states,
            [
                ("all.{order.shop.id}.{order.pair.1}", 1),
                ("own.{self.region.name}", 1),
                ("generic.{key}.{other}", 2),
                ("trait.{self.region.name}.{customer}", 1),
                ("arc.{self.region.name}.{n}", 1),
                ("value.{self.region.name}", 1),
                ("exclusive.{name}.{list.0}", 1),
                ("unused.{key}", 1),
            ]
        );
    }));
}

#[test]
fn a_future_with_keys_is_send_if_its_arguments_are() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&send("a"));
    is_send(&generic(String::new(), 1));
    is_send(&Client { region: Region { name: "eu" } }.own(1));
}

#[test]
fn values_that_would_read_alike_are_different_keys() {
    #[resilient(timeout = none, breaker("alike.{tenant}.{user}", consecutive = 1))]
    fn alike(tenant: &str, user: &str) -> Result<()> {
        if tenant == "a" { Err(Error::Broken) } else { Ok(()) }
    }
    isolated_blocking(|| {
        assert_eq!(alike("a", "b.c"), Err(Error::Broken));
        assert_eq!(kind(&alike("a", "b.c")), OPEN);
        assert_eq!(alike("a.b", "c"), Ok(()));
        assert_eq!(alike("a/b", "c"), Ok(()));
    });
}

#[test]
fn two_functions_that_write_one_name_share_its_states() {
    #[resilient(timeout = none, name = "x", breaker("both.{key}", consecutive = 1))]
    fn x(key: u64) -> Result<u64> {
        Err(Error::Broken).or(if key == 1 { Err(Error::Broken) } else { Ok(key) })
    }
    #[resilient(timeout = none, name = "y", breaker("both.{key}", consecutive = 1))]
    fn y(key: u16) -> Result<u16> {
        Ok(key)
    }
    isolated_blocking(|| {
        assert_eq!(x(1), Err(Error::Broken));
        assert_eq!(kind(&y(1)), OPEN);
        assert_eq!(y(2), Ok(2));
        assert!(resilient::verify().is_ok());
    });
}

// ===== what may go wrong =====

#[test]
fn a_panic_while_a_key_is_written_leaves_nobody_inside() {
    struct Bomb;
    impl fmt::Display for Bomb {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            resume_unwind(Box::new(()))
        }
    }
    #[resilient(timeout = none, name = "bomb", bulkhead(1, name = "bomb.{key}"))]
    fn bomb(key: &Bomb) -> Result<()> {
        let _ = key;
        Ok(())
    }
    isolated_blocking(|| {
        assert!(catch_unwind(AssertUnwindSafe(|| bomb(&Bomb))).is_err());
        let now = now("bomb");
        assert_eq!((now.counts.calls, now.counts.in_flight, now.keyed[0].states), (1, 0, 0));
    });
}

fn flood() -> u32 {
    std::env::var("RESILIENT_KEYS").map_or(30_000, |keys| keys.parse().unwrap())
}

#[test]
fn a_flood_of_keys_is_bounded_and_takes_nothing_from_a_call_under_way() {
    #[resilient(timeout = none, breaker = "flood.{key}", bulkhead(1, name = "flood.{key}"))]
    async fn guarded(key: u32) -> Result<u32> {
        if key == 0 {
            std::future::pending::<()>().await;
        }
        Ok(key)
    }
    at_once(isolated(async {
        {
            let mut running = pin!(guarded(0));
            assert!(poll(&mut running).is_pending());
            for key in 1..=flood() {
                assert_eq!(at_once(guarded(key)), Ok(key));
            }
            assert_eq!(kind(&at_once(guarded(0))), Some(RejectedKind::Full { limit: 1 }));
        }
        for guard in ["breaker", "bulkhead"] {
            let now = keyed("flood.{key}", guard);
            let pushed_out = u64::from(flood() + 1 - 10_000);
            assert_eq!((now.states, now.evicted, now.overflowed), (10_000, pushed_out, 0), "{guard}");
        }
        let mut again = pin!(guarded(0));
        assert!(poll(&mut again).is_pending());
    }));
}

#[test]
fn more_failing_keys_than_there_is_room_for_share_one_state() {
    #[resilient(timeout = none, breaker("crowd.{key}", consecutive = 1, open_ms = 60_000))]
    fn crowd(key: u32) -> Result<u32> {
        Err(Error::Broken).or(if key < 20_000 { Err(Error::Broken) } else { Ok(key) })
    }
    isolated_blocking(|| {
        for key in 0..10_000 {
            assert_eq!(crowd(key), Err(Error::Broken));
        }
        assert_eq!(crowd(10_000), Err(Error::Broken));
        // One breaker for all who came too late.
        assert_eq!(kind(&crowd(20_000)), OPEN);
        let now = keyed("crowd.{key}", "breaker");
        assert_eq!((now.states, now.refusing, now.overflowed, now.evicted), (10_000, 10_000, 2, 0));
        assert_eq!(kind(&crowd(5)), OPEN);
        // As soon as some are due again, and nobody came for as long again, a new key has room.
        advance(Duration::from_secs(151));
        assert_eq!(crowd(20_000), Ok(20_000));
        assert_eq!(keyed("crowd.{key}", "breaker").overflowed, 2);
    });
}

#[test]
fn a_policy_as_a_value_has_no_arguments_and_so_no_key() {
    use resilient::{
        Site,
        policy::{Breaker, Policy, Timeout},
    };
    static SITE: Site = Site::named(
        "literal",
        &Policy {
            timeout: Timeout::None,
            breaker: Some(Breaker { name: "{key}", consecutive: Some(1), ..Breaker::NEW }),
            ..Policy::NEW
        },
    );
    isolated_blocking(|| {
        let call = || resilient::call_blocking(&SITE, || Err::<(), _>(Error::Broken));
        assert_eq!(call(), Err(Error::Broken));
        assert_eq!(kind(&call()), OPEN);
    });
}
