//! What may be repeated: the table of DESIGN §5, in all its combinations.

use crate::{
    clock::ms,
    dep::{F, Fault, P, S, fails},
    world::{Both, both},
};
use resilient::{
    Class::{self, Overloaded, Permanent, Throttled, Timeout, Transient},
    Executed, Hint, Verdict,
};

/// What a function declares about a second run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Declares {
    Read,
    WriteWithKey,
    WriteOnlyUnsent,
    /// More careful than it has to be.
    ReadOnlyUnsent,
}
use Declares::{Read, ReadOnlyUnsent, WriteOnlyUnsent, WriteWithKey};

const CLASSES: [Class; 5] = [Transient, Timeout, Throttled, Overloaded, Permanent];
const EXECUTED: [Executed; 3] = [Executed::No, Executed::Unknown, Executed::Yes];
/// The last is longer than `retry_after_cap_ms`, which is 1 s by default.
const HINTS: [Hint; 4] = [Hint::None, Hint::After(ms(40)), Hint::Stop, Hint::After(ms(1_001))];

/// The design's words, and nothing of the library's.
fn is_repeated(declares: Declares, opted_in: bool, verdict: Verdict) -> bool {
    let obeyed = match verdict.hint {
        Hint::None => true,
        Hint::After(wait) => wait <= ms(1_000),
        Hint::Stop => false,
    };
    let class = match verdict.class {
        Transient | Timeout | Throttled => true,
        // "opts in, after the hint": without a hint there is no moment to come back at.
        Overloaded => opted_in && verdict.hint != Hint::None,
        _ => false,
    };
    let allowed = match declares {
        Read | WriteWithKey => true,
        WriteOnlyUnsent | ReadOnlyUnsent => verdict.executed == Executed::No,
    };
    obeyed && class && allowed
}

fn table(declares: Declares, opted_in: bool, policy: Both) {
    for class in CLASSES {
        for executed in EXECUTED {
            for hint in HINTS {
                let verdict = Verdict { class, executed, hint };
                let runs = if is_repeated(declares, opted_in, verdict) { 2 } else { 1 };
                policy.story(async |world| {
                    let call = world.call([fails(verdict), S]).await;
                    assert_eq!(call.visits.len(), runs, "{declares:?}, opted in: {opted_in}, {verdict:?}, {call:?}");
                    let call = if runs == 2 { call.ends(S) } else { call.ends(fails(verdict)) };
                    let least = if let (2, Hint::After(wait)) = (runs, hint) { wait } else { ms(0) };
                    assert!(call.took >= least);
                });
            }
        }
    }
}

#[test]
fn a_read_is_repeated_after_whatever_may_pass() {
    table(Read, false, both!(read, timeout = none, retries = 1));
    table(Read, true, both!(read, timeout = none, retries = 1, retry(overloaded)));
}

#[test]
fn a_write_with_a_key_is_repeated_like_a_read() {
    table(WriteWithKey, false, both!(write, idempotency_key = key, timeout = none, retries = 1));
    table(WriteWithKey, true, both!(write, idempotency_key = key, timeout = none, retries = 1, retry(overloaded)));
}

#[test]
fn a_write_without_a_key_is_repeated_only_if_it_never_left() {
    table(WriteOnlyUnsent, false, both!(write, timeout = none, retries = 1, retry(only_unsent)));
    table(WriteOnlyUnsent, true, both!(write, timeout = none, retries = 1, retry(only_unsent, overloaded)));
}

#[test]
fn a_read_may_ask_for_the_same_care() {
    table(ReadOnlyUnsent, false, both!(read, timeout = none, retries = 1, retry(only_unsent)));
}

/// Nothing declared, nothing repeated: with `retries` it would not compile.
#[test]
fn a_function_that_declares_nothing_runs_once() {
    both!(timeout = none).story(async |world| {
        for class in CLASSES {
            let step = fails(Verdict::new(class, Executed::No));
            world.call([step, S]).await.ends(step).runs(1);
        }
    });
}

#[test]
fn px_19_every_attempt_of_a_write_carries_the_same_key() {
    both!(write, idempotency_key = key, timeout = none, retries = 2).story(async |world| {
        let call = world.call([F, F, S]).await.ends(S).runs(3);
        let keys: Vec<_> = call.visits.iter().map(|visit| visit.key.as_ref().unwrap().as_str()).collect();
        assert_eq!(keys, ["an/action"; 3]);
    });
}

/// The judge has the last word about what an error means.
#[test]
fn a_judge_replaces_what_the_error_says_of_itself() {
    fn judge(error: &Fault) -> Verdict {
        match error.class() {
            Permanent => Verdict::TRANSIENT,
            _ => Verdict::PERMANENT,
        }
    }
    both!(read, timeout = none, retries = 1, retry(on = judge), breaker("dep", window = 2)).story(async |world| {
        world.call([P, S]).await.ends(S).runs(2);
        world.call([F, S]).await.ends(F).runs(1);
        world.window(2, 0);
    });
}
