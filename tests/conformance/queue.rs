//! Who waits for a permit, who gets in, who gives up.

use crate::{
    clock::{Watch, at_once, ms, paused},
    dep::{F, Fault, HANG, Outcome, S},
    ended::{Ended, full, timed_out},
    world::{World, waiting},
};
use resilient::{
    Classify, Rejected,
    RejectedKind::{self, Deadline, Expired, Full},
    Verdict, resilient, snapshot, testing, within,
};
use std::sync::{
    Arc, Mutex,
    mpsc::{Receiver, channel},
};
use tokio::join;

/// So many calls inside that hang, behind one that ends after this many milliseconds.
fn fill<'a>(world: &'a World, size: u32, first: u64) -> Vec<crate::world::Started<'a>> {
    (0..size).map(|n| if n == 0 { world.start([S.takes(first)]) } else { world.start([HANG]) }).collect()
}

#[test]
fn bh_02_bh_03_bh_16_ad_43_so_many_run_so_many_wait_and_one_starts_per_permit() {
    let rows = [
        ("BH-02", 10, 10, waiting!(timeout = none, bulkhead(10, max_wait_ms = 1_000))),
        ("BH-02", 3, 10, waiting!(timeout = none, bulkhead(3, max_wait_ms = 1_000, max_queue = 10))),
        ("BH-02", 5, 5, waiting!(timeout = none, bulkhead(5, max_wait_ms = 1_000))),
        ("BH-03", 2, 2, waiting!(timeout = none, bulkhead(2, max_wait_ms = 1_000))),
        ("BH-16", 2, 3, waiting!(timeout = none, bulkhead(2, max_wait_ms = 1_000, max_queue = 3))),
        ("AD-43", 4, 10, waiting!(timeout = none, bulkhead(4, max_wait_ms = 1_000, max_queue = 10, order = newest))),
    ];
    for (id, size, queue, policy) in rows {
        policy.async_story(async |world| {
            let mut inside = fill(world, size, 10);
            let mut line: Vec<_> = (0..queue).map(|_| world.start([HANG])).collect();
            let now = world.now().bulkhead.unwrap();
            assert_eq!((now.in_use, now.waiting, world.runs()), (size, queue, size), "{id}");
            world.call([S]).await.ends(full(size)).runs(0).at(0);
            inside.remove(0).end().await.ends(S);
            line.iter_mut().for_each(|waits| assert!(!waits.poll()));
            let started = line.iter().filter(|waits| waits.dep.visits().len() == 1).count();
            assert_eq!((started, world.runs()), (1, size + 1), "{id}");
        });
    }
}

#[test]
fn bh_04_a_failure_makes_room_for_exactly_one_more() {
    waiting!(timeout = none, bulkhead(2, max_wait_ms = 1_000, max_queue = 3)).async_story(async |world| {
        let (fails, _inside) = (world.start([F.takes(10)]), world.start([HANG]));
        let _line: Vec<_> = (0..3).map(|_| world.start([HANG])).collect();
        fails.end().await.ends(F);
        let _one_more = world.start([HANG]);
        world.call([S]).await.ends(full(2)).at(0);
    });
}

#[test]
fn bh_07_px_12_a_waiter_that_leaves_never_starts_and_takes_nothing_along() {
    waiting!(timeout = none, bulkhead(1, max_wait_ms = 1_000, max_queue = 1)).async_story(async |world| {
        let inside = world.start([S.takes(100)]);
        let leaves = world.start([S]);
        let never = leaves.dep.clone();
        leaves.drop();
        let next = world.start([S]);
        world.call([S]).await.ends(full(1));
        inside.end().await.ends(S);
        next.end().await.ends(S).runs(1).at(100);
        assert!(never.visits().is_empty());

        // At the very moment when the permit has been handed to it.
        let inside = world.start([S.takes(100)]);
        let leaves = world.start([S]);
        inside.end().await.ends(S);
        world.in_use(1);
        leaves.drop();
        world.in_use(0).call([S]).await.ends(S);
        assert_eq!(world.counts().dropped, 2);
    });
}

#[test]
fn bh_09_bh_14_ad_38_a_wait_that_is_over_is_full() {
    let policies = [
        (20, waiting!(timeout = none, bulkhead(1, max_wait_ms = 20))),
        (50, waiting!(timeout = none, bulkhead(1, max_wait_ms = 50))),
    ];
    for (wait, policy) in policies {
        policy.async_story(async |world| {
            let _inside = world.start([HANG]);
            world.call([S]).await.ends(full(1)).runs(0).at(wait);
            assert_eq!(world.now().bulkhead.unwrap().waiting, 0);
        });
    }
}

#[test]
fn bh_13_ad_44_a_permit_that_comes_back_in_time_is_the_waiters() {
    let policies = [
        (200, waiting!(timeout = none, bulkhead(1, max_wait_ms = 1_000))),
        (250, waiting!(timeout = none, bulkhead(1, max_wait_ms = 1_000, order = newest))),
    ];
    for (after, policy) in policies {
        policy.async_story(async |world| {
            let (inside, waits) = (world.start([S.takes(after)]), world.start([S]));
            let (inside, waits): (Ended, Ended) = join!(inside.end(), waits.end());
            inside.ends(S).at(after);
            waits.ends(S).starts([after]);
        });
    }
}

#[test]
fn ad_41_with_the_newest_first_the_oldest_waits_its_whole_time() {
    waiting!(timeout = none, bulkhead(4, max_wait_ms = 1_000, max_queue = 10, order = newest)).async_story(
        async |world| {
            let _inside = fill(world, 4, 5_000);
            world.call([S]).await.ends(full(4)).runs(0).at(1_000);
        },
    );
}

/// Others allow an hour at most; ours waits as long as it is told to.
#[test]
fn ad_39_a_wait_of_a_day_is_one() {
    waiting!(timeout = none, bulkhead(1, max_wait_ms = 86_400_000)).async_story(async |world| {
        let (inside, mut waits) = (world.start([S.takes(7_200_000)]), world.start([S]));
        world.pass(3_600_000).await;
        assert!(!waits.poll());
        inside.end().await.ends(S);
        waits.end().await.ends(S).runs(1).at(7_200_000);
    });
}

/// Others queue no sync calls; ours waits on its thread.
#[test]
fn bh_17_a_sync_function_waits_too() {
    #[resilient(timeout = none, bulkhead(1, max_wait_ms = 20), blocking = cooperative)]
    fn deeper(levels: u32) -> Outcome {
        if levels == 1 { Ok("deep enough") } else { deeper(levels - 1) }
    }
    let runtime = paused();
    let _clock = runtime.enter();
    testing::isolated_blocking(|| {
        let watch = Watch::start();
        assert_eq!(deeper(1), Ok("deep enough"));
        assert!(watch.elapsed().is_zero());
        let refused = deeper(2).unwrap_err();
        assert!(matches!(refused, Fault::Rejected(told) if told.kind() == Full { limit: 1 }), "{refused:?}");
        assert_eq!(watch.elapsed(), ms(20));
        assert_eq!(snapshot()[0].bulkhead.unwrap().in_use, 0);
    });
}

/// Others let a call go to the end of the line for its retry; ours keeps its permit until it has ended.
#[test]
fn bh_19_who_waits_comes_after_the_retries_and_in_order() {
    let policy = waiting!(
        read,
        timeout = none,
        retries = 1,
        retry(base_ms = 100, jitter = none),
        allow(R15),
        bulkhead(1, max_wait_ms = 1_000, max_queue = 2)
    );
    policy.async_story(async |world| {
        let (a, b, c) = (world.start([F, S]), world.start([S.takes(10)]), world.start([S]));
        let (a, b, c): (Ended, Ended, Ended) = join!(a.end(), b.end(), c.end());
        a.ends(S).starts([0, 100]);
        b.ends(S).starts([100]);
        c.ends(S).starts([110]);
    });
}

#[test]
fn px_06_a_waiter_never_starts_after_its_deadline() {
    waiting!(timeout = none, bulkhead(1, max_wait_ms = 1_000, max_queue = 1)).async_story(async |world| {
        let both = async {
            let (a, b) = (world.start([S.takes(200)]), world.start([S]));
            join!(a.end(), b.end())
        };
        let (a, b): (Ended, Ended) = within(ms(100), both).await;
        a.ends(Deadline).runs(1).at(100);
        b.ends(Expired).runs(0).at(100);
        world.in_use(0).call([S]).await.ends(S);
    });
    // Its own deadline; the queue is left at the end of its own wait, before that.
    waiting!(timeout = none, deadline_ms = 100, bulkhead(1, max_wait_ms = 80)).async_story(async |world| {
        let (a, b) = (world.start([S.takes(200)]), world.start([S]));
        let (a, b): (Ended, Ended) = join!(a.end(), b.end());
        a.ends(Deadline).runs(1).at(100);
        b.ends(full(1)).runs(0).at(80);
    });
}

/// DESIGN §4: "failure if the attempt ran ≥ half its timeout or an earlier attempt failed, else neutral".
#[test]
fn a_call_that_lost_its_time_in_the_queue_says_nothing_of_the_dependency() {
    let policy = waiting!(timeout_ms = 100, deadline_ms = 150, bulkhead(1, max_wait_ms = 140), breaker = "dep");
    for (waited, failures) in [(120, 0), (101, 0), (100, 1), (80, 1)] {
        policy.async_story(async |world| {
            // The holder ends when it is polled next, and keeps its permit for as long.
            let (mut holder, mut waits) = (world.start([S.takes(10)]), world.start([HANG]));
            world.pass(waited).await;
            assert!(holder.poll() && !waits.poll());
            waits.end().await.ends(Deadline).runs(1).at(150);
            world.window(1 + failures, failures);
        });
    }
}

/// What the threaded functions of `to_12` return: owned, since the body may outlive the call.
#[derive(Clone, Debug, PartialEq)]
struct Refused(Option<RejectedKind>);

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Self {
        Self(Some(rejected.kind()))
    }
}

impl Classify for Refused {
    fn classify(&self) -> Verdict {
        Verdict::TRANSIENT
    }
}

/// A body on a thread cannot be stopped: its caller walks away in time, and its permit stays taken. Others count the wait
/// in the queue against the timeout; ours has a limit of its own.
#[test]
fn to_12_a_body_that_hangs_keeps_its_permit_and_nobody_behind_it_starts() {
    type Gate = Arc<Mutex<Receiver<()>>>;
    #[resilient(
        timeout_ms = 500,
        name = "thread",
        bulkhead(1, name = "one", max_wait_ms = 400, max_queue = 1),
        blocking = thread
    )]
    fn on_a_thread(gate: Option<Gate>) -> Result<(), Refused> {
        let Some(gate) = gate else { return Ok(()) };
        testing::advance(ms(500));
        // Until the test lets it go.
        let _ = gate.lock().unwrap().recv();
        Ok(())
    }
    #[resilient(timeout_ms = 500, name = "task", bulkhead(1, name = "one", max_wait_ms = 400, max_queue = 1))]
    async fn in_a_task(runs: &Mutex<u32>) -> Result<(), Refused> {
        *runs.lock().unwrap() += 1;
        Ok(())
    }
    let in_use = || snapshot().into_iter().find(|now| now.operation == "thread").unwrap().bulkhead.unwrap().in_use;
    let runtime = paused();
    let _clock = runtime.enter();
    testing::isolated_blocking(|| {
        let (let_go, gate) = channel();
        let watch = Watch::start();
        let refused = |kind| Err(Refused(Some(kind)));
        // A
        assert_eq!(on_a_thread(Some(Arc::new(Mutex::new(gate)))), refused(timed_out(500)));
        assert_eq!((in_use(), watch.elapsed()), (1, ms(500)));
        // B
        assert_eq!(on_a_thread(None), refused(full(1)));
        assert_eq!((in_use(), watch.elapsed()), (1, ms(900)));
        // C waits, and D finds the queue full.
        let runs = Mutex::new(0);
        let mut c = Box::pin(in_a_task(&runs));
        let cx = &mut std::task::Context::from_waker(std::task::Waker::noop());
        assert!(c.as_mut().poll(cx).is_pending());
        assert_eq!(on_a_thread(None), refused(full(1)));
        assert_eq!(watch.elapsed(), ms(900));
        testing::advance(ms(400));
        assert_eq!(at_once(c), refused(full(1)));
        drop(let_go);
        while in_use() > 0 {
            std::thread::yield_now();
        }
        assert_eq!(*runs.lock().unwrap(), 0);
        assert_eq!(on_a_thread(None), Ok(()));
    });
}
