//! How the harness fails.

/// A failure of the harness is shown to a person and ends the run, so a text is all it needs.
pub type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;
