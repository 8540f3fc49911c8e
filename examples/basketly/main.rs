//! One bad half minute of an online grocer, twice: as shipped, and with annotated client functions.
//!
//! ```text
//! cargo run --release --example basketly [-- --seconds 30 --rate 1200 --seed 1]
//! ```
//!
//! Everything is real HTTP on loopback, in this one process:
//!
//! ```text
//! users ──> apps ──> shop-api, 400 threads ──┬──> prices: always healthy
//! (2 s)                                      └──> stock ──> its database, 8 connections × 4 ms
//! ```
//!
//! In the middle third of each run every query of the database takes ten times longer: the story of Basketly, from the
//! document cited as `[storm, part 1]`. Read `as_shipped.rs` and then `annotated.rs`: the same functions, and the
//! second time the attribute does the work. The rest is the site, the crowd and the counting.
//!
//! # Why as shipped does not come back
//!
//! Every app makes 3 attempts when it gets no answer, so that 1,200 actions/s become 3,600 attempts/s. The database
//! does 8 / 4 ms = 2,000 queries/s, and 1,260 of 2,060 actions (61 %) need one: shop-api can finish at most
//! 2,000 / 0.61 = 3,270 attempts/s. 3,600 > 3,270: once there is a backlog, it grows, whatever caused it, and everyone
//! at its front has left already. Healthy, the same 1,200 actions/s need 734 queries/s, not half of what there is.
//!
//! # What differs from the document
//!
//! - 1,200 actions/s instead of 2,060, through one shop-api instead of four. Guards live once per process, so that here
//!   one bulkhead of 12 stands for the document's four; at 2,060 actions/s it would refuse healthy cart views. All else
//!   is the document's: 400 threads, 8 connections, query times, timeouts, attempts. Below 1,090 actions/s, where
//!   3 attempts fit into 3,270/s, as shipped would recover.
//! - The hiccup takes 10 s instead of 20 s, and a breaker stays open for 1 s instead of 5 s: see `annotated.rs`.
//! - stock has no guards of its own, and no queue but the one for a connection.

mod annotated;
mod app;
mod as_shipped;
mod crowd;
mod database;
mod options;
mod prices;
mod report;
mod setting;
mod shop_api;
mod stock;
mod story;
mod summary;
mod tally;
mod wire;

use options::Options;
use setting::Setting;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            eprintln!("basketly: {mistake}; try --help");
            return ExitCode::from(2);
        }
    };
    match play_twice(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("basketly: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play_twice(options: &Options) -> std::io::Result<()> {
    report::introduce(options);
    let as_shipped = story::play(Setting::AsShipped, options)?;
    let annotated = story::play(Setting::Annotated, options)?;
    summary::print(&as_shipped, &annotated, options.seconds)
}
