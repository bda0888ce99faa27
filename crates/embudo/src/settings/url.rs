//! Settings that are addresses: webhooks, the public address, the place for photos. No name is resolved here.

use super::value::{Value, parts};
use axum::http::uri::Authority;
use std::fmt;
use std::path::{Path, PathBuf};
use url::Url;

/// An `http` or `https` address with a host. Credentials in it are not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpUrl(Url);

impl HttpUrl {
    /// The address, credentials included.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// Whether the address is without encryption.
    pub fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }
}

impl fmt::Debug for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact(self.0.as_str()))
    }
}

impl Value for HttpUrl {
    fn parse(text: &str) -> Result<Self, String> {
        let problem = "is not an http or https address with a host";
        let url = Url::parse(text).map_err(|_| problem.to_owned())?;
        // The parser would silently correct `http:/host` and `http:host`, but the typing mistake should be reported.
        let slashes = text.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//"));
        let sound = matches!(url.scheme(), "http" | "https") && url.has_host() && slashes;
        if sound { Ok(Self(url)) } else { Err(problem.to_owned()) }
    }

    fn show(&self) -> Option<String> {
        Some(redact(self.0.as_str()))
    }

    fn echo(text: &str) -> Option<String> {
        Some(redact(text))
    }
}

/// The address at which the server is reached, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// The address; `format!("{base}/api/…")` gives a correct URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host of the address, without its port.
    pub fn host(&self) -> Option<String> {
        Url::parse(&self.0).ok()?.host_str().map(str::to_owned)
    }
}

impl Value for BaseUrl {
    fn parse(text: &str) -> Result<Self, String> {
        let HttpUrl(url) = HttpUrl::parse(text)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must end before any ? or #".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a user or password".to_owned());
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    fn show(&self) -> Option<String> {
        Some(self.0.clone())
    }

    fn echo(text: &str) -> Option<String> {
        HttpUrl::echo(text)
    }
}

/// A host in the form of a `Host` header: a name or an address, with or without a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpHost(String);

impl McpHost {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value for Vec<McpHost> {
    fn parse(text: &str) -> Result<Self, String> {
        let host = |part: &str| {
            let sound =
                part.parse::<Authority>().is_ok_and(|host| !host.host().is_empty()) && !part.contains('@');
            if sound {
                Ok(McpHost(part.to_owned()))
            } else {
                Err(format!("«{part}» is not a host such as leads.example.com"))
            }
        };
        parts(text).map(host).collect()
    }

    fn show(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.iter().map(McpHost::as_str).collect::<Vec<_>>().join(", "))
    }
}

/// Where the photos' bytes are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobUrl {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A bucket, and the prefix of every key in it (no slash at either end, may be empty).
    S3 {
        /// The bucket's name.
        bucket: String,
        /// The text with which every key begins.
        prefix: String,
    },
}

impl BlobUrl {
    /// Parses a place that is an argument of a command: an address, or the path of a folder.
    pub fn of_argument(text: &str) -> Result<Self, String> {
        if text.contains("://") {
            return Self::parse(text).map_err(|problem| format!("«{}» {problem}", redact(text)));
        }
        if text.is_empty() {
            Err("a folder needs a name".to_owned())
        } else {
            Ok(Self::Folder(PathBuf::from(text)))
        }
    }

    /// Whether both mean the same folder, or the same prefix of a bucket.
    pub fn is_same_place(&self, other: &Self) -> bool {
        let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => {
                one == other || matches!((real(one), real(other)), (Ok(one), Ok(other)) if one == other)
            }
            _ => self == other,
        }
    }
}

impl Value for BlobUrl {
    fn parse(text: &str) -> Result<Self, String> {
        // The text after `file://` is a path without escaping, so that the default works with any DATA_DIR.
        if let Some(path) = text.strip_prefix("file://").filter(|path| !path.is_empty()) {
            return Ok(Self::Folder(PathBuf::from(path)));
        }
        if let Some(rest) = text.strip_prefix("s3://") {
            let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
            let named = bucket.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
            if !bucket.is_empty() && named && !prefix.contains(['?', '#']) {
                let prefix = prefix.trim_matches('/').to_owned();
                return Ok(Self::S3 { bucket: bucket.to_owned(), prefix });
            }
        }
        Err("is neither file://<folder> nor s3://bucket/prefix".to_owned())
    }

    fn show(&self) -> Option<String> {
        Some(match self {
            Self::Folder(path) => format!("file://{}", path.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => format!("s3://{bucket}"),
            Self::S3 { bucket, prefix } => format!("s3://{bucket}/{prefix}"),
        })
    }

    fn echo(text: &str) -> Option<String> {
        Some(redact(text))
    }
}

/// Hides possible secrets in an address, even if it cannot be parsed: the password, and values in the query that may be
/// secret.
pub fn redact(text: &str) -> String {
    let (address, query) =
        text.split_once('?').map_or((text, None), |(address, query)| (address, Some(query)));
    let (address, at_in_query) = match query {
        // If a password contains an unescaped `?`, the `@` comes after it: everything up to the `@` is hidden.
        Some(query) if query.contains('@') && !address.contains('@') => (text, true),
        _ => (address, false),
    };
    let mut shown = match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, rest)), Some((_, host))) => {
            let end_of_user = rest.find([':', '@']).unwrap_or(0);
            let hidden = if rest[end_of_user..].starts_with(':') { ":••••" } else { "" };
            format!("{scheme}://{}{hidden}@{host}", &rest[..end_of_user])
        }
        (None, Some((_, host))) => format!("••••@{host}"),
        _ => address.to_owned(),
    };
    if let Some(query) = query.filter(|_| !at_in_query) {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if is_telling(name) => format!("{name}=••••"),
            _ => pair.to_owned(),
        });
        shown = format!("{shown}?{}", pairs.collect::<Vec<_>>().join("&"));
    }
    shown
}

fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "pwd", "token", "secret", "key", "sig", "auth"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_are_hidden_also_where_the_address_is_wrong() {
        for (text, shown) in [
            ("https://a.es/x", "https://a.es/x"),
            ("postgres://u:geheim@h/db?sslmode=require", "postgres://u:••••@h/db?sslmode=require"),
            ("postgres://h/db?password=geheim&user=u", "postgres://h/db?password=••••&user=u"),
            ("postgres://u:geh/e@im@h/db", "postgres://u:••••@h/db"),
            ("postgres://u:geh?eim@h/db", "postgres://u:••••@h/db"),
            ("mysql:u:geheim@h", "••••@h"),
            ("https://u@h/x?api_key=geheim", "https://u@h/x?api_key=••••"),
        ] {
            assert_eq!(redact(text), shown);
        }
    }
}
