//! The metrics' recorder: collects what the crates count and writes Prometheus' text.

use embudo_domain::job::JobKind;
use embudo_metrics::{
    ALL, BLOB_BYTES, BUILD_INFO, DISK_FREE, JOB_ATTEMPTS, Kind, LOG_EVENTS, Metric, PDF_SECONDS,
    PROCESS_FILES, PROCESS_MAX_FILES, PROCESS_MEMORY, PROCESS_START, SIGN_INS, TRACE_SPANS,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often the recorder's buffer is emptied into the histograms: it grows with every recorded value.
const UPKEEP: Duration = Duration::from_secs(5);

/// The installed recorder.
pub struct Metrics {
    /// Renders the metrics page.
    pub render: Arc<dyn Fn() -> String + Send + Sync>,
    handle: PrometheusHandle,
}

/// Installs the recorder. This must happen before the storage is opened: handles of metrics that were made earlier
/// record nothing.
pub fn install(engine: &str, data_dir: &Path) -> Result<Metrics, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for metric in ALL.iter().filter(|metric| metric.kind == Kind::Histogram) {
        builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), metric.buckets)?;
    }
    let handle = builder.install_recorder()?;
    ALL.iter().for_each(Metric::describe);
    begin(engine);
    let (page, data_dir) = (handle.clone(), data_dir.to_owned());
    let render = move || {
        measure_process(&data_dir);
        page.render()
    };
    Ok(Metrics { render: Arc::new(render), handle })
}

/// Starts counters at 0: a rate can only be computed if the counter existed before it rose.
fn begin(engine: &str) {
    BUILD_INFO.gauge(&[env!("CARGO_PKG_VERSION"), engine]).set(1.0);
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    PROCESS_START.gauge(&[]).set(started.as_secs_f64());
    for kind in JobKind::ALL {
        for outcome in ["delivered", "retried", "dead", "parked"] {
            JOB_ATTEMPTS.counter(&[kind.as_str(), outcome]).increment(0);
        }
    }
    for outcome in ["opened", "needs_code", "wrong_password", "wrong_code", "locked_out", "failed"] {
        SIGN_INS.counter(&[outcome]).increment(0);
    }
    for outcome in ["exported", "dropped", "failed"] {
        TRACE_SPANS.counter(&[outcome]).increment(0);
    }
    for operation in ["read", "written"] {
        BLOB_BYTES.counter(&[operation]).increment(0);
    }
    for level in ["WARN", "ERROR"] {
        LOG_EVENTS.counter(&[level]).increment(0);
    }
    for outcome in ["drawn", "failed"] {
        drop(PDF_SECONDS.histogram(&[outcome]));
    }
}

/// Measures the process when the page is requested, with a few small reads. Values that the system does not provide
/// stay as they were.
fn measure_process(data_dir: &PathBuf) {
    if let Some(bytes) = fs::read_to_string("/proc/self/status").ok().as_deref().and_then(resident_bytes) {
        PROCESS_MEMORY.gauge(&[]).set(bytes);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        PROCESS_FILES.gauge(&[]).set(open.count() as f64);
    }
    if let Ok((most, _)) = rlimit::Resource::NOFILE.get() {
        PROCESS_MAX_FILES.gauge(&[]).set(most as f64);
    }
    if let Ok(space) = rustix::fs::statvfs(data_dir) {
        DISK_FREE.gauge(&[]).set(space.f_bavail.saturating_mul(space.f_frsize) as f64);
    }
}

/// The bytes in a line such as `VmRSS: 1234 kB`.
fn resident_bytes(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0)
}

impl Metrics {
    /// Empties the buffers from time to time, for ever.
    pub async fn keep(&self) {
        let mut turn = tokio::time::interval(UPKEEP);
        loop {
            turn.tick().await;
            self.handle.run_upkeep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_system() {
        assert_eq!(resident_bytes("Name:\tembudo\nVmRSS:\t    2048 kB\nThreads:\t4\n"), Some(2_097_152.0));
        assert_eq!(resident_bytes("Name:\tembudo\n"), None);
    }
}
