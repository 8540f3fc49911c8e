//! Times and rates, from their digits and units.

use std::time::Duration;

/// The units of time, in nanoseconds.
pub const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// `digits` of `unit`; `None` for an unknown unit, and for more than a [`Duration`] holds.
pub fn time_of(digits: &str, unit: &str) -> Option<Duration> {
    let (_, nanos) = UNITS.iter().find(|(known, _)| *known == unit)?;
    if let Ok(whole) = digits.parse::<u128>() {
        let nanos = whole.checked_mul(u128::from(*nanos))?;
        let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
        return Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?));
    }
    // In nanoseconds first: `0.1 * 1e-3` has no exact float, `0.1 * 1e6` has.
    let nanos = (digits.parse::<f64>().ok()? * float(*nanos)).round();
    if nanos < float(u64::MAX) {
        return Some(Duration::from_nanos(whole(nanos)));
    }
    Duration::try_from_secs_f64(nanos / 1e9).ok()
}

#[expect(clippy::cast_precision_loss, reason = "units are powers of ten times sixty, and the bound may be rounded")]
fn float(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, positive and below u64::MAX")]
fn whole(x: f64) -> u64 {
    x as u64
}

/// A time with its unit: `60ms`.
pub fn time(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| c.is_alphabetic())?;
    time_of(text[..end].trim_end(), &text[end..])
}

/// A rate: `100/min`, `5 / 10s`.
pub fn rate(text: &str) -> Option<(u32, Duration)> {
    let (permits, per) = text.split_once('/')?;
    let (permits, per) = (permits.trim(), per.trim());
    let per = if per.starts_with(|c: char| c.is_ascii_digit()) { time(per) } else { time_of("1", per) }?;
    Some((permits.replace('_', "").parse().ok()?, per))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_exactly() {
        for (text, nanos) in [
            ("1ns", 1),
            ("1us", 1_000),
            ("1µs", 1_000),
            ("60ms", 60_000_000),
            ("1.5s", 1_500_000_000),
            ("2min", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("0.1ms", 100_000),
        ] {
            assert_eq!(time(text), Some(Duration::from_nanos(nanos)), "{text}");
        }
        assert_eq!(time("60"), None);
        assert_eq!(time("60xs"), None);
        assert_eq!(time("ms"), None);
        assert_eq!(time_of("999999999999999999999999", "h"), None);
    }

    #[test]
    fn a_rate_is_a_count_and_a_time() {
        assert_eq!(rate("100/min"), Some((100, Duration::from_secs(60))));
        assert_eq!(rate("1_000 / s"), Some((1_000, Duration::from_secs(1))));
        assert_eq!(rate("5/10s"), Some((5, Duration::from_secs(10))));
        assert_eq!(rate("fast"), None);
    }
}
