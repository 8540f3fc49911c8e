//! Layers that repeat what the layer below has repeated.

use crate::{
    clock::paused,
    dep::{Fault, Outcome},
};
use resilient::{Stop, Verdict, last_stop, resilient, testing};
use std::sync::atomic::{AtomicU32, Ordering};

static RUNS: AtomicU32 = AtomicU32::new(0);

#[resilient(read, timeout = none, retries = 2)]
async fn inner() -> Outcome {
    RUNS.fetch_add(1, Ordering::SeqCst);
    Err(Fault::Failed { verdict: Verdict::TRANSIENT, run: 1 })
}

#[resilient(read, timeout = none, retries = 2)]
async fn outer() -> Outcome {
    resilient::spawn(inner()).await.unwrap()
}

/// Three runs of three are nine.
#[test]
fn t41_a_task_between_two_layers_does_not_multiply_their_retries() {
    paused().block_on(testing::isolated(async {
        outer().await.unwrap_err();
        assert_eq!(last_stop(), Some(Stop::InnerLayer));
        assert_eq!(RUNS.load(Ordering::SeqCst), 3);
    }));
}
