//! What the binary tells the panel about the installation; the pages do not know settings, logs or backups themselves.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use embudo_domain::Timestamp;

/// Looks at the installation. It writes nothing, and bounds every wait by itself.
pub type LookAtInstallation =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = InstallationState> + Send>> + Send + Sync>;

/// How the installation is.
#[derive(Debug, Clone)]
pub struct InstallationState {
    pub version: &'static str,
    /// The database's name for people.
    pub engine: &'static str,
    /// Where photos and PDFs are kept.
    pub blobs: BlobPlace,
    pub started: Timestamp,
    pub backups: Backups,
    /// What `embudo doctor` says, without what writes or asks other machines.
    pub checks: Vec<Check>,
    /// The last warnings and errors of this process, the newest first. They hold no personal data.
    pub logged: Vec<Logged>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobPlace {
    Folder,
    S3,
}

/// Backups that are made by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backups {
    /// None are.
    Off,
    /// Where they lie does not answer.
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
    /// English, as on the command line.
    pub detail: String,
    /// What to do about it.
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
    /// An error; else a warning.
    pub is_error: bool,
    /// Which part of the program it is from.
    pub target: String,
    pub text: String,
}
