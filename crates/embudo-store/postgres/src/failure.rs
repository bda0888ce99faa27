//! What went wrong in a command or query, and which of the trait's errors it becomes.

use std::error::Error as _;

use deadpool_postgres::PoolError;
use embudo_store::StoreError;
use tokio_postgres::Error;

/// A failed step: either the result of the command itself, or an error of PostgreSQL.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A result of the command itself (no such lead, …).
    Store(StoreError),
    /// PostgreSQL refused, or could not be reached. Nothing was committed.
    Pg(Error),
    /// The server says itself that it does not accept writes.
    ReadOnly,
}

/// The result of one step inside a command.
pub(crate) type Step<T> = Result<T, Failure>;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Pg(error)
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        // A statement that cannot be prepared also comes as an error of the backend, and is judged like any other
        // error.
        match error {
            PoolError::Backend(error) if error.code().is_some() => Self::Pg(error),
            PoolError::Backend(error) => Self::Store(unreachable_error(&error)),
            PoolError::Timeout(_) => Self::Store(StoreError::Unavailable("no connection came free".into())),
            other => Self::Store(StoreError::Unavailable(other.to_string())),
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error,
            Failure::Pg(error) => store_error(&error),
            Failure::ReadOnly => Self::Unavailable("the server is read-only".into()),
        }
    }
}

impl Failure {
    /// Whether another try may succeed at once: the connection was dead, or two commands had a conflict.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Pg(error) => matches!(kind(error), Kind::Lost | Kind::Conflict),
            Self::ReadOnly => true,
            Self::Store(_) => false,
        }
    }

    /// Whether the connection is to a standby, or to a primary that became one a moment ago. Other connections most
    /// likely are, too.
    pub(crate) fn is_read_only(&self) -> bool {
        match self {
            Self::Pg(error) => error.code().is_some_and(|code| code.code() == READ_ONLY),
            Self::ReadOnly => true,
            Self::Store(_) => false,
        }
    }

    /// Whether another transaction held a lock that the command needs for longer than the lock time-out. Nothing was
    /// written.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self, Self::Pg(error) if kind(error) == Kind::Held)
    }
}

/// The error code of a server that does not accept writes.
const READ_ONLY: &str = "25006";

/// What an error of PostgreSQL means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The connection is useless: closed, or to a server that does not (or no longer) accept writes.
    Lost,
    /// Two commands had a conflict; the server chose this one as the victim.
    Conflict,
    /// The server answers but cannot run the statement now: disk full, out of memory, too slow.
    Unable,
    /// Another transaction has locked a row that the statement needs.
    Held,
    /// The statement itself is refused.
    Refused,
}

/// Finds the kind of an error.
pub(crate) fn kind(error: &Error) -> Kind {
    let Some(code) = error.code() else {
        let io = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
        return if error.is_closed() || io.is_some() { Kind::Lost } else { Kind::Refused };
    };
    match code.code() {
        "40001" | "40P01" => Kind::Conflict,
        // Another connection may reach the new primary.
        READ_ONLY => Kind::Lost,
        // The server ended the session: its transaction was idle, or lasted, for too long.
        "25P03" | "25P04" => Kind::Lost,
        // Lock time-out, statement time-out.
        "55P03" => Kind::Held,
        "57014" => Kind::Unable,
        c if c.starts_with("08") || c.starts_with("57P") => Kind::Lost,
        c if c.starts_with("53") || c.starts_with("58") => Kind::Unable,
        _ => Kind::Refused,
    }
}

/// The trait's error. PostgreSQL's detail and hint stay out: they quote values.
pub(crate) fn store_error(error: &Error) -> StoreError {
    match kind(error) {
        Kind::Refused => StoreError::Internal(message(error)),
        _ => StoreError::Unavailable(message(error)),
    }
}

/// The error of a failed connection: whatever the reason, a later attempt may succeed.
pub(crate) fn unreachable_error(error: &Error) -> StoreError {
    StoreError::Unavailable(message(error))
}

fn message(error: &Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}
