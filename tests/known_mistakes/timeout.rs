//! Time limits.

use crate::{
    clock::{ms, paused},
    dep::{Fault, Outcome},
    ended::timed_out,
};
use resilient::resilient;
use tokio::{
    task::coop::consume_budget,
    time::{Instant, advance},
};

#[resilient(timeout_ms = 50)]
async fn never_rests() -> Outcome {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < ms(100), "it runs past its timeout");
        consume_budget().await;
    }
}

/// A body that uses up the task's budget leaves none for a timer that asks for some.
#[test]
fn t42_a_busy_body_does_not_keep_its_timeout_from_firing() {
    // Not isolated: the clock of an isolated test is looked at without tokio.
    paused().block_on(async {
        tokio::spawn(async {
            loop {
                advance(ms(1)).await;
            }
        });
        let Err(Fault::Rejected(cut)) = never_rests().await else { panic!("it was cut") };
        assert_eq!(cut.kind(), timed_out(50));
    });
}
