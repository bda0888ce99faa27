//! Outgoing messages: signed webhooks and e-mail.
//!
//! Everything here makes **one** attempt and returns how it went. When to try again, what a failure means for a lead
//! and where jobs are kept is not known here: no store, no queue, no schedule. The clock is the caller's too; only
//! durations are measured.
//!
//! - [`webhook`]: one call to an operator's URL, its body streamed, signed by [`signature`].
//! - [`signals`]: the bodies of the three signals (contract §4), piece by piece.
//! - [`link`]: signed links to photos, valid for a while.
//! - [`pass`]: signed tokens that open a form or a quote to their holder.
//! - [`fetch`]: one guarded fetch of a URL that came from outside.
//! - [`push`]: one message to a browser's push service, encrypted and signed.
//! - [`mail`]: one mail through the operator's server, and exactly whether it was taken.

pub mod body;
pub mod fetch;
pub mod link;
pub mod mail;
pub mod pass;
pub mod push;
pub mod signals;
pub mod signature;
mod text;
mod trust;
pub mod webhook;

pub use body::{Pieces, SignedBody, SourceError};
pub use fetch::{Allowed, FetchFailure, Fetcher, Rules};
pub use link::{InvalidLink, Links};
pub use mail::{Mail, MailMessage, MailOutcome};
pub use pass::{InvalidPass, Pass, Passes};
pub use push::{OutgoingPush, PushKey};
pub use signature::{InvalidSecret, Secrets};
pub use webhook::{AttemptClass, OutgoingSignal, WebhookAttempt, Webhooks};

/// A setting that cannot be used; the message says what to fix and shows no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetting(pub String);
