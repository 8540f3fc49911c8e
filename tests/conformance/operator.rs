//! What an operator says to the guards of a running program, and what its calls notice.

use crate::{
    breaker::feed,
    clock::at_once,
    dep::{Dep, F, Fault, HANG, Outcome, S},
    ended::full,
    world::{both, waiting},
};
use resilient::{
    BreakerState::{Closed, ForcedClosed, ForcedOpen, Observing, Open},
    Forced, OperationHandle, RejectedKind,
    Stop::CircuitOpen,
    operation, resilient, testing,
};

const X: RejectedKind = RejectedKind::Open;

/// The verbs for the story's function.
fn verbs() -> OperationHandle {
    operation("dep").expect("it has been called")
}

#[test]
fn cb_110_cb_116_forced_open_it_refuses_everybody_and_names_no_time() {
    both!(timeout = none, breaker("dep", window = 4, open_ms = 1_000)).story(async |world| {
        world.call([S]).await.ends(S);
        assert!(verbs().force(Forced::Open));
        for _ in 0..2 {
            assert_eq!(world.call([S]).await.ends(X).runs(0).at(0).rejection().retry_after(), None);
            world.is(ForcedOpen).pass(6_000).await;
        }
        assert_eq!((world.counts().open, world.breaker().opened), (2, 0));
        assert!(verbs().automatic());
        world.call([S]).await.ends(S);
        world.is(Closed);
    });
}

/// Others keep no counts while a breaker is off; ours go on, so that one sees when to switch it on again.
#[test]
fn cb_111_forced_closed_it_never_opens_and_goes_on_counting() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        world.call([S]).await.ends(S);
        verbs().force(Forced::Closed);
        assert_eq!(feed(world, &[F; 100]).await, 100);
        world.is(ForcedClosed).window(4, 4);
        assert_eq!((world.breaker().opened, world.breaker().would_open), (0, 0));
    });
}

#[test]
fn cb_112_observed_it_counts_and_says_once_that_it_would_open() {
    both!(timeout = none, breaker("dep", window = 5)).story(async |world| {
        world.call([S]).await.ends(S);
        verbs().force(Forced::Observe);
        feed(world, &[F, F, F, S]).await;
        assert_eq!(world.breaker().would_open, 0);
        feed(world, &[S]).await;
        world.window(5, 3);
        assert_eq!(world.breaker().would_open, 1);
        assert_eq!(feed(world, &[F, F, F]).await, 3);
        world.is(Observing);
        assert_eq!((world.breaker().would_open, world.breaker().opened), (1, 0));
    });
}

#[test]
fn cb_114_to_say_the_same_twice_changes_nothing() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        feed(world, &[F, F, F]).await;
        verbs().automatic();
        world.is(Closed).window(3, 3);
        for _ in 0..2 {
            verbs().force(Forced::Observe);
            feed(world, &[F]).await;
        }
        world.is(Observing).window(2, 2);
    });
}

#[test]
fn cb_115_a_reset_closes_it_and_forgets_what_it_saw() {
    both!(timeout = none, breaker("dep", window = 4)).story(async |world| {
        feed(world, &[F; 4]).await;
        world.is(Open);
        assert!(verbs().reset());
        world.is(Closed).window(0, 0);
        assert_eq!(feed(world, &[F, F, F]).await, 3);
        verbs().reset();
        world.is(Closed).window(0, 0);
        // What was going on is not forgotten with it.
        assert_eq!((world.breaker().opened, world.counts().failed), (1, 7));
        verbs().force(Forced::Open);
        verbs().reset();
        world.is(Closed).call([S]).await.ends(S);
    });
}

/// Others hand one control to several breakers; ours belongs to the name, and so to all that write it.
#[test]
fn cb_117_what_is_said_to_a_breaker_holds_for_all_that_write_its_name() {
    #[resilient(timeout = none, name = "one", breaker("shared", window = 4))]
    fn one(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, name = "two", breaker("shared", window = 4))]
    fn two(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    #[resilient(timeout = none, name = "three", breaker("own", window = 4))]
    fn three(dep: &Dep) -> Outcome {
        dep.answer_blocking()
    }
    testing::isolated_blocking(|| {
        let refused = |outcome| matches!(outcome, Err(Fault::Rejected(told)) if told.kind() == X);
        let dep = Dep::from([S]);
        assert!(one(&dep).is_ok());
        operation("one").unwrap().force(Forced::Open);
        assert!(refused(one(&dep)) && refused(two(&dep)) && three(&dep).is_ok());
        operation("two").unwrap().automatic();
        assert!(one(&dep).is_ok() && two(&dep).is_ok());
    });
}

/// As `px_03` of the breaker, by a word instead of by other calls.
#[test]
fn px_03_a_call_that_sleeps_while_its_breaker_is_forced_open_stops_with_its_own_error() {
    both!(
        read,
        timeout = none,
        retries = 1,
        retry(base_ms = 100, jitter = none),
        allow(R15),
        breaker("dep", window = 4)
    )
    .async_story(async |world| {
        let sleeper = world.start([F, S]);
        verbs().force(Forced::Open);
        sleeper.end().await.ends(F).runs(1).because(CircuitOpen).at(100);
        world.window(0, 0).tokens(10.0);
        assert_eq!((world.counts().stopped(CircuitOpen), world.counts().failed), (1, 1));
    });
}

#[test]
fn bh_11_a_bulkhead_of_nothing_admits_nobody() {
    both!(timeout = none, name = "dep", bulkhead = 2).story(async |world| {
        world.call([S]).await.ends(S);
        assert!(verbs().limit(0));
        world.call([S]).await.ends(full(0)).runs(0);
        verbs().limit(1);
        world.call([S]).await.ends(S);
    });
}

#[test]
fn bh_12_ad_46_another_size_is_in_force_at_once_and_who_is_inside_stays() {
    both!(timeout = none, name = "dep", bulkhead = 2).async_story(async |world| {
        let (one, two) = (world.start([S.takes(10)]), world.start([S.takes(20)]));
        world.call([S]).await.ends(full(2));
        verbs().limit(3);
        let three = world.start([S.takes(30)]);
        assert_eq!(three.dep.visits().len(), 1);
        world.in_use(3).call([S]).await.ends(full(3));
        // A smaller one throws nobody out, and takes what comes back first.
        verbs().limit(1);
        world.in_use(3);
        one.end().await.ends(S);
        two.end().await.ends(S);
        world.in_use(1).call([S]).await.ends(full(1));
        three.end().await.ends(S);
        world.call([S]).await.ends(S);
    });
}

#[test]
fn ad_45_a_larger_size_admits_who_waits_at_once() {
    waiting!(timeout = none, name = "dep", bulkhead(4, max_wait_ms = 1_000)).async_story(async |world| {
        let _inside: Vec<_> = (0..4).map(|_| world.start([HANG])).collect();
        let (fifth, sixth) = (world.start([S]), world.start([S]));
        verbs().limit(5);
        fifth.end().await.ends(S).at(0);
        // Its permit went on to the next in line.
        sixth.end().await.ends(S).at(0);
    });
}

#[test]
fn a_verb_for_a_guard_that_is_not_there_says_so() {
    #[resilient(timeout = none, name = "bare")]
    async fn bare(dep: &Dep) -> Outcome {
        dep.answer().await
    }
    testing::isolated_blocking(|| {
        assert!(operation("bare").is_none());
        assert!(at_once(bare(&Dep::from([S]))).is_ok());
        let bare = operation("bare").unwrap();
        assert!(!bare.force(Forced::Open) && !bare.automatic() && !bare.reset() && !bare.limit(0));
    });
}
