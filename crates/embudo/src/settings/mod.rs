//! The settings: where they come from, what they mean, and how they are shown.
//!
//! Every setting is one entry of [`table`]; its type says how a text becomes a value. A setting is taken from the
//! first place that names it: flags, environment, `.env`, `embudo.toml`, default. Nothing here opens a socket, a
//! database or a log: loading reads two files and otherwise only what it is handed, so tests need no process
//! environment.

mod db_url;
mod def;
mod error;
mod flags;
mod mail;
mod outbox;
mod show;
mod size;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod url;
mod value;

pub use self::db_url::DatabaseUrl;
pub use self::error::{SettingsError, SettingsErrors};
pub use self::flags::Flags;
pub use self::mail::{Host, Mailbox, SmtpTls};
pub use self::outbox::{OnDoubt, WebhookSecrets};
pub use self::show::{Effective, markdown_table};
pub use self::table::Settings;
pub use self::url::{BaseUrl, BlobUrl, HttpUrl};
pub use self::value::{ApiKey, LogFilter, LogFormat, Secret};

use self::sources::{Reader, Sources};
use self::table::DEFS;
use std::collections::HashMap;
use std::num::NonZeroU16;
use std::path::Path;

/// The process environment as text, ready for [`Settings::load`].
///
/// A value that is not UTF-8 is kept with replacement characters, which the reader refuses by name.
pub fn process_env() -> HashMap<String, String> {
    std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect()
}

/// A mail server with all settings that are needed to use it (contract §4).
#[derive(Debug, Clone)]
pub struct Smtp<'a> {
    /// The server's name or address.
    pub host: &'a Host,
    pub port: NonZeroU16,
    /// How the connection is encrypted.
    pub tls: SmtpTls,
    /// User and password, where the server asks for them.
    pub login: Option<(&'a str, &'a Secret)>,
    /// The sender of the mail.
    pub from: &'a Mailbox,
}

impl Settings {
    /// Reads every setting, in the order of precedence flags, environment, `.env`, `embudo.toml`, default.
    ///
    /// `cwd` is where `.env` and `embudo.toml` are looked for. All faults are reported together.
    pub fn load(flags: &Flags, env: &HashMap<String, String>, cwd: &Path) -> Result<Self, SettingsErrors> {
        let (sources, mut errors) = Sources::collect(DEFS, flags, env, cwd);
        let mut reader = Reader::new(&sources);
        let settings = Self::read(&mut reader);
        errors.extend(reader.into_errors());
        match settings {
            Some(mut settings) => {
                settings.derive();
                errors.extend(settings.contradictions());
                if errors.is_empty() { Ok(settings) } else { Err(SettingsErrors(errors)) }
            }
            None => Err(SettingsErrors(errors)),
        }
    }

    /// The mail server, or `None` while host or sender is missing: then mail is not configured (contract §4).
    pub fn smtp(&self) -> Option<Smtp<'_>> {
        let (host, from) = (self.smtp_host.as_ref()?, self.email_from.as_ref()?);
        let login = self.smtp_user.as_deref().zip(self.smtp_password.as_ref());
        let tls = self.smtp_tls.unwrap_or_else(|| SmtpTls::for_port(self.smtp_port));
        Some(Smtp { host, port: self.smtp_port, tls, login, from })
    }

    /// Fills defaults that are computed from another setting.
    fn derive(&mut self) {
        self.smtp_tls.get_or_insert(SmtpTls::for_port(self.smtp_port));
    }

    /// Conflicts between settings that are each valid alone.
    fn contradictions(&self) -> Vec<SettingsError> {
        let mut found = Vec::new();
        let mut check = |wrong: bool, name: &'static str, problem: &str| {
            if wrong {
                found.push(SettingsError::between(name, problem, &self.source(name)));
            }
        };
        check(
            self.body_budget < self.max_body_ingesta.max(self.max_body_bot),
            "BODY_BUDGET",
            "is smaller than MAX_BODY_INGESTA or MAX_BODY_BOT, so the largest allowed body could never be read",
        );
        for (name, time) in
            [("LOOP_RENDERS_S", self.loop_renders_s), ("LOOP_FINALIZAR_S", self.loop_finalizar_s)]
        {
            check(time.is_zero(), name, "is 0, so every lead would be overdue at once");
        }
        check(
            self.smtp_user.is_some() != self.smtp_password.is_some(),
            if self.smtp_user.is_some() { "SMTP_USER" } else { "SMTP_PASSWORD" },
            "SMTP_USER and SMTP_PASSWORD must be set together, or neither",
        );
        check(
            self.s3_access_key_id.is_some() != self.s3_secret_access_key.is_some(),
            if self.s3_access_key_id.is_some() { "S3_ACCESS_KEY_ID" } else { "S3_SECRET_ACCESS_KEY" },
            "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together, or neither",
        );
        check(
            [Some(&self.blob_url), self.backup_dest.as_ref()]
                .into_iter()
                .flatten()
                .any(|url| matches!(url, BlobUrl::S3 { .. }))
                && !self.s3_allow_http
                && self.s3_endpoint.as_ref().is_some_and(HttpUrl::is_plain),
            "S3_ENDPOINT",
            "is plain http, which would send photos unencrypted; set S3_ALLOW_HTTP=true if that is meant",
        );
        check(
            self.backup_dest.as_ref().is_some_and(|dest| dest.is_same_place(&self.blob_url)),
            "BACKUP_DEST",
            "is where BLOB_URL keeps the photos in use, which old backups would take along when they go; name another folder or prefix",
        );
        found
    }
}
