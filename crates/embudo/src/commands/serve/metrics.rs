//! The metrics' recorder: collects what the crates count and writes Prometheus' text.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::Arc;
use std::time::Duration;

/// Recorded values wait in buckets of their own until somebody sorts them in; unsorted they only grow.
const UPKEEP: Duration = Duration::from_secs(5);

/// Seconds: from a lone command on a fast disk to a delivery that runs into its time-out.
const BUCKETS: &[f64] =
    &[0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// The recorder in force.
pub struct Metrics {
    /// Writes the page.
    pub render: Arc<dyn Fn() -> String + Send + Sync>,
    handle: PrometheusHandle,
}

/// Installs the recorder. Handles made before are deaf, so it comes before the router.
pub fn install() -> Result<Metrics, BuildError> {
    let builder =
        PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), BUCKETS)?;
    let handle = builder.install_recorder()?;
    let page = handle.clone();
    Ok(Metrics { render: Arc::new(move || page.render()), handle })
}

impl Metrics {
    /// Sorts recorded values in, for ever.
    pub async fn keep(&self) {
        let mut turn = tokio::time::interval(UPKEEP);
        loop {
            turn.tick().await;
            self.handle.run_upkeep();
        }
    }
}
