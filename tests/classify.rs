//! What errors mean: derived, of `std`, and erased.

use resilient::{Class, Classify, Executed, Failure, Hint, Rejected, RejectedKind, Verdict};
use std::{
    convert::Infallible,
    error::Error,
    fmt,
    io::{self, ErrorKind},
    sync::Arc,
    time::Duration,
};

const WAIT: Duration = Duration::from_millis(1_500);

fn open() -> Rejected {
    Rejected::new("stock.view", RejectedKind::Open, Some(WAIT))
}

// ===== derived =====

#[derive(Debug, Classify)]
#[allow(dead_code, reason = "some fields are there to be passed over")]
enum Every {
    #[transient]
    Transient,
    #[timeout]
    Timeout,
    #[throttled]
    Throttled,
    #[throttled(retry_after = wait)]
    Quota { id: u8, wait: Duration },
    #[overloaded]
    Overloaded,
    #[overloaded(retry_after = 1)]
    Shed(u8, Option<Duration>),
    #[permanent]
    Permanent(u8, u8),
    #[not_sent]
    NotSent,
    #[timeout]
    #[not_sent]
    ConnectTimeout,
    #[not_sent]
    #[overloaded(retry_after = 0)]
    Queue(Duration),
    #[classify(delegate)]
    Io(io::Error),
    #[classify(delegate)]
    Marked {
        path: String,
        #[classify(delegate)]
        cause: io::Error,
    },
    OnlyMarked {
        path: String,
        #[classify(delegate)]
        cause: io::Error,
    },
    #[classify(delegate)]
    Named { path: String, source: io::Error },
    #[classify(delegate)]
    #[not_sent]
    Connect(io::Error),
    #[rejected]
    Refused(Rejected),
}

#[test]
fn each_word_is_its_verdict() {
    let path = String::new;
    let refused = || io::Error::from(ErrorKind::ConnectionRefused);
    let table = [
        (Every::Transient, Verdict::TRANSIENT),
        (Every::Timeout, Verdict::TIMEOUT),
        (Every::Throttled, Verdict::THROTTLED),
        (Every::Quota { id: 1, wait: WAIT }, Verdict::THROTTLED.after(WAIT)),
        (Every::Overloaded, Verdict::OVERLOADED),
        (Every::Shed(1, Some(WAIT)), Verdict::OVERLOADED.after(WAIT)),
        (Every::Shed(1, None), Verdict::OVERLOADED),
        (Every::Permanent(1, 2), Verdict::PERMANENT),
        (Every::NotSent, Verdict::TRANSIENT.unsent()),
        (Every::ConnectTimeout, Verdict::TIMEOUT.unsent()),
        (Every::Queue(WAIT), Verdict::OVERLOADED.unsent().after(WAIT)),
        (Every::Io(ErrorKind::NotFound.into()), Verdict::new(Class::Permanent, Executed::Unknown)),
        (Every::Marked { path: path(), cause: refused() }, Verdict::TRANSIENT.unsent()),
        (Every::OnlyMarked { path: path(), cause: refused() }, Verdict::TRANSIENT.unsent()),
        (Every::Named { path: path(), source: refused() }, Verdict::TRANSIENT.unsent()),
        (Every::Connect(ErrorKind::TimedOut.into()), Verdict::TIMEOUT.unsent()),
        (Every::Refused(open()), open().classify()),
    ];
    for (error, verdict) in table {
        assert_eq!(error.classify(), verdict, "{error:?}");
    }
}

#[test]
fn the_word_rejected_also_makes_one() {
    assert!(matches!(Every::from(open()), Every::Refused(rejected) if rejected == open()));
}

#[test]
fn a_word_on_the_enum_is_for_the_variants_without_one() {
    #[derive(Classify)]
    #[transient]
    #[not_sent]
    enum Mostly {
        Reset,
        #[permanent]
        Gone,
        #[rejected]
        Refused {
            rejected: Rejected,
        },
    }
    assert_eq!(Mostly::Reset.classify(), Verdict::TRANSIENT.unsent());
    assert_eq!(Mostly::Gone.classify(), Verdict::PERMANENT);
    assert_eq!(Mostly::from(open()).classify(), open().classify());
}

#[test]
fn a_struct_takes_the_word_itself() {
    #[derive(Classify)]
    #[throttled(retry_after = wait)]
    struct Quota<'a> {
        wait: Option<Duration>,
        _customer: &'a str,
    }

    #[derive(Classify)]
    #[classify(delegate)]
    struct Wrapped(io::Error);

    #[derive(Classify)]
    #[rejected]
    struct Only(Rejected);

    #[derive(Classify)]
    #[permanent]
    struct Unit;

    assert_eq!(Quota { wait: Some(WAIT), _customer: "c" }.classify(), Verdict::THROTTLED.after(WAIT));
    assert_eq!(Wrapped(ErrorKind::ConnectionRefused.into()).classify(), Verdict::TRANSIENT.unsent());
    assert_eq!(Only::from(open()).classify(), open().classify());
    assert_eq!(Unit.classify(), Verdict::PERMANENT);
}

#[test]
fn generic_errors_bound_what_they_ask_and_nothing_else() {
    struct NoClassify;

    #[derive(Classify)]
    #[allow(dead_code, reason = "some fields are there to be passed over")]
    enum Wrapped<'a, E, T, const N: usize>
    where
        T: Sized,
    {
        #[classify(delegate)]
        Inner(E),
        #[classify(delegate)]
        Deeper(Box<Wrapped<'a, E, T, N>>),
        #[permanent]
        Bad(&'a [T; N]),
        #[rejected]
        Refused(Rejected),
    }
    type Here = Wrapped<'static, Every, NoClassify, 1>;
    assert_eq!(Here::Inner(Every::Timeout).classify(), Verdict::TIMEOUT);
    assert_eq!(Here::Deeper(Box::new(Here::Inner(Every::NotSent))).classify(), Verdict::TRANSIENT.unsent());
    assert_eq!(Here::Bad(&[NoClassify]).classify(), Verdict::PERMANENT);
    assert_eq!(Here::from(open()).classify(), open().classify());
}

#[test]
fn it_goes_with_thiserror() {
    #[derive(Debug, thiserror::Error, Classify)]
    enum Both {
        #[error("io")]
        #[classify(delegate)]
        Io(#[from] io::Error),
        #[error("config {path}")]
        #[classify(delegate)]
        Config {
            path: String,
            #[source]
            cause: io::Error,
        },
        #[error(transparent)]
        #[rejected]
        Refused(#[from] Rejected),
    }
    let refused = || io::Error::from(ErrorKind::ConnectionRefused);
    assert_eq!(Both::from(refused()).classify(), Verdict::TRANSIENT.unsent());
    assert_eq!(Both::Config { path: String::new(), cause: refused() }.classify(), Verdict::TRANSIENT.unsent());
    assert_eq!(Both::from(open()).classify(), open().classify());
}

/// The derive next to names of the user's own, without a prelude, and under every lint.
#[deny(warnings, clippy::pedantic)]
mod hostile {
    #![no_implicit_prelude]
    #![allow(dead_code)]

    mod core {}
    mod std {}
    struct Verdict;
    struct Class;
    struct From;
    struct Option;

    #[derive(::resilient::Classify)]
    pub enum Error<T> {
        #[permanent]
        #[deprecated]
        Old,
        #[throttled(retry_after = wait)]
        Quota { wait: ::resilient::__private::core::time::Duration },
        #[overloaded(retry_after = 0)]
        Shed(::resilient::__private::core::time::Duration),
        #[permanent]
        Other,
        #[classify(delegate)]
        Inner(T),
        #[rejected]
        Refused(::resilient::Rejected),
    }

    #[derive(::resilient::Classify)]
    pub enum Never {}

    mod prelude {
        pub use ::resilient::{__private, Classify, Rejected, Verdict};
    }

    #[derive(::resilient::Classify)]
    #[classify(crate = prelude)]
    #[rejected]
    pub struct Moved(prelude::Rejected);
}

#[test]
fn hostile_surroundings_change_nothing() {
    let error = hostile::Error::<Infallible>::from(open());
    assert_eq!(error.classify(), open().classify());
    assert_eq!(hostile::Moved::from(open()).classify(), open().classify());
}

// ===== std =====

#[test]
fn an_io_error_means_what_its_kind_proves() {
    use ErrorKind::{
        AddrInUse, AddrNotAvailable, AlreadyExists, BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset,
        HostUnreachable, Interrupted, InvalidData, InvalidInput, NetworkUnreachable, NotConnected, NotFound, Other,
        PermissionDenied, QuotaExceeded, ResourceBusy, StorageFull, TimedOut, UnexpectedEof, Unsupported, WouldBlock,
    };
    let table: [(&[ErrorKind], Class, Executed); 5] = [
        (&[ConnectionRefused, AddrNotAvailable], Class::Transient, Executed::No),
        (
            &[
                AddrInUse,
                BrokenPipe,
                ConnectionAborted,
                ConnectionReset,
                HostUnreachable,
                Interrupted,
                NetworkUnreachable,
                NotConnected,
                Other,
                UnexpectedEof,
            ],
            Class::Transient,
            Executed::Unknown,
        ),
        // A read timeout set on a socket is `WouldBlock` on Unix: the request was sent.
        (&[TimedOut, WouldBlock], Class::Timeout, Executed::Unknown),
        (&[ResourceBusy, QuotaExceeded, StorageFull], Class::Throttled, Executed::Unknown),
        (
            &[AlreadyExists, InvalidData, InvalidInput, NotFound, PermissionDenied, Unsupported],
            Class::Permanent,
            Executed::Unknown,
        ),
    ];
    for (kinds, class, executed) in table {
        for kind in kinds {
            assert_eq!(io::Error::from(*kind).classify(), Verdict::new(class, executed), "{kind:?}");
            assert_eq!(io::Error::new(*kind, "text").classify(), Verdict::new(class, executed), "{kind:?}");
        }
    }
}

#[test]
fn a_rejection_inside_an_io_error_stays_one() {
    for kind in [
        RejectedKind::Full { limit: 12 },
        RejectedKind::Open,
        RejectedKind::Limited,
        RejectedKind::Expired,
        RejectedKind::TimedOut { limit_ms: 60 },
        RejectedKind::Deadline,
    ] {
        let rejected = Rejected::new("stock.view", kind, Some(WAIT));
        assert_eq!(io::Error::from(rejected).classify(), rejected.classify(), "{kind:?}");
        let deeper = io::Error::new(ErrorKind::BrokenPipe, Wrapper(Box::new(rejected)));
        assert_eq!(deeper.classify(), rejected.classify(), "{kind:?}");
    }
}

#[test]
fn an_io_error_without_a_kind_is_what_it_carries() {
    let carried = io::Error::other(Wrapper(Box::new(io::Error::from(ErrorKind::ConnectionRefused))));
    assert_eq!(carried.classify(), Verdict::TRANSIENT.unsent());
    let chosen = io::Error::new(ErrorKind::InvalidData, io::Error::from(ErrorKind::ConnectionRefused));
    assert_eq!(chosen.classify().class, Class::Permanent);
}

// ===== erased =====

/// An error of some crate that nobody here knows.
#[derive(Debug)]
struct Wrapper(Box<dyn Error + Send + Sync>);

impl fmt::Display for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapped")
    }
}

impl Error for Wrapper {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

fn wrapped(error: impl Error + Send + Sync + 'static) -> Box<dyn Error + Send + Sync> {
    Box::new(Wrapper(Box::new(Wrapper(Box::new(error)))))
}

#[test]
fn an_erased_error_is_the_first_in_its_chain_that_is_known() {
    let refused = wrapped(io::Error::from(ErrorKind::ConnectionRefused)).classify();
    assert_eq!(refused, Verdict::new(Class::Transient, Executed::No));
    assert_eq!(wrapped(open()).classify(), open().classify());
    assert_eq!(wrapped(open()).classify().hint, Hint::After(WAIT));
    assert_eq!(wrapped(Failure::<io::Error>::from(open())).classify(), open().classify());
    assert_eq!(wrapped(Failure::Inner(io::Error::from(ErrorKind::NotFound))).classify().class, Class::Permanent);
}

#[test]
fn an_erased_error_that_nobody_knows_may_have_been_executed() {
    assert_eq!(wrapped(fmt::Error).classify(), Verdict::new(Class::Transient, Executed::Unknown));
    let text: Box<dyn Error + Send + Sync> = "text".into();
    assert_eq!(text.classify(), Verdict::new(Class::Transient, Executed::Unknown));
}

#[test]
fn pointers_mean_what_they_point_to() {
    let local: Box<dyn Error> = Box::new(open());
    let sent: Box<dyn Error + Send> = Box::new(open());
    let shared: Arc<dyn Error + Send + Sync> = Arc::new(open());
    for verdict in [local.classify(), sent.classify(), shared.classify(), (&&open()).classify()] {
        assert_eq!(verdict, open().classify());
    }
    assert_eq!(Arc::new(Every::Timeout).classify(), Verdict::TIMEOUT);
    let failure: Failure<Box<dyn Error + Send + Sync>> = Failure::Inner(wrapped(open()));
    assert_eq!(failure.classify(), open().classify());
}

#[test]
fn what_never_happens_has_a_meaning_for_the_compiler() {
    fn bounded<E: Classify>() {}
    bounded::<Infallible>();
    bounded::<Failure<Infallible>>();
    bounded::<hostile::Never>();
}
