//! The name, labels and meaning of every metric, in one table.
//!
//! Each crate counts what it does under a name from here; the binary describes all of them to the recorder, and tests
//! compare the table with `docs/operating.md` and with what a running server shows. Labels come from fixed lists and
//! from the table of routes, never from a caller. Nothing here knows how metrics are collected.

pub use metrics::{Counter, Gauge, Histogram};

use metrics::Label;

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    /// Its name in Prometheus' text format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    pub help: &'static str,
    /// The upper bounds of a histogram's buckets.
    pub buckets: &'static [f64],
}

/// Seconds of a request: from a lone command on a fast disk to the longest wait for storage.
const REQUEST_SECONDS: &[f64] = &[0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0];
/// Seconds of a transaction.
const COMMIT_SECONDS: &[f64] = &[0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];
/// Seconds of slow work: a delivery up to its time-out, a PDF up to its limit.
const SLOW_SECONDS: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Commands in a group, up to the most that go together.
const COMMANDS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

/// Writes the table once: a constant for each metric, and all of them in a list.
macro_rules! table {
    ($($name:ident = $kind:ident $text:literal [$($label:literal),*] $buckets:expr, $help:literal;)+) => {
        $(
            #[doc = $help]
            pub const $name: Metric =
                Metric { name: $text, kind: Kind::$kind, labels: &[$($label),*], help: $help, buckets: $buckets };
        )+

        /// Every metric.
        pub const ALL: &[Metric] = &[$($name),+];
    };
}

table! {
    HTTP_REQUESTS = Counter "embudo_http_requests_total" ["method", "route", "status"] &[],
        "HTTP requests answered; status 499 is a client that went away";
    HTTP_SECONDS = Histogram "embudo_http_request_seconds" ["method", "route", "class"] REQUEST_SECONDS,
        "Time to answer an HTTP request, by class of status (2xx to 5xx)";
    HTTP_IN_FLIGHT = Gauge "embudo_http_in_flight" [] &[],
        "HTTP requests being handled";
    JOBS = Gauge "embudo_jobs" ["kind", "state"] &[],
        "Jobs in the outbox of the whole database: pending (also for later or on hold), dead, parked";
    JOBS_DUE = Gauge "embudo_jobs_due" ["kind"] &[],
        "Jobs that are due and that nobody tries yet, without those on hold";
    JOBS_DUE_AGE = Gauge "embudo_jobs_due_age_seconds" ["kind"] &[],
        "How long the oldest of the due jobs has been due; 0 if there is none";
    JOB_ATTEMPTS = Counter "embudo_job_attempts_total" ["kind", "outcome"] &[],
        "Attempts at a job by what became of it: delivered, retried, dead, parked, discarded, expired, unknown (the end could not be stored)";
    JOB_SECONDS = Histogram "embudo_job_attempt_seconds" ["kind"] SLOW_SECONDS,
        "Time that an attempt at a job took";
    COMMIT_COMMANDS = Histogram "embudo_commit_commands" [] COMMANDS,
        "Commands that were committed together";
    COMMIT_SECONDS_TAKEN = Histogram "embudo_commit_seconds" [] COMMIT_SECONDS,
        "Time that a group of commands took, with its commit";
    PG_POOL_SIZE = Gauge "embudo_pg_pool_size" ["pool"] &[],
        "PostgreSQL connections of a pool; only on PostgreSQL";
    PG_POOL_IDLE = Gauge "embudo_pg_pool_idle" ["pool"] &[],
        "PostgreSQL connections of a pool that nobody uses; only on PostgreSQL";
    PG_POOL_WAITING = Gauge "embudo_pg_pool_waiting" ["pool"] &[],
        "Callers that wait for a connection of a pool; only on PostgreSQL";
    PDF_SECONDS = Histogram "embudo_pdf_seconds" ["outcome"] SLOW_SECONDS,
        "Time to draw a PDF, by outcome: drawn, failed";
    BLOB_BYTES = Counter "embudo_blob_bytes_total" ["operation"] &[],
        "Bytes of photos and PDFs, by operation: read, written";
    SIGN_INS = Counter "embudo_sign_ins_total" ["outcome"] &[],
        "Attempts to sign in to the panel: opened, needs_code, wrong_password, wrong_code, locked_out, failed";
    TASK_RESTARTS = Counter "embudo_task_restarts_total" ["task"] &[],
        "Restarts of a task after a panic";
    TRACE_SPANS = Counter "embudo_trace_spans_total" ["outcome"] &[],
        "Spans for OpenTelemetry: exported, dropped (too many waited), failed (the collector did not take them)";
    LOG_EVENTS = Counter "embudo_log_events_total" ["level"] &[],
        "Warnings and errors logged";
    BACKUP_MADE = Gauge "embudo_backup_timestamp_seconds" [] &[],
        "When the newest backup was made, in seconds since 1970; 0 if there is none; only with BACKUP_DEST";
    DATABASE_BYTES = Gauge "embudo_database_bytes" [] &[],
        "Size of the database";
    DISK_FREE = Gauge "embudo_data_dir_free_bytes" [] &[],
        "Space left on the disk of DATA_DIR";
    BUILD_INFO = Gauge "embudo_build_info" ["version", "engine"] &[],
        "Always 1; the labels tell version and storage engine";
    PROCESS_MEMORY = Gauge "process_resident_memory_bytes" [] &[],
        "Memory of the process";
    PROCESS_FILES = Gauge "process_open_fds" [] &[],
        "Open files of the process";
    PROCESS_MAX_FILES = Gauge "process_max_fds" [] &[],
        "Open files that the system allows the process";
    PROCESS_START = Gauge "process_start_time_seconds" [] &[],
        "When the process started, in seconds since 1970";
}

impl Metric {
    /// Tells the recorder the meaning of this metric.
    pub fn describe(&self) {
        match self.kind {
            Kind::Counter => metrics::describe_counter!(self.name, self.help),
            Kind::Gauge => metrics::describe_gauge!(self.name, self.help),
            Kind::Histogram => metrics::describe_histogram!(self.name, self.help),
        }
    }

    /// The counter for these values of its labels, in their order. Looking it up hashes and locks, so a caller that
    /// counts often should keep it. Without a recorder it counts nothing.
    pub fn counter(&self, values: &[&str]) -> Counter {
        metrics::counter!(self.name, self.labelled(values))
    }

    /// The gauge for these values; see `counter`.
    pub fn gauge(&self, values: &[&str]) -> Gauge {
        metrics::gauge!(self.name, self.labelled(values))
    }

    /// The histogram for these values; see `counter`.
    pub fn histogram(&self, values: &[&str]) -> Histogram {
        metrics::histogram!(self.name, self.labelled(values))
    }

    fn labelled(&self, values: &[&str]) -> Vec<Label> {
        debug_assert_eq!(self.labels.len(), values.len(), "{}", self.name);
        self.labels.iter().zip(values).map(|(name, value)| Label::new(*name, (*value).to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_prometheus_wants_them() {
        for metric in ALL {
            let is_total = metric.name.ends_with("_total");
            assert_eq!(
                metric.kind == Kind::Counter,
                is_total,
                "{}: counters alone end in _total",
                metric.name
            );
            assert_eq!(metric.kind == Kind::Histogram, !metric.buckets.is_empty(), "{}", metric.name);
            assert!(metric.buckets.is_sorted(), "{}", metric.name);
            let ours = metric.name.starts_with("embudo_") || metric.name.starts_with("process_");
            assert!(ours && !metric.help.is_empty() && !metric.help.ends_with('.'), "{}", metric.name);
            assert_eq!(ALL.iter().filter(|other| other.name == metric.name).count(), 1, "{}", metric.name);
        }
    }
}
