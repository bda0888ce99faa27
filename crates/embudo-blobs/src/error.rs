//! The errors of storage, distinguished by what the caller must do.
//!
//! Texts are made from error kinds and status codes, never from a server's answer or a URL: an S3 error body repeats
//! the access key and the signed string, and an endpoint may contain a password.

use std::error::Error as _;
use std::io::ErrorKind;

use object_store::client::{HttpError, HttpErrorKind};

/// Why bytes could not be stored, read or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// There are no such bytes.
    #[error("the photo's bytes are not there")]
    Missing,
    /// The storage is unavailable now (full disk, no connection, time-out, refused credentials). A later attempt may
    /// succeed, so the caller answers 503.
    #[error("photo storage {place}: {reason}; {mend}")]
    Unavailable {
        /// The folder, or `s3://bucket/prefix`.
        place: String,
        reason: String,
        /// What a person can do about it.
        mend: &'static str,
    },
    /// The settings cannot be used at all, or a depot's file name is invalid. A later attempt fails too.
    #[error("photo storage: {0}")]
    Settings(String),
}

impl BlobError {
    /// Classifies an error of `object_store`.
    pub(crate) fn of_store(place: &str, error: &object_store::Error) -> Self {
        let code = s3_code(&error.to_string());
        if matches!(error, object_store::Error::NotFound { .. }) && code.as_deref() != Some("NoSuchBucket") {
            return Self::Missing;
        }
        let (reason, mend) = diagnose(error, code.as_deref());
        Self::Unavailable { place: place.to_owned(), reason, mend }
    }

    /// An error of our own file operations.
    pub(crate) fn of_io(place: &str, error: &std::io::Error) -> Self {
        let (reason, mend) = diagnose_io(error);
        Self::Unavailable { place: place.to_owned(), reason, mend }
    }

    /// There was no answer within the time limit of the operation.
    pub(crate) fn timed_out(place: &str) -> Self {
        Self::Unavailable {
            place: place.to_owned(),
            reason: "no answer in time".to_owned(),
            mend: MEND_NETWORK,
        }
    }

    /// For a write, "not there" cannot be the caller's mistake, so it means that the storage is missing.
    pub(crate) fn never_missing(self, place: &str) -> Self {
        match self {
            Self::Missing => Self::Unavailable {
                place: place.to_owned(),
                reason: "the folder or the bucket is gone".to_owned(),
                mend: "mount or create it again",
            },
            other => other,
        }
    }
}

const MEND_NETWORK: &str = "check the endpoint and the network between here and there";
const MEND_RIGHTS: &str = "give the service's user the right to read and write there";

fn diagnose(error: &object_store::Error, code: Option<&str>) -> (String, &'static str) {
    let mut http = None;
    let mut io = None;
    let mut link = error.source();
    while let Some(cause) = link {
        http = http.or(cause.downcast_ref::<HttpError>());
        io = io.or(cause.downcast_ref::<std::io::Error>());
        link = cause.source();
    }
    if let Some(http) = http {
        let what = match http.kind() {
            HttpErrorKind::Connect => "no connection",
            HttpErrorKind::Timeout => "no answer in time",
            HttpErrorKind::Interrupted => "the connection broke off",
            _ => "the request could not be made",
        };
        let reason = io.map_or_else(|| what.to_owned(), |io| format!("{what} ({io})"));
        return (reason, MEND_NETWORK);
    }
    if let Some(io) = io {
        return diagnose_io(io);
    }
    let answer = |what: &str| code.map_or_else(|| what.to_owned(), |code| format!("{what} ({code})"));
    match error {
        object_store::Error::NotFound { .. } => {
            (answer("the bucket does not exist"), "create the bucket or correct its name")
        }
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            (answer("access refused"), "check the access key, its secret and the bucket's policy")
        }
        _ => (answer("the server answered with an error"), "look into the storage server's own log"),
    }
}

fn diagnose_io(error: &std::io::Error) -> (String, &'static str) {
    let mend = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free or add space on that disk",
        ErrorKind::PermissionDenied => MEND_RIGHTS,
        ErrorKind::ReadOnlyFilesystem => "mount the disk for writing",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::NotFound => {
            "check that the path is a folder and that its disk is mounted"
        }
        _ => "check the disk and the system's log",
    };
    (error.to_string(), mend)
}

/// The code of an S3 error answer, such as `NoSuchBucket`: the only part of the body that is safe to log.
fn s3_code(text: &str) -> Option<String> {
    let code = text.split_once("<Code>")?.1.split_once("</Code>")?.0;
    let plain = code.len() <= 64 && code.bytes().all(|b| b.is_ascii_alphanumeric());
    plain.then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_s3_answer_is_reduced_to_its_code() {
        let body =
            "403: <Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKIA</AWSAccessKeyId></Error>";
        let error = object_store::Error::PermissionDenied {
            path: "leads/x".to_owned(),
            source: body.to_owned().into(),
        };
        let text = BlobError::of_store("s3://fotos", &error).to_string();
        assert!(text.contains("SignatureDoesNotMatch"), "{text}");
        assert!(!text.contains("AKIA"), "{text}");
        assert_eq!(s3_code("<Code>a b</Code>"), None);
    }

    #[test]
    fn a_full_disk_says_so() {
        let full = std::io::Error::from(ErrorKind::StorageFull);
        let error = object_store::Error::Generic { store: "LocalFileSystem", source: Box::new(full) };
        let BlobError::Unavailable { mend, .. } = BlobError::of_store("/datos", &error) else {
            panic!("a full disk may be fixed");
        };
        assert_eq!(mend, "free or add space on that disk");
    }
}
