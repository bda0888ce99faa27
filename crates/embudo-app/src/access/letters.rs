//! Mails to people about their own account: the link for choosing a password, and what was changed.
//!
//! These mails do not go through the outbox. A job belongs to a lead, and the text of the mail would be readable in the
//! database and give access to a person's account. If a mail cannot be sent in a few attempts, the person can ask for
//! it again, or finds the change in the audit log.

use std::time::Duration;

use embudo_delivery::MailOutcome;
use embudo_domain::color::Color;
use embudo_domain::session::short_agent;
use embudo_domain::user::User;
use embudo_trace::{OpenSpan, Side};

use super::{Access, Origin};
use crate::App;
use crate::letter::{WrittenMail, button, page, paragraph};

/// Attempts at a mail, and the pause between them.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_secs(15);

const ASKED: &str = "Alguien, esperamos que tú, ha pedido elegir una contraseña nueva para el panel.";
const LIFE: &str = "El enlace vale una hora y una sola vez.";
const INVITATION_LIFE: &str =
    "El enlace vale siete días y una sola vez. Si no conoces a quien te invita, no hagas nada.";
const NOT_ASKED: &str = "Si no has sido tú, no hagas nada: tu contraseña sigue siendo la de siempre.";
const NOT_ME: &str = "Si no has sido tú, avisa cuanto antes a quien administra el panel.";

/// What changed in how a person signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecurityChange {
    PasswordReset,
    TotpOn,
    TotpOff,
    /// An administrator removed the second factor.
    TotpTaken,
}

impl SecurityChange {
    fn subject(self) -> &'static str {
        match self {
            Self::PasswordReset => "Tu contraseña ha cambiado",
            Self::TotpOn => "Has activado el segundo factor",
            Self::TotpOff | Self::TotpTaken => "Tu cuenta ya no tiene segundo factor",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::PasswordReset => {
                "Se ha elegido una contraseña nueva para tu cuenta del panel. Todas tus sesiones se han cerrado y la dirección de tu calendario ya no abre nada: si lo seguías desde otro programa, crea una nueva en «Mi cuenta»."
            }
            Self::TotpOn => {
                "El segundo factor está activado en tu cuenta del panel. Tus demás sesiones se han cerrado."
            }
            Self::TotpOff => {
                "El segundo factor se ha quitado de tu cuenta del panel. Tus demás sesiones se han cerrado."
            }
            Self::TotpTaken => {
                "Quien administra el panel ha quitado el segundo factor de tu cuenta. Todas tus sesiones se han cerrado."
            }
        }
    }
}

impl Access<'_> {
    /// Tells a person by mail, if mail is configured, what was changed in their account. No request waits for the mail.
    pub(super) fn tell_person(self, user: &User, change: SecurityChange, origin: &Origin) {
        if self.app.outbound.mail.is_none() {
            return;
        }
        let mut lines = vec![change.text().to_owned()];
        if let Some(ip) = origin.ip {
            lines.push(format!("Se hizo desde {ip} ({}).", short_agent(&origin.agent)));
        }
        lines.push(NOT_ME.to_owned());
        let (app, user) = (self.app.clone(), user.clone());
        embudo_trace::spawn(async move {
            let text = format!("Hola, {}:\n\n{}\n", user.nombre, lines.join("\n\n"));
            let greeting = paragraph(&format!("Hola, {}:", user.nombre));
            let body: String = lines.iter().map(|line| paragraph(line)).collect();
            let html = page(&format!("{greeting}{body}"), "Embudo", Color::DEFAULT);
            send(&app, &user, change.subject(), text, html).await;
        });
    }
}

/// Mails the link for choosing a new password.
pub(super) async fn send_link(app: &App, user: &User, path: &str) {
    let Some(links) = &app.outbound.links else { return };
    let url = format!("{}{path}", links.public_url);
    let text = format!("Hola, {}:\n\n{ASKED} Elígela aquí:\n{url}\n\n{LIFE}\n\n{NOT_ASKED}\n", user.nombre);
    let body = [
        paragraph(&format!("Hola, {}:", user.nombre)),
        paragraph(ASKED),
        button(&url, "Elegir contraseña", Color::DEFAULT.palette()),
        paragraph(LIFE),
        paragraph(NOT_ASKED),
    ];
    let html = page(&body.concat(), "Embudo", Color::DEFAULT);
    send(app, user, "Elige una contraseña nueva", text, html).await;
}

/// Mails a person the link for choosing their first password, or a new one.
pub(super) async fn send_invitation(app: &App, user: &User, by: &str, path: &str) {
    let Some(links) = &app.outbound.links else { return };
    let url = format!("{}{path}", links.public_url);
    let invited =
        format!("{by} te invita al panel. Elige tu contraseña para entrar con {}.", user.email.typed);
    let text = format!("Hola, {}:\n\n{invited}\n{url}\n\n{INVITATION_LIFE}\n", user.nombre);
    let body = [
        paragraph(&format!("Hola, {}:", user.nombre)),
        paragraph(&invited),
        button(&url, "Elegir contraseña", Color::DEFAULT.palette()),
        paragraph(INVITATION_LIFE),
    ];
    let html = page(&body.concat(), "Embudo", Color::DEFAULT);
    send(app, user, "Te invitan al panel", text, html).await;
}

async fn send(app: &App, user: &User, subject: &str, text: String, html: String) {
    let Some(mail) = &app.outbound.mail else { return };
    let written = WrittenMail { subject: subject.to_owned(), text, html };
    let message_id = (app.id().to_string(), app.now());
    let message = written.addressed(mail, mail.own_sender(), user.email.typed.clone(), message_id);
    for attempt in 1..=ATTEMPTS {
        let mut span = OpenSpan::start("letter", Side::Client);
        let outcome = mail.client.send(&message, async { Ok(()) }).await;
        span.record(|span| span.is_error = !matches!(outcome, MailOutcome::Sent(_)));
        drop(span);
        match outcome {
            MailOutcome::Sent(_) | MailOutcome::Doubtful(_) => return,
            MailOutcome::Temporary(failure) if attempt < ATTEMPTS => {
                tracing::info!(user = %user.id, %failure, attempt, "a letter about an account could not be mailed; it is tried again");
                tokio::time::sleep(PAUSE).await;
            }
            MailOutcome::Temporary(failure) | MailOutcome::Permanent(failure) => {
                tracing::warn!(user = %user.id, %failure, "a letter about an account could not be mailed");
                return;
            }
        }
    }
}
