use super::*;
use crate::time::now;
use loom::{sync::Arc, thread};

#[test]
fn loom_a_sample_outlives_the_turn_of_generations_that_it_meets() {
    loom::model(|| {
        let start = now();
        let (histogram, due) = (Arc::new(Histogram::new(start)), start.after(STALE));
        let other = histogram.clone();
        let recorder = thread::spawn(move || other.record(Duration::ZERO, due));
        let _ = histogram.percentile(0.5, 1, due);
        recorder.join().unwrap();
        let samples: u64 = histogram.generations.iter().map(Generation::samples).sum();
        assert_eq!(samples, 1);
        assert!(histogram.turn().is_some(), "nobody keeps the turn");
    });
}
