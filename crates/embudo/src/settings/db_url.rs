//! Where the records are kept: a SQLite file or a PostgreSQL server. Nothing is opened here.

use super::url::redact;
use super::value::Value;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// The engine and where it is.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// The file of a SQLite database.
    Sqlite(PathBuf),
    /// The address of a PostgreSQL database, password included.
    Postgres(String),
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show().unwrap_or_default())
    }
}

impl Value for DatabaseUrl {
    fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return postgres(text);
        }
        // What follows `sqlite://` is a path as it is, so that the default works whatever DATA_DIR is called.
        match text.strip_prefix("sqlite://") {
            Some("") => {
                Err("names no file; write sqlite:///absolute/path or sqlite://relative/path".to_owned())
            }
            Some(path) if path.contains("?mode=") || path.contains("?cache=") => {
                Err("holds options after a ?, which are not used here; write only the path".to_owned())
            }
            Some(":memory:") => Err("would forget everything at the end; name a file".to_owned()),
            Some(path) => Ok(Self::Sqlite(PathBuf::from(path))),
            None => Err("is neither sqlite://<path> nor postgres://user:password@host/database".to_owned()),
        }
    }

    fn show(&self) -> Option<String> {
        Some(match self {
            Self::Sqlite(path) => format!("sqlite://{}", path.display()),
            Self::Postgres(url) => redact(url),
        })
    }

    fn echo(text: &str) -> Option<String> {
        Some(redact(text))
    }
}

fn postgres(text: &str) -> Result<DatabaseUrl, String> {
    let config: tokio_postgres::Config = text.parse().map_err(|error: tokio_postgres::Error| {
        let cause = error.source().map(ToString::to_string).unwrap_or_else(|| error.to_string());
        format!("is not a PostgreSQL address: {cause}")
    })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err("names no host".to_owned());
    }
    Ok(DatabaseUrl::Postgres(text.to_owned()))
}
