//! One state per key.

use crate::{
    clock::at_once,
    dep::{Dep, F, Fault, Outcome, S},
};
use resilient::{
    KeyedSnapshot, RejectedKind, resilient, snapshot,
    testing::{isolated, isolated_blocking},
};

/// Whether a bank's call ran, whatever it met.
type Runs = fn(u32, &Dep) -> bool;

fn ran(dep: &Dep, outcome: &Outcome) -> bool {
    let open = matches!(outcome, Err(Fault::Rejected(rejected)) if rejected.kind() == RejectedKind::Open);
    assert_eq!(open, dep.visits().is_empty());
    !open
}

fn states() -> KeyedSnapshot {
    snapshot().into_iter().find(|now| now.operation == "bank.{code}").unwrap().keyed[0]
}

/// Three banks, one of them down; then more banks than there is room for.
fn story(call: Runs) {
    let runs = |code, step| call(code, &[step].into());
    for _ in 0..3 {
        assert!(runs(1, S) && runs(2, F) && runs(3, S));
    }
    assert!(!runs(2, S));
    assert!(runs(1, S) && runs(3, S));
    assert_eq!((states().states, states().refusing), (3, 1));
    for code in 4..=12_000 {
        assert!(runs(code, S));
    }
    let now = states();
    assert_eq!((now.states, now.evicted, now.overflowed), (10_000, 2_000, 0));
    assert_eq!(now.refusing, 1);
    assert!(!runs(2, S));
}

#[test]
fn px_32_only_the_failing_key_opens_and_there_are_no_more_than_ten_thousand() {
    #[resilient(timeout = none, breaker("bank.{code}", window = 3))]
    async fn waiting(code: u32, dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(timeout = none, breaker("bank.{code}", window = 3))]
    fn blocking(code: u32, dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    at_once(isolated(async { story(|code, dep| ran(dep, &at_once(waiting(code, dep)))) }));
    isolated_blocking(|| story(|code, dep| ran(dep, &blocking(code, dep))));
}
