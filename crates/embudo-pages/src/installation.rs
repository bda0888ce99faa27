//! The state of the installation, which the binary reports to the panel. The pages themselves read no settings, logs or
//! backups.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use embudo_domain::Timestamp;

/// Examines the installation. The function must not write anything, and must set a time limit on each of its own waits.
pub type LookAtInstallation =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = InstallationState> + Send>> + Send + Sync>;

/// The state of the installation.
#[derive(Debug, Clone)]
pub struct InstallationState {
    pub version: &'static str,
    /// The name of the database engine, as people write it.
    pub engine: &'static str,
    /// Where photos and PDFs are kept.
    pub blobs: BlobPlace,
    pub started: Timestamp,
    pub backups: Backups,
    /// The results of `embudo doctor`, without the checks that write or that ask other machines.
    pub checks: Vec<Check>,
    /// The last warnings and errors of this process, the newest first. They hold no personal data.
    pub logged: Vec<Logged>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobPlace {
    Folder,
    S3,
}

/// The state of the automatic backups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backups {
    /// No automatic backups are configured.
    Off,
    /// The place where the backups are kept does not answer.
    Unknown,
    On {
        last: Option<Timestamp>,
        every: Duration,
    },
}

/// A line of `embudo doctor`.
#[derive(Debug, Clone)]
pub struct Check {
    pub name: &'static str,
    pub result: CheckResult,
    /// The result in English, as the command line prints it.
    pub detail: String,
    /// How to correct a bad result, if the check can say it.
    pub mend: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckResult {
    Ok,
    Warning,
    Failed,
    NotConfigured,
}

/// A line of the log.
#[derive(Debug, Clone)]
pub struct Logged {
    pub at: Timestamp,
    /// True for an error, false for a warning.
    pub is_error: bool,
    /// The part of the program that wrote the line.
    pub target: String,
    pub text: String,
}
