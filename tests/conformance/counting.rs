//! What each outcome is to each guard: the counting table of DESIGN §4, row by row.
//!
//! The columns: the breaker while it is closed and while it is half-open, the retry (how often the body ran), and the
//! budget (thousandths of a token that the call left it with: its first attempt earns 100, a retry costs 1,000).
//!
//! Elsewhere: the latency sample and the loser of a hedge, which only a hedge can see, are in `hedge.rs`; coalesced
//! followers in `coalesced.rs`; "cut by its own deadline before half its timeout" in `queue.rs`, where time can be lost.

mod refused;

use crate::{
    clock::ms,
    dep::{F, HANG, O, Outcome, P, PANIC, Q, S, Step, T, rejects},
    ended::{full, timed_out},
    world::{Both, Kind, World, both},
};
use resilient::{
    BreakerState::Closed,
    Class,
    RejectedKind::{self, Deadline, Expired, Limited},
    Stop::{CircuitOpen, NotRepeatable},
};
use std::cell::RefCell;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Success,
    Failure,
    Neutral,
}
use Sample::{Failure, Neutral, Success};

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    closed: Sample,
    half_open: Sample,
    runs: u64,
    tokens: i64,
}

/// Every guard, and room to see what each makes of one call.
macro_rules! guarded {
    (breaker: $($more:tt)*) => {
        both!(read, timeout_ms = 100, retries = 1, retry(base_ms = 10), bulkhead = 3,
            breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2, $($more)*))
    };
    (retry: $($more:tt)*) => {
        both!(read, timeout_ms = 100, retries = 1, retry(base_ms = 10, $($more)*), bulkhead = 3,
            breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2))
    };
    () => { guarded!(breaker: ) };
}
use guarded;

const ASYNC: &[Kind] = &[Kind::Async];
const BOTH: &[Kind] = &[Kind::Async, Kind::Sync];

/// What one call is to the guards: to those of a healthy operation, and to those of one that is being tried out.
fn row(kinds: &[Kind], policy: Both, act: impl AsyncFn(&World)) -> Row {
    let mut rows = kinds.iter().map(|kind| {
        let (closed, runs, tokens) = seen(*kind, policy, false, &act);
        let (half_open, ..) = seen(*kind, policy, true, &act);
        Row { closed, half_open, runs, tokens }
    });
    let row = rows.next().unwrap();
    assert!(rows.all(|other| other == row), "async and sync differ");
    row
}

fn seen(kind: Kind, policy: Both, half_open: bool, act: &impl AsyncFn(&World)) -> (Sample, u64, i64) {
    let seen = RefCell::new(None);
    let story = async |world: &World| {
        // A full bucket does not show what it earns. A throttled call is nothing to a closed breaker.
        world.call([Q]).await.ends(Q).runs(2);
        if half_open {
            world.calls(4, &[O]).await;
            world.pass(1_000).await;
        }
        let before = world.now();
        act(world).await;
        let after = world.now();
        let tokens = after.budget.unwrap().tokens - before.budget.unwrap().tokens;
        let (was, is) = (before.breaker.unwrap(), after.breaker.unwrap());
        let sample = if half_open {
            assert_ne!(is.state, Closed, "one probe of two does not close it");
            assert_eq!(is.probes_in_flight, 0, "its slot is back");
            match (is.opened - was.opened, is.probes_passed) {
                (0, 0) => Neutral,
                (0, 1) => Success,
                (1, 0) => Failure,
                other => panic!("{other:?}"),
            }
        } else {
            match (is.calls - was.calls, is.failures - was.failures) {
                (0, 0) => Neutral,
                (1, 0) => Success,
                (1, 1) => Failure,
                other => panic!("{other:?}"),
            }
        };
        let runs = after.counts.attempts - before.counts.attempts;
        *seen.borrow_mut() = Some((sample, runs, (tokens * 1_000.0).round() as i64));
    };
    match kind {
        Kind::Async => policy.async_story(story),
        Kind::Sync => policy.sync_story(story),
    }
    seen.into_inner().unwrap()
}

/// The row of a call whose every attempt ends like this.
fn every<const N: usize>(kinds: &[Kind], policy: Both, script: [Step; N]) -> Row {
    row(kinds, policy, async |world| drop(world.call(script).await))
}

#[test]
fn success() {
    assert_eq!(every(BOTH, guarded!(), [S]), Row { closed: Success, half_open: Success, runs: 1, tokens: 100 });
}

#[test]
fn slow_success_is_a_success_that_is_slow_and_fails_a_probe() {
    let policy = guarded!(breaker: slow_ms = 30);
    assert_eq!(every(BOTH, policy, [S.takes(31)]), Row { closed: Success, half_open: Failure, runs: 1, tokens: 100 });
    policy.story(async |world| {
        world.call([S.takes(31)]).await;
        assert_eq!(world.breaker().slow, 1);
    });
}

#[test]
fn transient_failure() {
    assert_eq!(every(BOTH, guarded!(), [F]), Row { closed: Failure, half_open: Failure, runs: 2, tokens: -900 });
}

#[test]
fn transient_failure_saved_by_a_retry() {
    let row = row(BOTH, guarded!(), async |world| drop(world.call([F, S]).await));
    assert_eq!(row, Row { closed: Success, half_open: Failure, runs: 2, tokens: -900 });
}

#[test]
fn attempt_timeout() {
    let expected = Row { closed: Failure, half_open: Failure, runs: 2, tokens: -900 };
    assert_eq!(every(ASYNC, guarded!(), [HANG]), expected);
    assert_eq!(every(BOTH, guarded!(), [T]), expected);
}

#[test]
fn throttled_is_neutral_while_closed_and_a_success_while_half_open() {
    let expected = Row { closed: Neutral, half_open: Success, runs: 2, tokens: -900 };
    assert_eq!(every(BOTH, guarded!(), [Q]), expected);
    assert_eq!(every(BOTH, guarded!(), [Q.hint(50)]), expected);
}

#[test]
fn overloaded_travels_up_unless_opted_in() {
    let expected = Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 };
    assert_eq!(every(BOTH, guarded!(), [O]), expected);
    assert_eq!(every(BOTH, guarded!(), [O.hint(50)]), expected);
    guarded!().story(async |world| {
        let call = world.call([O.hint(50)]).await.ends(O.hint(50)).because(NotRepeatable).at(0);
        assert_eq!(call.error().hint(), resilient::Hint::After(ms(50)));
    });
    let expected = Row { runs: 2, tokens: -900, ..expected };
    assert_eq!(every(BOTH, guarded!(retry: overloaded), [O.hint(50)]), expected);
}

#[test]
fn permanent_is_a_success() {
    assert_eq!(every(BOTH, guarded!(), [P]), Row { closed: Success, half_open: Success, runs: 1, tokens: 100 });
}

#[test]
fn an_inner_rejection_that_ran_nothing_is_overload() {
    for kind in [RejectedKind::Open, full(3), Limited, Expired] {
        let row = every(BOTH, guarded!(), [rejects(kind)]);
        assert_eq!(row, Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 }, "{kind:?}");
    }
}

#[test]
fn an_inner_rejection_that_may_have_run_is_a_timeout() {
    for kind in [timed_out(50), Deadline] {
        let row = every(BOTH, guarded!(), [rejects(kind)]);
        assert_eq!(row, Row { closed: Failure, half_open: Failure, runs: 2, tokens: -900 }, "{kind:?}");
    }
}

fn is_transient(outcome: &Outcome) -> bool {
    matches!(outcome, Err(error) if error.class() == Class::Transient)
}

#[test]
fn ignore_on_is_neutral_and_repeated_by_its_verdict() {
    let policy = guarded!(breaker: ignore_on = is_transient);
    assert_eq!(every(BOTH, policy, [F]), Row { closed: Neutral, half_open: Neutral, runs: 2, tokens: -900 });
}

#[test]
fn success_on_is_a_success_and_not_repeated() {
    let policy = guarded!(breaker: success_on = is_transient);
    assert_eq!(every(BOTH, policy, [F]), Row { closed: Success, half_open: Success, runs: 1, tokens: 100 });
    policy.story(async |world| drop(world.call([F]).await.ends(F).because(NotRepeatable)));
}

#[test]
fn px_27_panic() {
    assert_eq!(every(BOTH, guarded!(), [PANIC]), Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 });
    let waited = every(BOTH, guarded!(), [PANIC.takes(10)]);
    assert_eq!(waited, Row { closed: Failure, half_open: Failure, runs: 1, tokens: 100 });
}

#[test]
fn an_older_generation_is_ignored_and_not_repeated_while_the_breaker_is_not_closed() {
    guarded!().async_story(async |world| {
        world.call([Q]).await;
        let (failing, answering) = (world.start([F.takes(20)]), world.start([S.takes(20)]));
        world.calls(4, &[O]).await;
        let before = world.breaker();
        failing.end().await.ends(F).runs(1).because(CircuitOpen);
        answering.end().await.ends(S);
        assert_eq!(world.breaker().state, before.state);
        world.window(0, 0);
        assert_eq!(world.breaker().opened, before.opened);
        world.tokens(9.0 + 0.2 + 0.4);
    });
    // Once it is closed again, a failure from before is repeated as usual, and still not counted.
    both!(
        read,
        timeout = none,
        retries = 1,
        breaker("dep", window = 4, open_ms = 1_000, open_jitter = 0.0, probes = 2)
    )
    .async_story(async |world| {
        let old = world.start([F.takes(1_500)]);
        world.calls(4, &[O]).await;
        world.pass(1_000).await;
        world.calls(2, &[S]).await;
        world.is(Closed);
        old.end().await.ends(F).runs(2);
        world.is(Closed).window(0, 0);
    });
}
