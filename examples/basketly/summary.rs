//! The two runs side by side, and what was promised of them.

use crate::story::{self, Run};
use crate::tally::{BINS, Event, bins};
use std::io;
use std::ops::Range;

/// A site is back to normal with this share of full answers for a whole second.
const NORMAL: f64 = 0.9;
/// The seconds after the hiccup within which the annotated run must be back to normal.
const BACK: f64 = 2.0;
/// The last seconds of a run, in which as shipped is expected to be broken still.
const END: u32 = 3;
/// The most calls to stock per needed call: a retry budget of 10 % allows 1.1, and its burst.
const CALLS: f64 = 1.2;

/// Prints the table and the promises.
///
/// # Errors
/// If a site answered less than half of its users before the hiccup: then the numbers say nothing about guards.
pub fn print(as_shipped: &Run, annotated: &Run, seconds: u32) -> io::Result<()> {
    let periods = Periods::of(seconds);
    table(as_shipped, annotated, &periods);
    promises(as_shipped, annotated, &periods);
    let healthy = as_shipped.goodput(&periods.before).min(annotated.goodput(&periods.before));
    if healthy < 0.5 {
        let share = 100.0 * healthy;
        return Err(io::Error::other(format!("only {share:.0} % answered before the hiccup: take a lower --rate")));
    }
    Ok(())
}

/// The bins of the parts of a run.
struct Periods {
    before: Range<usize>,
    hiccup: Range<usize>,
    after: Range<usize>,
    end: Range<usize>,
}

impl Periods {
    fn of(seconds: u32) -> Self {
        let hiccup = story::hiccup(seconds);
        Self {
            before: bins(0..hiccup.start),
            after: bins(hiccup.end..seconds),
            end: bins(seconds - END..seconds),
            hiccup: bins(hiccup),
        }
    }
}

fn table(as_shipped: &Run, annotated: &Run, periods: &Periods) {
    let row = |name: &str, cell: &dyn Fn(&Run) -> String| {
        println!("{name:51}{:>18}{:>18}", cell(as_shipped), cell(annotated));
    };
    let answers = |name: &str, event, bins: &Range<usize>| {
        row(name, &|run| {
            let per_second = run.tally.count(event, bins.clone()) as f64 * BINS as f64 / bins.len() as f64;
            let share = 100.0 * run.tally.ratio(event, Event::Offered, bins.clone());
            format!("{per_second:.0}/s {share:5.1} %")
        });
    };
    println!();
    row("", &|run| run.setting.name().to_owned());
    answers("goodput before the hiccup, share of the offered", Event::Full, &periods.before);
    answers("goodput in the hiccup", Event::Full, &periods.hiccup);
    answers("degraded answers in the hiccup", Event::Degraded, &periods.hiccup);
    answers("goodput after the hiccup", Event::Full, &periods.after);
    answers(&format!("goodput in the last {END} s"), Event::Full, &periods.end);
    row("from the end of the hiccup until normal", &|run| time(run.back_after(&periods.after)));
    row("calls reaching stock per needed call, in the hiccup", &|run| format!("{:.2}", run.calls(&periods.hiccup)));
    row("calls reaching stock per needed call, after it", &|run| format!("{:.2}", run.calls(&periods.after)));
    row("duplicate commits", &|run| run.duplicates.to_string());
}

fn promises(as_shipped: &Run, annotated: &Run, periods: &Periods) {
    let broken = 100.0 * as_shipped.goodput(&periods.end);
    let back = annotated.back_after(&periods.after);
    let calls = annotated.calls(&periods.hiccup);
    let duplicates = annotated.duplicates;
    let promises = [
        (broken < 50.0, format!("as shipped  still broken at the end: {broken:.1} % full answers (below 50 %)")),
        (
            back.is_some_and(|seconds| seconds <= BACK),
            format!(
                "annotated   {} until normal: {} % full answers for 1 s (at most {BACK} s)",
                time(back),
                100.0 * NORMAL
            ),
        ),
        (
            calls <= CALLS,
            format!("annotated   {calls:.2} calls to stock per needed call in the hiccup (at most {CALLS})"),
        ),
        (duplicates == 0, format!("annotated   {duplicates} duplicate commits (none)")),
    ];
    println!();
    for (met, promise) in promises {
        println!("{:9}{promise}", if met { "met" } else { "not met" });
    }
}

fn time(seconds: Option<f64>) -> String {
    seconds.map_or("never".to_owned(), |seconds| format!("{seconds:.1} s"))
}

impl Run {
    /// The share of the offered actions that got full answers.
    fn goodput(&self, bins: &Range<usize>) -> f64 {
        self.tally.ratio(Event::Full, Event::Offered, bins.clone())
    }

    /// The calls that reached stock for each one that the actions needed.
    fn calls(&self, bins: &Range<usize>) -> f64 {
        self.tally.ratio(Event::StockCall, Event::Needed, bins.clone())
    }

    /// The seconds from the end of the hiccup to the first whole one, begun at any tenth, in which the site was normal.
    fn back_after(&self, after: &Range<usize>) -> Option<f64> {
        let mut seconds = after.clone().map(|bin| bin..bin + BINS).take_while(|second| second.end <= after.end);
        let normal = seconds.find(|second| self.goodput(second) >= NORMAL)?;
        Some((normal.start - after.start) as f64 / BINS as f64)
    }
}
