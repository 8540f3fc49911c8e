use super::*;
use crate::time::now;
use loom::thread;

/// One permit a second, `burst` at once.
fn limiter(burst: u32, strict: bool) -> &'static RateLimiter {
    let settings = RateLimit {
        permits: burst,
        per: Duration::from_secs(burst.into()),
        burst: Some(burst),
        max_wait: Duration::from_secs(60),
        name: None,
        strict,
    };
    Box::leak(Box::new(RateLimiter::new(&settings)))
}

#[test]
fn loom_a_permit_given_back_is_used_once() {
    for strict in [false, true] {
        loom::model(move || {
            let start = now();
            let limiter = limiter(2, strict);
            let leaving = limiter.try_now(start).unwrap();
            let taker = thread::spawn(move || limiter.try_now(start).map(Reservation::spend).is_some());
            leaving.give_back(start);
            let mut spent = u32::from(taker.join().unwrap());
            while let Some(permit) = limiter.try_now(start) {
                permit.spend();
                spent += 1;
            }
            assert_eq!(spent, 2);
        });
    }
}

#[test]
fn loom_no_two_are_promised_one_moment() {
    for strict in [false, true] {
        loom::model(move || {
            let start = now();
            let limiter = limiter(1, strict);
            // The one for now is gone, and somebody waits for the next.
            limiter.try_now(start).unwrap().spend();
            let leaving = limiter.reserve(start, Moment::NEVER).unwrap();
            let arriving = thread::spawn(move || limiter.reserve(start, Moment::NEVER).unwrap());
            leaving.give_back(start);
            let mine = limiter.reserve(start, Moment::NEVER).unwrap();
            let theirs = arriving.join().unwrap();
            assert_ne!(mine.ready_at(), theirs.ready_at());
            mine.spend();
            theirs.spend();
        });
    }
}
