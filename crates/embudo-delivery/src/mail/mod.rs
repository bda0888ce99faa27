//! Sends one mail through the operator's server, and says exactly whether the server took it.
//!
//! lettre writes the message and the commands. Its own connection is not used: it reports the same error whether the
//! connection broke while the message was being sent or after it, it has no time-outs, and it offers no step between
//! the message and its last line, which is where a mail becomes doubtful. So the connection is ours, and the
//! conversation is driven here, step by step.

mod connection;
mod dialogue;
mod hitch;
mod line;
mod message;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use connection::{SmtpSettings, Tls};
pub use message::{MailAttachment, MailCalendar, MailMessage};

use connection::Connections;

use crate::InvalidSetting;

/// The result of sending a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailOutcome {
    /// The server took it: its final reply was 2xx; with the text of that reply.
    Sent(String),
    /// The server refuses this recipient or this message: trying again is pointless.
    Permanent(Failure),
    /// It was not taken; it may be tried again.
    Temporary(Failure),
    /// The whole message was sent but no reply came: the server may have taken it or not.
    Doubtful(Failure),
}

/// Where and why a mail failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The step that failed.
    pub phase: Phase,
    /// The server's reply code, where it replied.
    pub code: Option<u16>,
    /// The text of the server or ours, as one line.
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.phase)?;
        if let Some(code) = self.code {
            write!(f, "{code} ")?;
        }
        f.write_str(&self.text)
    }
}

/// The steps of sending a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Message,
    /// Connecting, TLS and greeting.
    Connection,
    Authentication,
    /// `MAIL FROM`.
    Sender,
    /// `RCPT TO`.
    Recipient,
    /// `DATA` and the message itself.
    Content,
    /// The reply to the end of the message.
    Final,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Message => "mensaje",
            Self::Connection => "conexión",
            Self::Authentication => "autenticación",
            Self::Sender => "remitente",
            Self::Recipient => "destinatario",
            Self::Content => "contenido",
            Self::Final => "respuesta final",
        })
    }
}

/// The mail client with its idle connections. Cheap to clone.
#[derive(Clone)]
pub struct Mail {
    connections: Arc<Connections>,
    conversation_timeout: Duration,
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Correo").finish_non_exhaustive()
    }
}

impl Mail {
    /// Prepares the client; nothing is sent yet.
    pub fn new(settings: SmtpSettings) -> Result<Self, InvalidSetting> {
        let conversation_timeout = settings.conversation_timeout;
        Ok(Self { connections: Arc::new(Connections::new(settings)?), conversation_timeout })
    }

    /// The server's host.
    pub fn host(&self) -> &str {
        self.connections.host()
    }

    /// Makes one attempt. `before_end` runs when all but the message's last line was sent; after that line the server
    /// may take the message. If `before_end` fails, the last line is not sent and the mail may be tried again.
    pub async fn send(
        &self,
        message: &MailMessage,
        before_end: impl Future<Output = Result<(), String>>,
    ) -> MailOutcome {
        match message.write() {
            Ok(written) => {
                dialogue::send(&self.connections, &written, before_end, self.conversation_timeout).await
            }
            Err(text) => MailOutcome::Permanent(Failure { phase: Phase::Message, code: None, text }),
        }
    }

    /// Checks whether the settings work: connects, greets and authenticates, and sends no mail.
    pub async fn probe(&self) -> Result<(), Failure> {
        dialogue::probe(&self.connections, self.conversation_timeout).await
    }
}
