//! What one measured window yields, and the few statistics the report needs. No I/O here.

use std::time::Duration;

/// One measured window.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Calls answered with 2xx inside the window, per second.
    pub rate: f64,
    /// Median latency; of pgbench, which reports no median, the average.
    pub p50: Duration,
    /// 99th percentile of the latency.
    pub p99: Duration,
    /// Calls answered with 2xx at all: in the window, in its warm-up and after its end.
    pub answered: u64,
    /// Calls that failed: without an answer, or with a wrong status or body. Those outside of the window count too.
    pub errors: u64,
    /// What went wrong in the first failed call.
    pub first_error: Option<String>,
    /// The client's threads had no time left: the server could have done more, and the figure is a lower bound.
    pub client_bound: bool,
    /// Processor time per call: of the server, of PostgreSQL and of the client.
    pub cpu: CpuPerCall,
}

/// Microseconds of processor time per call.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuPerCall {
    pub server: f64,
    pub postgres: f64,
    pub client: f64,
}

impl Sample {
    /// Cores that server, PostgreSQL and client kept busy together. If this is well below the number of cores of the
    /// machine, something waits (mostly for the disk).
    pub fn cores_busy(&self) -> f64 {
        self.rate * (self.cpu.server + self.cpu.postgres + self.cpu.client) / 1e6
    }

    /// One line for the terminal.
    pub fn line(&self) -> String {
        let failed = match &self.first_error {
            None if self.client_bound => "  (client-bound)".to_owned(),
            None => String::new(),
            Some(first) => format!("  !! {} ERRORS, first: {first}", self.errors),
        };
        format!(
            "{:>9} req/s  p50 {:>8}  p99 {:>8}  cpu/call server {:.0} µs, postgres {:.0} µs, client {:.0} µs{failed}",
            rate(self.rate),
            millis(self.p50),
            millis(self.p99),
            self.cpu.server,
            self.cpu.postgres,
            self.cpu.client,
        )
    }
}

/// The middle value; the mean of the two middle ones for an even count, 0 for none.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

/// The nearest-rank percentile of sorted values.
pub fn percentile(sorted: &[u32], p: f64) -> u32 {
    if sorted.is_empty() {
        return 0;
    }
    let rank = (sorted.len() as f64 * p).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// One sample that summarises several rounds of the same thing: medians, and the sum of the errors.
pub fn middle(samples: &[Sample]) -> Sample {
    let of = |f: &dyn Fn(&Sample) -> f64| median(samples.iter().map(f));
    Sample {
        rate: of(&|s| s.rate),
        p50: Duration::from_secs_f64(of(&|s| s.p50.as_secs_f64())),
        p99: Duration::from_secs_f64(of(&|s| s.p99.as_secs_f64())),
        answered: samples.iter().map(|s| s.answered).sum(),
        errors: samples.iter().map(|s| s.errors).sum(),
        first_error: samples.iter().find_map(|s| s.first_error.clone()),
        client_bound: samples.iter().any(|s| s.client_bound),
        cpu: CpuPerCall {
            server: of(&|s| s.cpu.server),
            postgres: of(&|s| s.cpu.postgres),
            client: of(&|s| s.cpu.client),
        },
    }
}

/// A rate with a thin separator of thousands, and a decimal where the number is small.
pub fn rate(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A duration in milliseconds with three significant figures or so.
pub fn millis(value: Duration) -> String {
    let ms = value.as_secs_f64() * 1e3;
    match ms {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.0} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_even_and_none() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median([]), 0.0);
    }

    #[test]
    fn percentile_is_the_nearest_rank() {
        let sorted: Vec<u32> = (1..=100).collect();
        assert_eq!(percentile(&sorted, 0.50), 50);
        assert_eq!(percentile(&sorted, 0.99), 99);
        assert_eq!(percentile(&[7], 0.99), 7);
        assert_eq!(percentile(&[], 0.5), 0);
    }

    #[test]
    fn figures_read_well() {
        assert_eq!(rate(1_234_567.0), "1,234,567");
        assert_eq!(rate(9.96), "10.0");
        assert_eq!(millis(Duration::from_micros(1234)), "1.23 ms");
    }
}
