//! What the command line may change.

/// `--help`.
pub const HELP: &str = "\
Half a minute of Basketly, an online grocer, twice: as shipped, and with annotated client functions.

usage: cargo run --release --example basketly -- [--seconds N] [--rate N] [--seed N]

  --seconds N   length of each run, 15 to 600; its middle third is the hiccup   (default: 30)
  --rate N      actions per second, 50 to 3000                                  (default: 1200)
  --seed N      of arrivals, actions and query times, any whole number          (default: 1)
  --help        this text

As shipped, the apps make 3 attempts per action, and the database lets shop-api finish 3270 attempts/s.
Up to 1090 actions/s a backlog therefore drains by itself, and as shipped recovers.";

/// What the command line may change.
pub struct Options {
    /// Length of one run.
    pub seconds: u32,
    /// Actions per second.
    pub rate: u32,
    /// Of arrivals, actions and query times.
    pub seed: u64,
}

impl Options {
    /// Reads the arguments; `None` means that help is wanted.
    ///
    /// # Errors
    /// One sentence on the first flag that is unknown, lacks its number, or whose number is out of range.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self { seconds: 30, rate: 1_200, seed: 1 };
        while let Some(argument) = arguments.next() {
            let (flag, mut value) = match argument.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let mut number = |from, to| {
                let text = value.take().or_else(|| arguments.next()).ok_or(format!("{flag} needs a number"))?;
                match text.parse() {
                    Ok(number) if (from..=to).contains(&number) => Ok(number),
                    _ => Err(format!("{flag} takes a whole number from {from} to {to}, not `{text}`")),
                }
            };
            match flag {
                "--seconds" => options.seconds = number(15, 600)? as u32,
                "--rate" => options.rate = number(50, 3_000)? as u32,
                "--seed" => options.seed = number(0, u64::MAX)?,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown flag `{flag}`: there are --seconds, --rate, --seed and --help")),
            }
        }
        Ok(Some(options))
    }
}
