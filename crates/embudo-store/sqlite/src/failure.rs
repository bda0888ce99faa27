//! What went wrong in a command or query, and which of the trait's errors it becomes.

use embudo_store::StoreError;
use rusqlite::ErrorCode;

/// A failed step: either the result of the command itself, or an error of SQLite.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A result of the command itself (no such lead, …).
    Store(StoreError),
    Sqlite(rusqlite::Error),
}

/// The result of one step inside a command.
pub(crate) type Step<T> = Result<T, Failure>;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error,
            Failure::Sqlite(error) => store_error(&error),
        }
    }
}

/// Conditions that pass by themselves or that an operator fixes are `Unavailable`; the rest is a defect.
pub(crate) fn store_error(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::FileLockingProtocolFailed,
        ) => StoreError::Unavailable(error.to_string()),
        _ => StoreError::Internal(error.to_string()),
    }
}

/// Whether only waiting helps: another connection has the lock, or there is no space. The connection itself is usable.
pub(crate) fn is_passing(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull)
    )
}
