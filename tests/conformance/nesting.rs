//! Guarded functions that call guarded functions: only the layer next to the failure repeats it.

use crate::{
    clock::{ms, paused},
    dep::{BODY, Dep, F, Fault, O, Outcome, P, S},
};
use resilient::{
    Stop::{Exhausted, InnerLayer, NotRepeatable},
    last_stop, resilient, snapshot, testing,
};

#[resilient(read, timeout = none, retries = 2, name = "inner")]
async fn inner(dep: &Dep) -> Outcome {
    dep.answer().await
}

#[resilient(read, timeout = none, retries = 2, name = "outer")]
async fn outer(dep: &Dep) -> Outcome {
    inner(dep).await
}

#[resilient(read, timeout = none, retries = 2, name = "inner")]
fn inner_blocking(dep: &Dep) -> Outcome {
    dep.answer_blocking()
}

#[resilient(read, timeout = none, retries = 2, name = "outer")]
fn outer_blocking(dep: &Dep) -> Outcome {
    inner_blocking(dep)
}

/// An inner layer that declares no retries.
#[resilient(timeout = none, name = "plain")]
async fn plain(dep: &Dep) -> Outcome {
    dep.answer().await
}

/// A guarded function's attempts, and its calls that were not repeated because an inner layer does it.
fn seen(name: &str) -> (u64, u64) {
    let counts = snapshot().into_iter().find(|now| now.operation == name).unwrap().counts;
    (counts.attempts, counts.stopped(InnerLayer))
}

fn isolated<T>(story: impl Future<Output = T>) -> T {
    paused().block_on(testing::isolated(story))
}

#[test]
fn px_21_of_two_layers_only_the_inner_one_repeats() {
    let check = |outcome: Outcome, dep: &Dep| {
        assert_eq!(outcome, Err(Fault::Failed { verdict: resilient::Verdict::TRANSIENT, run: 3 }));
        assert_eq!(last_stop(), Some(InnerLayer));
        assert_eq!(dep.visits().len(), 3, "3 runs, not 9");
        assert_eq!((seen("inner"), seen("outer")), ((3, 0), (1, 1)));
        let budget = snapshot().into_iter().find(|now| now.operation == "outer").unwrap().budget.unwrap();
        assert!((budget.tokens - 10.0).abs() < 1e-6, "the outer layer has not even asked for a token");
    };
    isolated(async {
        let dep = [F].into();
        check(outer(&dep).await, &dep);
    });
    testing::isolated_blocking(|| {
        let dep = [F].into();
        check(outer_blocking(&dep), &dep);
    });
}

/// With retries round retries, a failure of five attempts would pass at the sixth; ours passes it up after two.
#[test]
fn rt_15_ours_does_not_multiply_retries() {
    #[resilient(read, timeout = none, retries = 1, name = "pair")]
    async fn pair(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(read, timeout = none, retries = 10, allow(R34), name = "outer")]
    async fn ten(dep: &Dep) -> Outcome {
        pair(dep).await
    }
    isolated(async {
        let dep = [F, F, F, F, F, S].into();
        assert!(ten(&dep).await.is_err());
        assert_eq!(dep.visits().len(), 2);
    });
}

/// The suites' order, retries round a breaker, by two functions: the numbers of CO-01, and of CO-11 but for its third
/// attempt, since an open breaker is nothing to repeat.
#[test]
fn co_11_ours_does_not_repeat_an_inner_breakers_refusal() {
    #[resilient(timeout = none, breaker("inner", window = 1))]
    async fn one(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around_one(dep: &Dep) -> Outcome {
        one(dep).await
    }
    isolated(async {
        let dep = [F].into();
        let Err(Fault::Rejected(told)) = around_one(&dep).await else { panic!("refused") };
        assert_eq!((told.operation(), told.kind()), ("inner", resilient::RejectedKind::Open));
        assert_eq!((dep.visits().len(), seen("outer").0, last_stop()), (1, 2, Some(NotRepeatable)));
    });
}

/// What a layer without retries passes up is the outer one's to repeat.
#[test]
fn the_outer_layer_repeats_where_the_inner_one_does_not() {
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(dep: &Dep) -> Outcome {
        plain(dep).await
    }
    isolated(async {
        let dep = [F].into();
        assert!(around(&dep).await.is_err());
        assert_eq!((dep.visits().len(), last_stop()), (3, Some(Exhausted)));
    });
}

#[test]
fn a_failure_after_an_inner_success_is_the_outer_layers_own() {
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(first: &Dep, second: &Dep, own: &Dep) -> Outcome {
        let _given_up = inner(first).await;
        inner(second).await?;
        own.answer().await
    }
    isolated(async {
        let (first, second, own) = ([F].into(), [S].into(), [F].into());
        assert!(around(&first, &second, &own).await.is_err());
        // 3 attempts, in each of which the first inner call took 3.
        assert_eq!((own.visits().len(), first.visits().len()), (3, 9));
        assert_eq!(last_stop(), Some(Exhausted));
    });
}

/// Only this attempt's inner failures count, not an earlier one's.
#[test]
fn what_an_inner_layer_did_in_an_earlier_attempt_does_not_matter() {
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(own: &Dep, late: &Dep) -> Outcome {
        if resilient::attempt() == Some(2) {
            return inner(late).await;
        }
        own.answer().await
    }
    isolated(async {
        let (own, late) = ([F].into(), [F].into());
        assert!(around(&own, &late).await.is_err());
        assert_eq!((own.visits().len(), late.visits().len(), last_stop()), (1, 3, Some(InnerLayer)));
    });
}

#[test]
fn an_inner_layer_that_was_refused_counts_as_one_that_repeats() {
    #[resilient(read, timeout = none, retries = 1, retry_budget(0.1, burst = 1, name = "small"), name = "poor")]
    async fn poor(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(dep: &Dep) -> Outcome {
        poor(dep).await
    }
    isolated(async {
        let spent = [F].into();
        assert!(poor(&spent).await.is_err());
        let dep = [F].into();
        assert!(around(&dep).await.is_err());
        assert_eq!((dep.visits().len(), last_stop()), (1, Some(InnerLayer)));
    });
}

/// What the inner layer would not repeat itself is for the outer one to judge.
#[test]
fn an_inner_failure_that_is_not_repeatable_is_judged_by_the_outer_layer() {
    #[resilient(read, timeout = none, retries = 1, retry(overloaded), name = "outer")]
    async fn around(dep: &Dep) -> Outcome {
        inner(dep).await
    }
    isolated(async {
        let dep = [O.hint(10)].into();
        assert!(around(&dep).await.is_err());
        assert_eq!((dep.visits().len(), last_stop()), (2, Some(Exhausted)));
        let dep = [P].into();
        assert!(around(&dep).await.is_err());
        assert_eq!(dep.visits().len(), 1);
    });
}

/// DESIGN §4: seen through a scope, an inner operation is still inside the attempt.
#[test]
fn a_scope_between_the_layers_does_not_hide_the_inner_one() {
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(dep: &Dep) -> Outcome {
        let bounded = resilient::within(ms(60_000), inner(dep));
        let (outcome, degraded) = resilient::report(bounded).await;
        assert!(degraded.is_empty());
        outcome
    }
    isolated(async {
        let dep = [F].into();
        assert!(around(&dep).await.is_err());
        assert_eq!((dep.visits().len(), last_stop()), (3, Some(InnerLayer)));
    });
}

/// Two calls inside one attempt, polled in turns: each has its own flag until it ends.
#[test]
fn an_inner_call_in_flight_keeps_its_own_account() {
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(failing: &Dep, answering: &Dep) -> Outcome {
        let (failed, answered) = tokio::join!(inner(failing), inner(answering));
        answered?;
        failed
    }
    isolated(async {
        // The success comes first, the failure last: it is the inner layer's.
        let (failing, answering) = ([F.takes(10)].into(), [S].into());
        assert!(around(&failing, &answering).await.is_err());
        assert_eq!((failing.visits().len(), last_stop()), (3, Some(InnerLayer)));
    });
}

/// DESIGN §4: "… with no later inner success": one in a scope is one, too.
#[test]
fn a_later_inner_success_in_a_scope_is_a_success() {
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(first: &Dep, second: &Dep, own: &Dep) -> Outcome {
        let _given_up = inner(first).await;
        resilient::within(ms(60_000), async { inner(second).await }).await?;
        own.answer().await
    }
    isolated(async {
        let (first, second, own) = ([F].into(), [S].into(), [F].into());
        assert!(around(&first, &second, &own).await.is_err());
        assert_eq!((own.visits().len(), last_stop()), (3, Some(Exhausted)));
    });
}

/// An optional part that plan B answered for must not keep the whole from being repeated.
#[test]
fn an_inner_call_that_plan_b_answered_for_has_not_failed() {
    #[resilient(read, timeout = none, retries = 1, name = "badge", fallback = value("no badge"))]
    async fn badge(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(read, timeout = none, retries = 2, name = "page")]
    async fn page(optional: &Dep, own: &Dep) -> Outcome {
        assert_eq!(badge(optional).await, Ok("no badge"));
        own.answer().await
    }
    isolated(async {
        let (optional, own) = ([F].into(), [F, S].into());
        assert_eq!(page(&optional, &own).await, Ok(BODY));
        assert_eq!(own.visits().len(), 2);
    });
}

/// A plan B runs inside the attempt of whoever called, like everything else.
#[test]
fn a_guarded_plan_b_is_an_inner_layer_too() {
    #[resilient(timeout = none, name = "primary", fallback = secondary)]
    async fn primary(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(read, timeout = none, retries = 2, name = "secondary")]
    async fn secondary(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(read, timeout = none, retries = 2, name = "outer")]
    async fn around(dep: &Dep) -> Outcome {
        primary(dep).await
    }
    isolated(async {
        let dep = [F].into();
        assert!(around(&dep).await.is_err());
        assert_eq!((dep.visits().len(), last_stop()), (1 + 3, Some(InnerLayer)));
    });
}
