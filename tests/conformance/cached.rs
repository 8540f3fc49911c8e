//! `fallback = cached`: the last good answer to the same arguments, and to no others.

use crate::{
    clock::{at_once, ms},
    dep::{Dep, F, Fault, HANG, P, Step, answers},
    ended::Ended,
    world::{Both, World, both},
};
use resilient::{BreakerState::Open, forget, report, resilient, snapshot, testing};
use std::time::Duration;

/// What every test here is about: 2 answers are kept for 1 s.
fn view() -> Both {
    both!(
        |dep| timeout = none,
        name = "stock.view",
        fallback(cached, max_stale_ms = 1_000, max_entries = 2, key = (dep.id))
    )
}

/// A call for this, and the age of its answer if it was a stale one.
async fn ask(world: &World, id: u32, does: Step) -> (Ended, Option<Duration>) {
    let (ended, degraded) = report(world.call(Dep::from([does]).asked_for(id))).await;
    assert!(degraded.len() <= 1);
    (ended, degraded.first().map(|stale| stale.age.expect("an earlier answer has an age")))
}

/// It was answered for `id` with this, by the body.
async fn fresh(world: &World, id: u32, answer: &'static str) {
    let (ended, age) = ask(world, id, answers(answer)).await;
    ended.ends(answer);
    assert_eq!(age, None);
}

/// It was answered with an earlier answer of this age.
async fn stale(world: &World, id: u32, answer: &'static str, millis: u64) {
    let (ended, age) = ask(world, id, F).await;
    ended.ends(answer).runs(1);
    assert_eq!(age, Some(ms(millis)));
}

async fn nothing(world: &World, id: u32) {
    let (ended, age) = ask(world, id, F).await;
    ended.ends(F);
    assert_eq!(age, None);
}

#[test]
fn px_23_cold_warm_and_expired() {
    view().story(async |world| {
        nothing(world, 1).await;
        fresh(world, 1, "first").await;
        stale(world, 1, "first", 0).await;
        world.pass(1_000).await;
        stale(world, 1, "first", 1_000).await;
        world.pass(1).await;
        nothing(world, 1).await;
        assert_eq!(world.counts().fallback, 2);
    });
}

#[test]
fn a_newer_answer_replaces_the_older_one() {
    view().story(async |world| {
        fresh(world, 1, "old").await;
        world.pass(900).await;
        fresh(world, 1, "new").await;
        world.pass(200).await;
        stale(world, 1, "new", 200).await;
    });
}

#[test]
fn no_other_arguments_ever_get_the_answer() {
    view().story(async |world| {
        fresh(world, 1, "one").await;
        nothing(world, 2).await;
        fresh(world, 2, "two").await;
        stale(world, 1, "one", 0).await;
        stale(world, 2, "two", 0).await;
    });
}

/// Without `key = (…)` all arguments are the key, and a tenant is one of them.
#[test]
fn another_tenant_never_gets_it() {
    #[resilient(timeout = none, fallback = cached)]
    fn view(tenant: &str, sku: u64, up: &bool) -> Result<String, Fault> {
        Dep::from([if *up { answers("") } else { F }]).answer_blocking().map(|_| format!("{tenant}'s {sku}"))
    }
    testing::isolated_blocking(|| {
        // `up` is an argument, too, so that an answer is never found by a call that fails.
        assert!(view("a", 1, &true).is_ok());
        assert!(view("a", 1, &false).is_err());
    });

    #[resilient(timeout = none, fallback(cached, key = (tenant, sku)))]
    fn keyed(tenant: &str, sku: u64, up: bool) -> Result<String, Fault> {
        Dep::from([if up { answers("") } else { F }]).answer_blocking().map(|_| format!("{tenant}'s {sku}"))
    }
    testing::isolated_blocking(|| {
        assert!(keyed("a", 1, true).is_ok());
        assert_eq!(keyed("a", 1, false), Ok("a's 1".to_owned()));
        assert!(keyed("b", 1, false).is_err());
        assert!(keyed("a", 2, false).is_err());
    });
}

/// Equal is equal, and not "has the same hash".
#[test]
fn arguments_whose_hashes_collide_are_told_apart() {
    #[derive(Clone, PartialEq, Eq)]
    struct Clash(u32);
    impl std::hash::Hash for Clash {
        fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
    }
    #[resilient(timeout = none, fallback(cached, key = (id)))]
    fn view(id: &Clash, up: bool) -> Result<u32, Fault> {
        Dep::from([if up { answers("") } else { F }]).answer_blocking().map(|_| id.0)
    }
    testing::isolated_blocking(|| {
        assert_eq!(view(&Clash(1), true), Ok(1));
        assert!(view(&Clash(2), false).is_err());
        assert_eq!(view(&Clash(2), true), Ok(2));
        assert_eq!((view(&Clash(1), false), view(&Clash(2), false)), (Ok(1), Ok(2)));
    });
}

#[test]
fn an_answer_that_says_otherwise_drops_the_entry() {
    view().story(async |world| {
        fresh(world, 1, "one").await;
        fresh(world, 2, "two").await;
        ask(world, 1, P).await.0.ends(P);
        nothing(world, 1).await;
        stale(world, 2, "two", 0).await;
    });
}

#[test]
fn the_least_recently_used_goes_first() {
    view().story(async |world| {
        fresh(world, 1, "one").await;
        fresh(world, 2, "two").await;
        stale(world, 1, "one", 0).await;
        fresh(world, 3, "three").await;
        nothing(world, 2).await;
        stale(world, 1, "one", 0).await;
        stale(world, 3, "three", 0).await;
    });
}

#[test]
fn forget_empties_it() {
    view().story(async |world| {
        fresh(world, 1, "one").await;
        assert!(!forget("stock.reserve"));
        stale(world, 1, "one", 0).await;
        assert!(forget("stock.view"));
        nothing(world, 1).await;
    });
}

#[test]
fn a_stale_answer_does_not_become_a_fresh_one() {
    view().story(async |world| {
        fresh(world, 1, "one").await;
        world.pass(600).await;
        stale(world, 1, "one", 600).await;
        world.pass(600).await;
        nothing(world, 1).await;
    });
}

#[test]
fn a_rejection_is_answered_from_the_cache_too() {
    both!(|dep| timeout_ms = 60, breaker("dep", window = 2), bulkhead = 1, fallback(cached, key = (dep.id)))
        .async_story(async |world| {
            fresh(world, 1, "one").await;
            let one = world.start([HANG]);
            ask(world, 1, F).await.0.ends("one").runs(0);
            one.drop();
            // Cut, then refused.
            ask(world, 1, HANG).await.0.ends("one").runs(1);
            world.is(Open);
            ask(world, 1, F).await.0.ends("one").runs(0);
            assert_eq!((world.counts().full, world.counts().open, world.counts().fallback), (1, 1, 3));
        });
}

#[test]
fn a_cached_read_is_repeated_before_its_cache_is_asked() {
    both!(|dep| timeout = none, retries = 1, fallback(cached, key = (dep.id))).story(async |world| {
        fresh(world, 0, "old").await;
        world.call([F, answers("new")]).await.ends("new").runs(2);
        world.call([F, F]).await.ends("new").runs(2);
    });
}

/// The instantiations of a generic function share their guards, and never an answer.
#[test]
fn two_instantiations_do_not_answer_for_each_other() {
    #[resilient(timeout = none, name = "generic", fallback(cached, key = (id)))]
    fn generic<T: Clone + Send + Sync + 'static>(id: u32, outcome: Result<T, resilient::Verdict>) -> Result<T, Fault> {
        outcome.map_err(|verdict| Fault::Failed { verdict, run: id })
    }
    testing::isolated_blocking(|| {
        assert_eq!(generic(1, Ok(7_u8)), Ok(7));
        assert!(generic::<u64>(1, Err(resilient::Verdict::TRANSIENT)).is_err());
        assert_eq!(generic::<u8>(1, Err(resilient::Verdict::TRANSIENT)), Ok(7));
        assert_eq!(snapshot().len(), 1);
    });
}

/// Nothing of the user's runs under the cache's lock: a key that calls the function again does not deadlock.
#[test]
fn a_function_may_call_itself_from_what_the_cache_clones() {
    #[derive(Debug, PartialEq)]
    struct Answer(u32);
    impl Clone for Answer {
        fn clone(&self) -> Self {
            if self.0 == 1 {
                let _ = at_once(view(2, Ok(2)));
                forget("recursive");
            }
            Self(self.0)
        }
    }
    #[resilient(timeout = none, name = "recursive", fallback(cached, key = (id)))]
    async fn view(id: u32, outcome: Result<u32, resilient::Verdict>) -> Result<Answer, Fault> {
        outcome.map(Answer).map_err(|verdict| Fault::Failed { verdict, run: id })
    }
    testing::isolated_blocking(|| {
        assert_eq!(at_once(view(1, Ok(1))), Ok(Answer(1)));
        assert_eq!(at_once(view(1, Err(resilient::Verdict::TRANSIENT))), Ok(Answer(1)));
    });
}
