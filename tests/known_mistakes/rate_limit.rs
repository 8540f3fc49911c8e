//! Admission over time.

use crate::{clock::ms, dep::S, world::waiting};
use futures_util::future::join_all;

/// A waiter whose second look says "wait again", and which is let in all the same.
#[test]
fn p20_a_hundred_waiters_are_admitted_at_the_rate_and_no_faster() {
    waiting!(timeout = none, rate_limit("1/s", burst = 1, max_wait_ms = 40_000, strict)).async_story(async |world| {
        let ended = join_all((0..100).map(|_| world.call([S]))).await;
        let mut starts: Vec<_> = ended.iter().flat_map(|call| call.visits.iter().map(|visit| visit.at)).collect();
        starts.sort();
        // At once, and then at each of 40 seconds; the others are told at once that they would wait too long.
        assert_eq!(starts.len(), 41);
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= ms(1_000) - ms(1)), "{starts:?}");
        assert!(ended.iter().filter(|call| call.visits.is_empty()).all(|call| call.took == ms(0)));
        assert_eq!(world.counts().limited, 59);
    });
}
