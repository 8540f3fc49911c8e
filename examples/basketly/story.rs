//! The story: one site, one crowd, and a hiccup of the database in the middle third.

use crate::app::{Action, App};
use crate::crowd;
use crate::database::Database;
use crate::options::Options;
use crate::prices;
use crate::report;
use crate::setting::Setting;
use crate::shop_api::ShopApi;
use crate::stock::{Ledger, Stock};
use crate::tally::Tally;
use crate::wire::Peer;
use rand::{SeedableRng, rngs::StdRng};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep_until};

/// How a run went.
pub struct Run {
    pub setting: Setting,
    pub tally: Arc<Tally>,
    /// Commits of a reservation that repeated an earlier commit of the same checkout.
    pub duplicates: u64,
}

/// The seconds of the hiccup.
pub const fn hiccup(seconds: u32) -> Range<u32> {
    seconds / 3..seconds / 3 * 2
}

/// Plays the story once, in a runtime of its own: whatever is still queued at the end goes with it.
pub fn play(setting: Setting, options: &Options) -> io::Result<Run> {
    let runtime = Runtime::new()?;
    let run = runtime.block_on(scenes(setting, options));
    runtime.shutdown_background();
    run
}

async fn scenes(setting: Setting, options: &Options) -> io::Result<Run> {
    let start = Instant::now() + Duration::from_secs(1);
    let second = move |second| start + Duration::from_secs(u64::from(second));
    let Options { seconds, rate, seed } = *options;
    let mut seed = StdRng::seed_from_u64(seed);

    let tally = Arc::new(Tally::new(start, seconds));
    let database = Arc::new(Database::new(seed.fork()));
    let ledger = Arc::new(Ledger::default());
    let stock = Stock { setting, database: database.clone(), ledger: ledger.clone(), tally: tally.clone() };
    let prices = Peer::start(prices::router()).await?;
    let stock = Peer::start(stock.router()).await?;
    let shop_api = Peer::start(ShopApi::new(setting, prices, stock).router()).await?;
    let app = App { shop_api, tally: tally.clone() };

    // [storm, part 2]: connect before the process takes traffic, or the first calls pay for it and time out.
    for action in [Action::Product(0), Action::Cart(0), Action::Checkout(0)] {
        app.request(action).send().await.map_err(io::Error::other)?;
    }

    tokio::spawn(crowd::arrive(setting, app, rate, seed.fork(), start, second(seconds)));
    tokio::spawn(async move {
        let slow = hiccup(seconds);
        sleep_until(second(slow.start)).await;
        database.set_hiccup(true);
        sleep_until(second(slow.end)).await;
        database.set_hiccup(false);
    });
    report::follow(setting.name(), &tally, start, seconds).await;

    Ok(Run { setting, tally, duplicates: ledger.duplicates() })
}
