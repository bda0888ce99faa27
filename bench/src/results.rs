//! The results of a run, and how its figures compare.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::point::{Point, Who};
use crate::stats::{Sample, median, middle};

/// All results of a run.
#[derive(Default)]
pub struct Results {
    pub samples: BTreeMap<Point, Vec<Sample>>,
    pub memory: Vec<Memory>,
    pub after_work: Vec<AfterWork>,
    pub starts: Vec<Starts>,
}

impl Results {
    /// The median of the rounds' ratios; windows of one round are neighbours in time, so noise hits both alike. NaN
    /// when a call failed: a ratio of failed windows means nothing, and NaN meets no goal.
    pub fn ratio(&self, a: Point, b: Point) -> Option<f64> {
        let (a, b) = (self.samples.get(&a)?, self.samples.get(&b)?);
        let clean = a.iter().chain(b).all(|sample| sample.errors == 0);
        Some(if clean { median(a.iter().zip(b).map(|(a, b)| a.rate / b.rate)) } else { f64::NAN })
    }

    /// The median of the rounds' ratios of the 99th percentile; NaN when a call failed.
    pub fn p99_ratio(&self, a: Point, b: Point) -> Option<f64> {
        let (a, b) = (self.samples.get(&a)?, self.samples.get(&b)?);
        let clean = a.iter().chain(b).all(|sample| sample.errors == 0);
        let ratio = |(a, b): (&Sample, &Sample)| a.p99.as_secs_f64() / b.p99.as_secs_f64();
        Some(if clean { median(a.iter().zip(b).map(ratio)) } else { f64::NAN })
    }

    pub fn middle(&self, point: Point) -> Option<Sample> {
        self.samples.get(&point).map(|samples| middle(samples))
    }

    pub fn errors(&self) -> u64 {
        let lost: u64 = self.memory.iter().map(|memory| memory.lost as u64).sum();
        lost + self.samples.values().flatten().map(|sample| sample.errors).sum::<u64>()
    }
}

/// The memory that one engine needed.
pub struct Memory {
    pub who: Who,
    pub idle: u64,
    pub peak: u64,
    /// Uploads that were refused, or accepted and then not found.
    pub lost: usize,
    pub first_error: Option<String>,
    pub took: Duration,
}

/// The memory that one engine keeps a minute after much work.
pub struct AfterWork {
    pub who: Who,
    pub photos: usize,
    pub quotes: usize,
    pub peak: u64,
    pub rest: u64,
}

/// How long one engine took to start.
pub struct Starts {
    pub who: Who,
    pub median: Duration,
    pub slowest: Duration,
}
