//! S3: settings, time-outs, retries. This module knows nothing about photos.

use std::fmt;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use crate::error::BlobError;

/// The location of the bucket and the credentials for it.
#[derive(Clone)]
pub struct S3Config {
    /// The bucket's name.
    pub bucket: String,
    /// The prefix of every object's name; may be empty.
    pub prefix: String,
    /// The server, such as `https://s3.example.org`; if absent, Amazon's own server for the region.
    pub endpoint: Option<String>,
    /// The region. Servers without regions accept any, usually `us-east-1`.
    pub region: String,
    /// The access key. If the key and its secret are absent, the machine's own role is used.
    pub access_key_id: Option<String>,
    /// The secret that belongs to the access key.
    pub secret_access_key: Option<String>,
    /// Whether an endpoint without TLS may be used.
    pub allow_http: bool,
}

/// Hides both halves of the key, so that the settings can be logged.
impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |value: &Option<String>| value.as_ref().map(|_| "***");
        f.debug_struct("S3Config")
            .field("bucket", &self.bucket)
            .field("prefix", &self.prefix)
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .field("access_key_id", &hidden(&self.access_key_id))
            .field("secret_access_key", &hidden(&self.secret_access_key))
            .field("allow_http", &self.allow_http)
            .finish()
    }
}

impl S3Config {
    /// The name of the place, for messages.
    pub(crate) fn place(&self) -> String {
        format!("s3://{}/{}", self.bucket, self.prefix.trim_matches('/')).trim_end_matches('/').to_owned()
    }

    /// The prefix of every object's name.
    pub(crate) fn base(&self) -> Result<Path, BlobError> {
        Path::parse(self.prefix.trim_matches('/'))
            .map_err(|_| BlobError::Settings("the S3 prefix is not a valid object name".to_owned()))
    }

    /// A client; nothing is sent yet.
    pub(crate) fn connect(&self, patience: Patience) -> Result<AmazonS3, BlobError> {
        if self.bucket.is_empty() {
            return Err(BlobError::Settings(
                "the S3 address names no bucket (s3://bucket/prefix)".to_owned(),
            ));
        }
        if let Some(endpoint) = &self.endpoint {
            check_endpoint(endpoint, self.allow_http)?;
        }
        // reqwest is built without a TLS provider, so one is installed here. It does not matter which caller does it
        // first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = ClientOptions::new()
            .with_allow_http(self.allow_http)
            .with_connect_timeout(Duration::from_secs(3))
            .with_timeout(patience.request());
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.bucket)
            .with_region(&self.region)
            .with_client_options(client)
            .with_retry(patience.retry())
            // Several S3-compatible servers lack bulk deletion; single deletions work on all of them.
            .with_disable_bulk_delete(true);
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
        }
        match (&self.access_key_id, &self.secret_access_key) {
            (Some(id), Some(secret)) => {
                builder = builder.with_access_key_id(id).with_secret_access_key(secret);
            }
            (None, None) => {}
            _ => {
                let text = "the S3 access key and its secret must be set together";
                return Err(BlobError::Settings(text.to_owned()));
            }
        }
        // The builder's own message may contain the value of a setting, so it is not passed on.
        builder.build().map_err(|_| BlobError::Settings("the S3 settings cannot be used".to_owned()))
    }
}

/// How long to wait for S3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// A person or client is waiting: an outage must become a 503 within seconds, and the client of the API repeats its
    /// call anyway.
    Short,
    /// A backup: nobody is waiting, and a slow connection or a restarting server is no reason to begin again from the
    /// start.
    Long,
}

/// The time limit of one whole operation with long time-outs, including retries.
pub(crate) const LIMIT_PATIENT: Duration = Duration::from_secs(20 * 60);

impl Patience {
    /// The time limit of one operation; `short` is its limit while a client is waiting.
    pub(crate) fn limit(self, short: Duration) -> Duration {
        match self {
            Self::Short => short,
            Self::Long => LIMIT_PATIENT,
        }
    }

    /// The time limit of one request.
    fn request(self) -> Duration {
        match self {
            Self::Short => Duration::from_secs(30),
            Self::Long => Duration::from_secs(10 * 60),
        }
    }

    fn retry(self) -> RetryConfig {
        let (waits, max_retries, retry_timeout) = match self {
            Self::Short => ((Duration::from_millis(100), Duration::from_secs(1)), 3, Duration::from_secs(5)),
            // These retries outlast minutes without a server. A request that fails late is sent again too.
            Self::Long => {
                ((Duration::from_secs(1), Duration::from_secs(20)), 24, Duration::from_secs(15 * 60))
            }
        };
        // Each wait is random between the first wait and four times the last one. With a factor of two the waits would
        // hardly grow.
        let backoff = BackoffConfig { init_backoff: waits.0, max_backoff: waits.1, base: 4.0 };
        RetryConfig { backoff, max_retries, retry_timeout }
    }
}

fn check_endpoint(endpoint: &str, allow_http: bool) -> Result<(), BlobError> {
    let bad = |text: &str| Err(BlobError::Settings(format!("the S3 endpoint {text}")));
    let Ok(url) = reqwest::Url::parse(endpoint) else { return bad("is not a URL") };
    if !url.username().is_empty() || url.password().is_some() {
        return bad("must not carry a user or password: use the access key settings");
    }
    match url.scheme() {
        "https" => Ok(()),
        "http" if allow_http => Ok(()),
        "http" => bad("is plain http, which is not allowed by the settings"),
        _ => bad("must be an http or https URL"),
    }
}
