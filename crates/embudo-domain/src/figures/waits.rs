//! How long things take. Durations are counted in buckets, eight for each doubling of the duration. So a median is
//! correct to about 5 %, and the buckets of a year are the sums of the buckets of its days.

use std::collections::BTreeMap;

enumeration! {
    /// The waits that are measured.
    Wait {
        /// From the arrival of the lead until we first contacted the client, or tried to.
        Contact = "contacto",
        /// From the client's first message until we next contacted the client, or tried to.
        Answer = "respuesta",
        /// From the arrival of the lead until its first quote was issued.
        Quote = "presupuesto",
        /// From the issue of a quote until its acceptance.
        Decision = "decision",
    }
}

impl Wait {
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.iter().filter_map(|word| Self::parse(word))
    }
}

/// The number of buckets for each doubling.
const FINE: f64 = 8.0;

/// The bucket of a duration in seconds: 0 is less than a second.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "logarithms of seconds are small"
)]
pub(super) fn bucket(secs: i64) -> u32 {
    match secs {
        ..1 => 0,
        secs => (FINE * (secs as f64).log2()).floor() as u32 + 1,
    }
}

/// The middle of a bucket, in seconds.
#[allow(clippy::cast_possible_truncation, reason = "seconds within the range of instants")]
fn middle(bucket: u32) -> i64 {
    match bucket {
        0 => 0,
        bucket => ((f64::from(bucket) - 0.5) / FINE).exp2().round() as i64,
    }
}

/// How many leads waited, and for how long, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitFigures {
    pub count: i64,
    /// Half of them waited no longer.
    pub median: i64,
    /// Nine of ten waited no longer.
    pub ninth: i64,
}

pub(super) fn figures(buckets: &BTreeMap<u32, i64>) -> WaitFigures {
    let count: i64 = buckets.values().sum();
    // The nearest-rank method: the first duration that at least this number of leads did not exceed.
    let at = |tenths: i64| {
        let rank = (count * tenths + 9) / 10;
        let mut seen = 0;
        let found = buckets.iter().find(|(_, n)| {
            seen += **n;
            seen >= rank
        });
        found.map_or(0, |(bucket, _)| middle(*bucket))
    };
    match count {
        ..1 => WaitFigures::default(),
        count => WaitFigures { count, median: at(5), ninth: at(9) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_tells_how_long_to_a_twentieth() {
        assert_eq!((bucket(-5), bucket(0), middle(0)), (0, 0, 0));
        for secs in (1..5_000).chain([86_400, 604_800, 31_536_000, 300_000_000_000]) {
            let told = middle(bucket(secs));
            let off = (told - secs).abs();
            assert!(off <= secs / 20 + 1, "{secs} is told as {told}");
            assert!(bucket(secs) <= bucket(secs + 1));
        }
    }

    #[test]
    fn half_and_nine_of_ten() {
        let of = |all: &[i64]| {
            let mut buckets = BTreeMap::new();
            all.iter().for_each(|secs| *buckets.entry(bucket(*secs)).or_default() += 1);
            figures(&buckets)
        };
        assert_eq!(of(&[]), WaitFigures::default());
        let one = of(&[60]);
        assert_eq!((one.count, one.median, one.ninth), (1, 61, 61));
        let ten = of(&[0, 0, 0, 0, 60, 600, 600, 600, 3_600, 86_400]);
        assert_eq!((ten.count, ten.median), (10, 61));
        assert!((3_400..3_800).contains(&ten.ninth), "{ten:?}");
    }
}
