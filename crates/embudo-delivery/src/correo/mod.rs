//! One mail through the operator's server, and the honest answer whether it was taken.
//!
//! lettre writes the message and the commands. Its connection would report one that broke while the message was being sent and
//! one that broke after it with the same error, has no time-outs, and leaves no moment between the message and its last line, which
//! is where a mail becomes doubtful. So the line is ours, and the conversation is driven here, step by step.

mod conexion;
mod conversacion;
mod line;
mod mensaje;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use conexion::{Ajustes, Tls};
pub use mensaje::{Adjunto, Mensaje};

use conexion::Conexiones;

use crate::AjusteInvalido;

/// What became of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resultado {
    /// The server took it: its final 2xx, with the text of the reply.
    Enviado(String),
    /// This recipient or this message is refused: it is pointless to try again.
    Permanente(Fallo),
    /// It was not taken; it may be tried again.
    Temporal(Fallo),
    /// All of it was sent and the reply never came: the server may have taken it or not.
    Dudoso(Fallo),
}

/// Where and why a mail failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallo {
    /// How far it came.
    pub fase: Fase,
    /// The server's reply code, where it replied.
    pub codigo: Option<u16>,
    /// The server's words or ours, in a line.
    pub texto: String,
}

impl fmt::Display for Fallo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.fase)?;
        if let Some(codigo) = self.codigo {
            write!(f, "{codigo} ")?;
        }
        f.write_str(&self.texto)
    }
}

/// The steps of sending a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fase {
    /// Writing the message.
    Mensaje,
    /// Connecting, TLS and greeting.
    Conexion,
    /// User and password.
    Autenticacion,
    /// `MAIL FROM`.
    Remitente,
    /// `RCPT TO`.
    Destinatario,
    /// `DATA` and the message itself.
    Contenido,
    /// The reply to the end of the message.
    Final,
}

impl fmt::Display for Fase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mensaje => "mensaje",
            Self::Conexion => "conexión",
            Self::Autenticacion => "autenticación",
            Self::Remitente => "remitente",
            Self::Destinatario => "destinatario",
            Self::Contenido => "contenido",
            Self::Final => "respuesta final",
        })
    }
}

/// The mail client with its idle connections. Cheap to clone.
#[derive(Clone)]
pub struct Correo {
    conexiones: Arc<Conexiones>,
    conversation_timeout: Duration,
}

impl fmt::Debug for Correo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Correo").finish_non_exhaustive()
    }
}

impl Correo {
    /// Prepares the client; nothing is sent yet.
    pub fn new(ajustes: Ajustes) -> Result<Self, AjusteInvalido> {
        let conversation_timeout = ajustes.conversation_timeout;
        Ok(Self { conexiones: Arc::new(Conexiones::new(ajustes)?), conversation_timeout })
    }

    /// Makes one attempt. `before_end` is done when all but the message's last line was sent, which is the moment from which on
    /// the server may take it; if it fails, that line is not sent and the mail may be tried again.
    pub async fn send(
        &self,
        mensaje: &Mensaje,
        before_end: impl Future<Output = Result<(), String>>,
    ) -> Resultado {
        match mensaje.escribir() {
            Ok(escrito) => {
                conversacion::send(&self.conexiones, &escrito, before_end, self.conversation_timeout).await
            }
            Err(texto) => Resultado::Permanente(Fallo { fase: Fase::Mensaje, codigo: None, texto }),
        }
    }

    /// Connects, greets and authenticates, and sends nothing: whether the settings work.
    pub async fn probar(&self) -> Result<(), Fallo> {
        conversacion::probar(&self.conexiones, self.conversation_timeout).await
    }
}
