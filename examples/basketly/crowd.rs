//! The users: they arrive whether or not the site keeps up, and wait 2 s.

use crate::app::{Action, App};
use crate::database::exponential;
use crate::setting::Setting;
use crate::tally::Event;
use crate::{annotated, as_shipped};
use rand::{RngExt, rngs::StdRng};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// `[storm, part 1]`: goodput is what is answered within the 2 s that a user waits.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// `[storm, part 1]`: product pages, cart views and checkouts per second.
const MIX: [u32; 3] = [800, 1_200, 60];
/// The share of actions that need `stock`: 1,260 of 2,060.
pub const NEED_STOCK: f64 = (MIX[1] + MIX[2]) as f64 / (MIX[0] + MIX[1] + MIX[2]) as f64;

/// Sends `rate` users per second to the site, at random moments from `start` to `end`.
pub async fn arrive(setting: Setting, app: App, rate: u32, mut rng: StdRng, start: Instant, end: Instant) {
    let mean_gap = Duration::from_secs(1) / rate;
    let mut at = start;
    for number in 1.. {
        at += exponential(&mut rng, mean_gap);
        if at >= end {
            break;
        }
        let action = draw(&mut rng, number);
        sleep_until(at).await;
        tokio::spawn(tap(setting, app.clone(), action));
    }
}

fn draw(rng: &mut StdRng, number: u64) -> Action {
    match rng.random_range(0..MIX.iter().sum()) {
        draw if draw < MIX[0] => Action::Product(number),
        draw if draw < MIX[0] + MIX[1] => Action::Cart(number),
        _ => Action::Checkout(number),
    }
}

/// One user, from the tap to the answer or the loss of patience.
async fn tap(setting: Setting, app: App, action: Action) {
    let (tally, at) = (app.tally.clone(), Instant::now());
    tally.add(Event::Offered, at);
    if !matches!(action, Action::Product(_)) {
        tally.add(Event::Needed, at);
    }
    let shown = match setting {
        // A task of its own: the app does not notice that its user has left.
        Setting::AsShipped => {
            let open = tokio::spawn(async move { as_shipped::open(&app, action).await });
            timeout(PATIENCE, open).await.map(|shown| shown.unwrap_or(Event::Left))
        }
        Setting::Annotated => {
            let open = annotated::open(&app, action);
            timeout(PATIENCE, resilient::within(PATIENCE, open)).await
        }
    };
    tally.add(shown.unwrap_or(Event::Left), at);
}
