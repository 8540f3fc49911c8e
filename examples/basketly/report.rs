//! A line for every second.

use crate::crowd::{NEED_STOCK, PATIENCE};
use crate::database::{CONNECTIONS, HICCUP, QUERY};
use crate::options::Options;
use crate::tally::{Event, Tally, bins};
use crate::{as_shipped, story};
use resilient::BreakerState;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A line appears this many seconds after the end of its second.
const LAG: u32 = PATIENCE.as_secs() as u32;

/// Says what is about to happen and what the columns mean.
pub fn introduce(options: &Options) {
    let Options { seconds, rate, seed } = *options;
    let slow = story::hiccup(seconds);
    let capacity = CONNECTIONS as f64 / QUERY.as_secs_f64();
    let (needed, sent) = (f64::from(rate) * NEED_STOCK, f64::from(rate) * f64::from(as_shipped::ATTEMPTS));
    let finished = capacity / NEED_STOCK;
    let (sign, backlog) = if sent > finished { (">", "never drains") } else { ("<", "drains by itself") };
    println!(
        "\
Basketly: {rate} actions/s for {seconds} s, twice (seed {seed}). From {from} s to {to} s every query of stock's database
takes {HICCUP} times longer. {needed:.0} queries/s are needed; it can do {capacity:.0}/s, and {hiccup:.0}/s in the hiccup.

As shipped, each app makes {attempts} attempts once it gets no answers: {sent:.0}/s. The database lets shop-api finish
{capacity:.0} / {share:.0} % = {finished:.0} attempts/s. {sent:.0} {sign} {finished:.0}: a backlog {backlog}.

  s         second of the tap; its line appears {LAG} s later, when the last user has an answer or has left
  database  fast, or slow in the hiccup
  offered   actions: product pages, cart views and checkouts, 800 : 1,200 : 60
  goodput   full answers within the user's {LAG} s
  degraded  the plan B within the {LAG} s: carts without badges
  refused   a \"not now\" within the {LAG} s
  left      users who left after {LAG} s without an answer
  attempts  requests of the apps in this second, per action
  stock     calls that reached stock in this second, per call that the actions need; below 1, calls are
            held back: by a guard, or by threads of shop-api that all wait
  breakers  at the end of this second, and how often they have opened",
        from = slow.start,
        to = slow.end,
        hiccup = capacity / f64::from(HICCUP),
        attempts = as_shipped::ATTEMPTS,
        share = 100.0 * NEED_STOCK,
    );
}

/// Prints the lines of a run while it happens, and returns when the last user has an answer or has left.
pub async fn follow(title: &str, tally: &Tally, start: Instant, seconds: u32) {
    println!("\n{title:64}  breakers");
    println!(
        "  s  database  offered  goodput  degraded  refused   left  attempts  stock  stock.view     stock.reserve"
    );
    let mut states = VecDeque::new();
    for ended in 1..=seconds + LAG {
        // A moment longer, for answers that are just being counted.
        sleep_until(start + Duration::from_secs(ended.into()) + Duration::from_millis(50)).await;
        states.push_back(["stock.view", "stock.reserve"].map(breaker));
        if ended > LAG {
            let second = ended - LAG - 1;
            line(tally, second, story::hiccup(seconds).contains(&second), states.pop_front().unwrap_or_default());
        }
    }
}

fn line(tally: &Tally, second: u32, slow: bool, [view, reserve]: [String; 2]) {
    let bins = bins(second..second + 1);
    let count = |event| tally.count(event, bins.clone());
    println!(
        "{second:3}  {database:8}  {offered:7}  {goodput:7}  {degraded:8}  {refused:7}  {left:5}  {attempts:8.2}  {stock:5.2}  {view:13}  {reserve}",
        database = if slow { "slow" } else { "fast" },
        offered = count(Event::Offered),
        goodput = count(Event::Full),
        degraded = count(Event::Degraded),
        refused = count(Event::Refused),
        left = count(Event::Left),
        attempts = tally.ratio(Event::Attempt, Event::Offered, bins.clone()),
        stock = tally.ratio(Event::StockCall, Event::Needed, bins.clone()),
    );
}

/// The breaker of an operation; as shipped there is none.
fn breaker(operation: &str) -> String {
    let operations = resilient::snapshot();
    // Listed before its first call; as shipped there is none.
    let known = operations.iter().find(|known| known.operation == operation && known.counts.calls > 0);
    let Some(breaker) = known.and_then(|known| known.breaker) else {
        return "-".to_owned();
    };
    let state = match breaker.state {
        BreakerState::Closed => "closed",
        BreakerState::Open => "open",
        BreakerState::HalfOpen => "half-open",
        _ => "?",
    };
    format!("{state} ({})", breaker.opened)
}
