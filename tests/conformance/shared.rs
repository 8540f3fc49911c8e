//! State that belongs to a name, and who shares it.

use crate::{
    clock::at_once,
    dep::{Dep, F, HANG, Outcome, S},
};
use resilient::{
    OperationSnapshot, resilient, snapshot,
    testing::{self, isolated_blocking},
    verify,
};
use std::{
    future::Future,
    task::{Context, Waker},
};

fn now(operation: &str) -> OperationSnapshot {
    snapshot().into_iter().find(|now| now.operation == operation).unwrap()
}

#[test]
fn cb_131_cb_132_functions_that_write_one_name_share_a_breaker_and_others_do_not() {
    #[resilient(timeout = none, name = "a", breaker("shared", window = 4))]
    fn a(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, name = "b", breaker("shared", window = 4))]
    fn b(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, breaker("own", window = 4))]
    fn c(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    isolated_blocking(|| {
        let runs = |f: fn(&Dep) -> Outcome| {
            let dep = [F].into();
            let _ = f(&dep);
            dep.visits().len()
        };
        assert_eq!([a, b, a, b, a, b].map(runs), [1, 1, 1, 1, 0, 0]);
        assert_eq!(runs(c), 1);
        verify().unwrap();
    });
}

#[test]
fn co_38_every_function_has_its_own_gate_unless_they_share_a_name() {
    #[resilient(timeout = none, name = "a", bulkhead(1, name = "gate"))]
    async fn a(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(timeout = none, name = "b", bulkhead(1, name = "gate"))]
    async fn b(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    #[resilient(timeout = none, name = "c", bulkhead = 1)]
    async fn c(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    testing::isolated_blocking(|| {
        let (hang, answer) = (Dep::from([HANG]), Dep::from([S]));
        let mut holder = Box::pin(a(&hang));
        assert!(holder.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(at_once(b(&answer)).is_err());
        assert!(at_once(c(&answer)).is_ok());
        drop(holder);
        assert!(at_once(b(&answer)).is_ok());
        verify().unwrap();
    });
}

#[test]
fn operations_of_one_dependency_share_a_budget_and_others_do_not() {
    #[resilient(read, timeout = none, retries = 1, breaker = "stock.view")]
    fn view(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(read, timeout = none, retries = 1, breaker = "stock.list")]
    fn list(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(read, timeout = none, retries = 1, breaker = "prices.get")]
    fn price(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    testing::isolated_blocking(|| {
        assert!(list(&[S].into()).is_ok() && price(&[S].into()).is_ok());
        assert!(view(&[F].into()).is_err());
        let tokens = |name| {
            let now = snapshot().into_iter().find(|now| now.operation == name).unwrap();
            (now.dependency, now.budget.unwrap().tokens)
        };
        assert_eq!(tokens("stock.view"), ("stock", 9.0));
        assert_eq!(tokens("stock.list"), ("stock", 9.0));
        assert_eq!(tokens("prices.get"), ("prices", 10.0));
    });
}

/// A default says nothing about the name, so it gives way, whoever was called first.
#[test]
fn a_default_yields_to_a_written_setting() {
    #[resilient(timeout = none, name = "a", breaker = "shared")]
    fn default(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, name = "b", breaker("shared", window = 2))]
    fn written(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    let calls: [fn(&Dep) -> Outcome; 2] = [default, written];
    for order in [[0, 1, 0, 1], [1, 0, 1, 0]] {
        isolated_blocking(|| {
            let mut runs = 0;
            for n in order {
                let dep = [F].into();
                assert!(calls[n](&dep).is_err());
                runs += dep.visits().len();
            }
            // The counts start again where the default yields after its first call.
            assert_eq!(runs, if order[0] == 0 { 3 } else { 2 });
            verify().unwrap();
        });
    }
}

#[test]
fn two_written_settings_that_differ_are_a_conflict_and_the_first_stands() {
    #[resilient(timeout = none, name = "a", breaker("shared", window = 2))]
    fn first(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, name = "b", breaker("shared", window = 3))]
    fn second(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    isolated_blocking(|| {
        assert!(first(&[F].into()).is_err() && second(&[F].into()).is_err());
        assert_eq!(now("a").breaker.unwrap().state, resilient::BreakerState::Open);
        let conflicts = verify().unwrap_err();
        assert_eq!(conflicts.len(), 1);
        let (one, two) = (conflicts[0].first, conflicts[0].second);
        assert_eq!((one.function, two.function), ("first", "second"));
        assert!(conflicts[0].what.contains("shared"), "{}", conflicts[0]);
    });
}

#[test]
fn two_functions_of_one_operation_name_are_a_conflict() {
    #[resilient(timeout = none, name = "twice")]
    fn one(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, name = "twice")]
    fn two(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    isolated_blocking(|| {
        assert!(one(&[S].into()).is_ok());
        verify().unwrap();
        assert!(two(&[S].into()).is_ok());
        assert_eq!(verify().unwrap_err().len(), 1);
    });
}
