//! Where the records are stored: a SQLite file or a PostgreSQL server. Nothing is opened here.

use super::url::redact;
use super::value::Value;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// The engine, and the file or address of the database.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// The file of a SQLite database.
    Sqlite(PathBuf),
    /// The address of a PostgreSQL database, password included.
    Postgres(String),
}

impl DatabaseUrl {
    /// Parses an address that is an argument of a command.
    pub fn of_argument(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }
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
        // The text after `sqlite://` is a path without escaping, so that the default works with any DATA_DIR.
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
    let config: tokio_postgres::Config =
        for_the_driver(text)?.parse().map_err(|error: tokio_postgres::Error| {
            let cause = error.source().map(ToString::to_string).unwrap_or_else(|| error.to_string());
            format!("is not a PostgreSQL address: {cause}")
        })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err("names no host".to_owned());
    }
    Ok(DatabaseUrl::Postgres(text.to_owned()))
}

/// The address without the parameters that the driver does not read: the store itself reads those about certificates
/// (`sslmode`, `sslrootcert`).
fn for_the_driver(text: &str) -> Result<String, String> {
    const MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
    let Some((address, query)) = text.split_once('?') else { return Ok(text.to_owned()) };
    let mut others = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", mode)) if MODES.contains(&mode) => {}
            Some(("sslmode", _)) => {
                return Err(format!("holds an sslmode that is not one of {}", MODES.join(", ")));
            }
            Some(("sslrootcert", _)) => {}
            _ => others.push(pair),
        }
    }
    Ok(if others.is_empty() { address.to_owned() } else { format!("{address}?{}", others.join("&")) })
}
