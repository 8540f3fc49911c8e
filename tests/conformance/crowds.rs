//! Calls that overlap a transition of their breaker, and crowds that meet it.

use crate::{
    clock::ms,
    dep::{Dep, F, Fault, Outcome, PANIC, S},
    half_open::until_due,
    world::{World, both},
};
use resilient::{
    BreakerState::{Closed, HalfOpen},
    Verdict, resilient,
    testing::{advance, isolated},
};
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn px_36_cb_85_cb_108_ten_thousand_calls_at_once_are_three_probes() {
    both!(timeout_ms = 60, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0)).async_story(async |world| {
        until_due(world).await;
        let runs = world.runs();
        let calls: Vec<_> = (0..10_000).map(|_| world.start([S.takes(10)])).collect();
        assert_eq!(world.runs() - runs, 3);
        for call in calls {
            call.end().await;
        }
        assert_eq!(world.counts().open, 9_997);
        world.is(Closed);
    });
}

/// The same with real parallelism: the clock is moved by hand, since only a runtime of one thread can pause its own.
#[test]
fn px_36_ten_thousand_calls_on_four_threads_are_three_probes() {
    static RUNS: AtomicU32 = AtomicU32::new(0);

    #[resilient(timeout = none, breaker("dep", window = 1, open_ms = 1_000))]
    async fn guarded(probed: bool) -> Outcome {
        if probed {
            RUNS.fetch_add(1, Ordering::Relaxed);
            std::future::pending::<()>().await;
        }
        Dep::from([F]).answer().await
    }

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    runtime.block_on(isolated(async {
        assert!(guarded(false).await.is_err());
        advance(ms(1_500));
        let refused = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
        for _ in 0..10_000 {
            let refused = refused.clone();
            resilient::spawn(async move {
                assert!(guarded(true).await.is_err());
                refused.add_permits(1);
            });
        }
        let _all = refused.acquire_many(9_997).await.unwrap();
        assert_eq!((RUNS.load(Ordering::Relaxed), refused.available_permits()), (3, 0));
    }));
    runtime.shutdown_background();
}

#[test]
fn cb_119_cb_120_results_from_before_it_opened_change_nothing() {
    both!(timeout = none, breaker("dep", window = 1, open_ms = 1_000, open_jitter = 0.0, probes = 1)).async_story(
        async |world| {
            let mut old: Vec<_> = [S, F, S, F, PANIC].map(|step| world.start([step.takes(100)])).into();
            let mut late = |world: &World| {
                let before = world.breaker();
                assert!(old.pop().unwrap().poll());
                assert_eq!(world.breaker(), before);
            };
            world.call([F]).await.ends(F);
            world.pass(100).await;
            late(world);
            late(world);
            world.pass(1_000).await;
            let probe = world.start([S.takes(10)]);
            late(world);
            world.is(HalfOpen);
            probe.end().await.ends(S);
            world.is(Closed);
            late(world);
            late(world);
            world.is(Closed).window(0, 0);
        },
    );
}

/// A race of threads loses no call.
#[test]
fn cb_122_every_call_of_many_threads_is_counted() {
    #[resilient(timeout = none, breaker("cb_122", window = 1_000_000))]
    fn guarded(n: u32) -> Outcome {
        if n % 2 == 0 { Ok("") } else { Err(Fault::Failed { verdict: Verdict::PERMANENT, run: 1 }) }
    }
    // Threads of their own are in no isolated scope: these guards are the process's, under a name of their own.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|n| drop(guarded(n))));
        }
    });
    let now = resilient::snapshot().into_iter().find(|now| now.operation == "cb_122").unwrap();
    assert_eq!((now.counts.succeeded, now.counts.permanent, now.breaker.unwrap().calls), (20_000, 20_000, 40_000));
}
