//! What went wrong in a command or query, and which of the trait's errors that is.

use std::error::Error as _;

use deadpool_postgres::PoolError;
use embudo_store::StoreError;
use tokio_postgres::Error;

/// A failed step: either the answer of the command itself, or PostgreSQL's.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command's own answer (no such lead, …).
    Store(StoreError),
    /// PostgreSQL refused, or could not be asked. Nothing was committed.
    Pg(Error),
    /// The server says itself that it does not write.
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
        // A statement that cannot be prepared comes as an error of the backend too, and is judged like any other.
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
    /// Whether doing it again may go well at once: the connection was a dead one, or two commands met.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Pg(error) => matches!(kind(error), Kind::Lost | Kind::Conflict),
            Self::ReadOnly => true,
            Self::Store(_) => false,
        }
    }

    /// Whether the connection is to a standby, or to a primary that was one a moment ago. So are others, most likely.
    pub(crate) fn is_read_only(&self) -> bool {
        match self {
            Self::Pg(error) => error.code().is_some_and(|code| code.code() == READ_ONLY),
            Self::ReadOnly => true,
            Self::Store(_) => false,
        }
    }

    /// Whether somebody held what it needs for longer than one turn lasts. Nothing was written.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self, Self::Pg(error) if kind(error) == Kind::Held)
    }
}

/// What a server that does not write says to a write.
const READ_ONLY: &str = "25006";

/// What an error of PostgreSQL means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The connection is of no use any more: closed, or to a server that does not (or no longer) write.
    Lost,
    /// Two commands met; the server chose this one to step back.
    Conflict,
    /// The server is there and cannot do it now: disk full, out of memory, too slow.
    Unable,
    /// A row that it needs is held by somebody's long transaction.
    Held,
    /// The statement itself is refused.
    Refused,
}

/// Judges an error.
pub(crate) fn kind(error: &Error) -> Kind {
    let Some(code) = error.code() else {
        let io = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
        return if error.is_closed() || io.is_some() { Kind::Lost } else { Kind::Refused };
    };
    match code.code() {
        "40001" | "40P01" => Kind::Conflict,
        // Another connection may reach the new primary.
        READ_ONLY => Kind::Lost,
        // Ended by the server's own clock while idle or in a transaction.
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

/// The error of an attempt to connect: whatever it is, a later one may go well.
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
