//! Random histories of a breaker and of its model, compared answer by answer.

use super::{
    model::{Model, ModelTicket, nanos},
    *,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use resilient_policy::Window::{Count, Time};

const SAMPLES: [Sample; 6] = [OK, BAD, SLOW, SLOW_BAD, Sample::Throttled, Sample::Neutral];

fn any<T: Copy>(random: &mut StdRng, of: &[T]) -> T {
    of[random.random_range(0..of.len())]
}

fn size(settings: &Settings) -> u32 {
    match settings.window {
        Count { size, .. } => size,
        Time { .. } => u32::MAX,
    }
}

fn any_settings(random: &mut StdRng) -> Settings {
    let size = random.random_range(1..12);
    let max_age = random.random_bool(0.5).then(|| MS * any(random, &[100, 1_000]));
    let span = MS * any(random, &[100, 1_000, 3_000]);
    let probes = random.random_range(1..4);
    Settings {
        window: if random.random_bool(0.5) { Count { size, max_age } } else { Time { span } },
        min_calls: Some(random.random_range(1..=size)),
        failure_rate: any(random, &[0.1, 0.3, 0.5, 0.75, 1.0]),
        slow_rate: any(random, &[0.3, 0.5, 1.0]),
        consecutive: random.random_bool(0.3).then(|| random.random_range(1..=size)),
        open: any(random, &[Duration::ZERO, MS * 50, MS * 1_000]),
        open_jitter: 0.0,
        open_factor: any(random, &[1.0, 2.0]),
        open_cap: MS * any(random, &[10, 3_000]),
        probes,
        passes: random.random_bool(0.5).then(|| random.random_range(1..=probes)),
        ..Settings::NEW
    }
}

/// Mostly on, at times by years, at times back.
fn moved(at: Moment, random: &mut StdRng) -> Moment {
    let back = |by: Duration| start().after(at.since(start()).saturating_sub(by));
    let step = MS * random.random_range(0..40);
    let day = MS * 86_400_000;
    match random.random_range(0..200) {
        0..120 => at,
        120..180 => at.after(step),
        180..193 => at.after(step * 30),
        193..196 => back(step),
        196 => back(step * 100),
        197 => at.after(day * random.random_range(1..3_000)),
        198 => back(day * random.random_range(1..3_000)),
        _ => at.after(Duration::from_nanos(random.random_range(0..200_000_000))),
    }
}

/// One random history; how often the breaker opened by itself in it.
fn history(seed: u64) -> u64 {
    let mut random = StdRng::seed_from_u64(seed);
    let first = any_settings(&mut random);
    let (breaker, mut model) = (breaker(first), Model::new(first));
    let mut held: Vec<(Ticket, ModelTicket)> = Vec::new();
    let (mut at, mut opened) = (start(), 0);
    // Phases in which most calls succeed and phases in which most fail.
    let mut sick = 0.1;
    for step in 0..400 {
        at = moved(at, &mut random);
        if random.random_bool(0.02) {
            sick = any(&mut random, &[0.0, 0.05, 0.3, 0.9]);
        }
        let sample = if random.random_bool(sick) { any(&mut random, &SAMPLES) } else { OK };
        let here = || format!("seed {seed}, step {step}, {sample:?}");
        match random.random_range(0..100) {
            0..80 => {
                let lease = random.random_bool(0.5).then(|| MS * random.random_range(0..100));
                let (ours, models) = (breaker.admit(at, lease), model.admit(at.nanos(), lease.map(nanos)));
                match (ours, models) {
                    (Ok(ticket), Ok(expected)) => {
                        assert_eq!(ticket.is_probe(), expected.probe.is_some(), "{}", here());
                        held.push((ticket, expected));
                    }
                    (Err(refused), Err(expected)) => {
                        assert_eq!(refused.retry_after.map(nanos), expected, "{}", here());
                    }
                    (ours, models) => panic!("{ours:?} instead of {models:?}: {}", here()),
                }
                // Most calls end at once; the others are late.
                if random.random_bool(0.9) || held.len() > 8 {
                    if let Some((ticket, expected)) = held.pop() {
                        ticket.record(sample, at);
                        model.record(expected, sample, at.nanos());
                    }
                }
            }
            80..86 if !held.is_empty() => {
                let (ticket, expected) = held.swap_remove(random.random_range(0..held.len()));
                ticket.record(sample, at);
                model.record(expected, sample, at.nanos());
            }
            86..90 if !held.is_empty() => {
                let (ticket, expected) = &held[random.random_range(0..held.len())];
                ticket.sample(sample, at);
                if expected.probe.is_none() {
                    model.record(*expected, sample, at.nanos());
                }
            }
            90..94 if !held.is_empty() => {
                let (ticket, expected) = held.swap_remove(random.random_range(0..held.len()));
                drop(ticket);
                model.record(expected, Sample::Neutral, at.nanos());
            }
            94 => {
                let modes = [None, None, Some(Forced::Open), Some(Forced::Closed), Some(Forced::Observe)];
                let forced = any(&mut random, &modes);
                breaker.force(forced);
                model.force(forced);
            }
            95 => {
                breaker.reset();
                model.reset();
            }
            96 => {
                let other = any_settings(&mut random);
                let same_window = Settings { window: model.settings.window, ..other };
                // In a window that forgets, a run longer than the window is an estimate: `windows` has its test.
                let fits = other.consecutive.is_none_or(|most| most <= size(&same_window));
                let settings = if fits && random.random_bool(0.5) { same_window } else { other };
                breaker.adopt(settings);
                model.adopt(settings);
            }
            97 => {
                opened += model.opened;
                let settings = any_settings(&mut random);
                breaker.recycle(settings);
                model.recycle(settings);
            }
            _ => {}
        }
        let now = breaker.snapshot(at);
        assert_eq!(now, model.snapshot(at.nanos()), "{}, {model:?}", here());
        assert_eq!(breaker.peek(at).err().map(|refused| refused.retry_after.map(nanos)), model.peek(at.nanos()));
        for (ticket, expected) in &held {
            assert_eq!(ticket.allows_retry(), expected.probe.is_none() && model.is_closed(), "{}", here());
        }
    }
    opened + model.opened
}

#[test]
fn a_breaker_agrees_with_its_model_over_random_histories() {
    let opened: u64 = (0..500).map(history).sum();
    // They are histories in which something happens.
    assert!(opened > 500, "{opened}");
}
