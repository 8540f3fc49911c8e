//! A stable place in a period, so that a fleet does not tick in step.

use std::time::Duration;

/// Where in `[0, period)` the periodic work of `id` starts: the same for the same `id` in every process, on every
/// machine and in every version, and evenly spread over many of them.
///
/// Instances that are deployed together tick together, and what they call sees nothing for a minute and then everybody
/// at once. An offset by instance, tenant or shard takes the step out of them, and since it is stable, a restart does
/// not move it. `id` is whatever tells them apart: a host name, the bytes of a UUID, a number's `to_be_bytes()`. A
/// period of zero has one place, zero.
///
/// The place is the 64-bit FNV-1a hash of the bytes, mixed by the finalizer of MurmurHash3 and read as a fraction of
/// the period. That is part of the API: it does not change.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tokio::time::{Instant, interval_at};
///
/// let period = Duration::from_secs(60);
/// let mut ticks = interval_at(Instant::now() + resilient_runtime::offset("web-17", period), period);
/// ticks.tick().await;
/// # }
/// ```
#[must_use]
pub fn offset(id: impl AsRef<[u8]>, period: Duration) -> Duration {
    let place = u128::from(mixed(fnv1a(id.as_ref())));
    // place × period / 2^64, in halves of 64 bits, since the longest period has 94.
    let nanos = period.as_nanos();
    let (high, low) = (nanos >> 64, nanos & u128::from(u64::MAX));
    let nanos = place * high + ((place * low) >> 64);
    let (secs, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    // Both fit: the sum is below the period.
    Duration::new(u64::try_from(secs).unwrap_or(u64::MAX), u32::try_from(rest).unwrap_or(0))
}

/// FNV-1a with 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The finalizer of MurmurHash3: of two ids that differ in their last digit, FNV-1a alone changes few of the high bits,
/// and those decide the place.
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(all(test, not(resilient_loom)))]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// What is written down here must never change: fleets of two versions would tick in step.
    #[test]
    fn an_id_has_the_same_place_in_every_version() {
        // The hash's own published values.
        assert_eq!(
            (fnv1a(b""), fnv1a(b"a"), fnv1a(b"foobar")),
            (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8)
        );
        let places = ["", "web-1", "web-2", "tenant/42"].map(|id| offset(id, MINUTE).as_nanos());
        assert_eq!(places, [56_206_166_903, 46_497_780_663, 33_193_343_396, 43_274_128_406]);
    }

    #[test]
    fn text_and_its_bytes_are_one_id() {
        assert_eq!(offset("web-1", MINUTE), offset(String::from("web-1"), MINUTE));
        assert_eq!(offset("web-1", MINUTE), offset(*b"web-1", MINUTE));
    }

    /// Chi-square over a hundred bins, for ids as fleets have them. With 99 degrees of freedom a fair hash stays below 149
    /// in all but one of a thousand tries.
    #[test]
    fn ten_thousand_ids_are_spread_evenly() {
        let kinds: [fn(u32) -> String; 3] =
            [|n| format!("web-{n}"), |n| format!("10.0.{}.{}", n / 256, n % 256), |n| n.to_string()];
        for id in kinds {
            let mut bins = [0u32; 100];
            (0..10_000).for_each(|n| bins[(offset(id(n), MINUTE).as_millis() / 600) as usize] += 1);
            let chi: f64 = bins.iter().map(|found| (f64::from(*found) - 100.0).powi(2) / 100.0).sum();
            assert!((50.0..149.0).contains(&chi), "{chi} for ids such as {}", id(17));
        }
    }

    #[test]
    fn every_period_holds_its_offsets() {
        let periods = [0, 1, 2, 999_999_999].map(Duration::from_nanos);
        for period in periods.into_iter().chain([MINUTE, Duration::from_secs(u64::MAX), Duration::MAX]) {
            for n in 0..1_000u32 {
                let offset = offset(n.to_be_bytes(), period);
                assert!(offset < period || period.is_zero() && offset.is_zero(), "{n}: {offset:?} of {period:?}");
            }
        }
        let most = (0..1_000u32).map(|n| offset(n.to_be_bytes(), Duration::MAX)).max();
        assert!(most > Some(Duration::MAX / 100 * 99));
    }
}
