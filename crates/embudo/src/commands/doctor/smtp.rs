//! A short conversation with the mail server: greeting, encryption, login, goodbye. No mail is begun.

use super::storage::fault;
use super::{Check, Fault, Found, within};
use crate::outbound;
use crate::settings::{Settings, SmtpTls};
use embudo_delivery::mail::{Failure, Phase, SmtpSettings};
use std::time::Duration;

/// How long the conversation may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether the mail server accepts our login.
pub async fn check(settings: &Settings) -> Check {
    const NAME: &str = "SMTP";
    if settings.smtp().is_none() {
        let missing = match (&settings.smtp_host, &settings.email_from) {
            (Some(_), None) => "EMAIL_FROM is not set: no mail is sent",
            (None, Some(_)) => "SMTP_HOST is not set: no mail is sent",
            _ => "no mail is sent",
        };
        return Check::absent(NAME, missing);
    }
    Check::of(NAME, within(talk(settings)).await)
}

async fn talk(settings: &Settings) -> Found {
    let (Some(smtp), Some(mail_settings)) =
        (settings.smtp(), outbound::mail_server(settings).map_err(fault)?)
    else {
        return Ok("no mail is sent".to_owned());
    };
    let at = format!("{}:{}", mail_settings.host, mail_settings.port);
    let mail_settings =
        SmtpSettings { connect_timeout: PATIENCE, conversation_timeout: PATIENCE, ..mail_settings };
    let mail = outbound::mail_client(settings, mail_settings).map_err(fault)?;
    mail.probe().await.map_err(|failure| refused(&at, &failure))?;
    let encrypted = if smtp.tls == SmtpTls::None { "not encrypted" } else { "encrypted" };
    let login = if smtp.login.is_some() { "login accepted" } else { "no login" };
    Ok(format!("{at} answers, {encrypted}, {login}"))
}

fn refused(at: &str, failure: &Failure) -> Fault {
    let mend = match failure.phase {
        Phase::Authentication => {
            "check SMTP_USER and SMTP_PASSWORD, and that SMTP_TLS is as the server wants it"
        }
        _ => "check SMTP_HOST, SMTP_PORT and SMTP_TLS, and SMTP_CA_FILE for an own authority",
    };
    Fault::new(format!("{at}: {failure}"), mend)
}
