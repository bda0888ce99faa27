//! The S3 side: settings, time-outs, retries. It knows nothing of photos.

use std::fmt;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use crate::error::BlobError;

/// Where the bucket is and how to enter it.
#[derive(Clone)]
pub struct S3Config {
    /// The bucket's name.
    pub bucket: String,
    /// Goes before every object's name; may be empty.
    pub prefix: String,
    /// The server, such as `https://s3.example.org`; none is Amazon's own for the region.
    pub endpoint: Option<String>,
    /// The region; servers that have none take any, usually `us-east-1`.
    pub region: String,
    /// The access key. Without it and the secret the machine's own role is used.
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
    /// The name of the place in messages.
    pub(crate) fn place(&self) -> String {
        format!("s3://{}/{}", self.bucket, self.prefix.trim_matches('/')).trim_end_matches('/').to_owned()
    }

    /// What goes before every object's name.
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
        // reqwest is built without a TLS provider of its own; it does not matter which caller installs one first.
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
            // Several S3-compatible servers lack the bulk call; single deletions work on all of them.
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
        // The builder's own text may repeat a setting's value, so it is not passed on.
        builder.build().map_err(|_| BlobError::Settings("the S3 settings cannot be used".to_owned()))
    }
}

/// How long S3 is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Somebody waits: an outage must become a 503 in seconds, and the client of the API repeats its call anyway.
    Short,
    /// A backup: nobody waits, and a slow line or a server that starts anew is no reason to begin from the start.
    Long,
}

/// Time for one whole operation of the patient, retries included.
pub(crate) const LIMIT_PATIENT: Duration = Duration::from_secs(20 * 60);

impl Patience {
    /// The time for one operation, where somebody who waits would give it so much.
    pub(crate) fn limit(self, short: Duration) -> Duration {
        match self {
            Self::Short => short,
            Self::Long => LIMIT_PATIENT,
        }
    }

    /// The time for one request.
    fn request(self) -> Duration {
        match self {
            Self::Short => Duration::from_secs(30),
            Self::Long => Duration::from_secs(10 * 60),
        }
    }

    fn retry(self) -> RetryConfig {
        let (waits, max_retries, retry_timeout) = match self {
            Self::Short => ((Duration::from_millis(100), Duration::from_secs(1)), 3, Duration::from_secs(5)),
            // Minutes without a server; a request that breaks off late is sent again too.
            Self::Long => {
                ((Duration::from_secs(1), Duration::from_secs(20)), 24, Duration::from_secs(15 * 60))
            }
        };
        // Each wait is drawn between the first wait and four times the last one: with twice the waits would not grow.
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
