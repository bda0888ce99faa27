//! The SMTP conversation of one mail, and what each way of ending it means.
//!
//! Until the line with the single dot is sent, the server cannot have taken the message: whatever breaks is
//! [`Resultado::Temporal`]. From then on only a reply tells; without one it is [`Resultado::Dudoso`].

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::commands::{Data, Mail, Quit, Rcpt};
use lettre::transport::smtp::extension::{MailBodyParameter, MailParameter};
use tokio::time::timeout;

use super::conexion::{Conexion, Conexiones};
use super::line::{Causa, Line, Reply, silent};
use super::mensaje::Escrito;
use super::{Fallo, Fase, Resultado};

/// How much of a message is written at once.
const TROZO: usize = 64 * 1024;
/// A server that has refused a mail gets this long to say goodbye.
const DESPEDIDA: Duration = Duration::from_secs(1);

/// A step that failed.
pub(super) struct Tropiezo {
    pub fase: Fase,
    pub error: Causa,
}

/// Sends a written message within this time. `before_end` is done when all but the message's last line was sent; if it fails,
/// that line is not sent.
pub(super) async fn send(
    conexiones: &Conexiones,
    escrito: &Escrito,
    before_end: impl Future<Output = Result<(), String>>,
    tiempo: Duration,
) -> Resultado {
    let terminado = AtomicBool::new(false);
    match timeout(tiempo, conversar(conexiones, escrito, before_end, &terminado)).await {
        Ok(resultado) => resultado,
        Err(_) => sin_respuesta(&terminado, silent(tiempo)),
    }
}

/// Connects and authenticates within this time.
pub(super) async fn probar(conexiones: &Conexiones, tiempo: Duration) -> Result<(), Fallo> {
    let agotado = || Fallo { fase: Fase::Conexion, codigo: None, texto: silent(tiempo) };
    let con = timeout(tiempo, conexiones.conectar()).await.map_err(|_| agotado())?;
    goodbye(con.map_err(Tropiezo::fallo)?.line).await;
    Ok(())
}

async fn conversar(
    conexiones: &Conexiones,
    escrito: &Escrito,
    before_end: impl Future<Output = Result<(), String>>,
    terminado: &AtomicBool,
) -> Resultado {
    let mut con = match conexiones.tomar().await {
        Ok(con) => con,
        Err(tropiezo) => return tropiezo.resultado(),
    };
    if let Err(tropiezo) = presentar(&mut con, escrito).await {
        return despedir(con, tropiezo).await;
    }
    match hand_over(&mut con.line, &escrito.bytes, before_end, terminado).await {
        Ok(reply) if reply.code < 300 => {
            conexiones.devolver(con);
            Resultado::Enviado(reply.to_string())
        }
        // A 3xx has no meaning here, and so says nothing about the message.
        Ok(reply) => sin_respuesta(terminado, format!("respuesta inesperada: {reply}")),
        Err(error @ Causa::Refused(_)) => despedir(con, Tropiezo { fase: Fase::Final, error }).await,
        Err(Causa::Propia(texto) | Causa::Imposible(texto)) => sin_respuesta(terminado, texto),
    }
}

/// Sends the message, and its last line once `before_end` is done.
async fn hand_over(
    line: &mut Line,
    bytes: &[u8],
    before_end: impl Future<Output = Result<(), String>>,
    terminado: &AtomicBool,
) -> Result<Reply, Causa> {
    for piece in with_doubled_dots(bytes).chunks(TROZO) {
        line.write(piece).await?;
    }
    before_end.await.map_err(Causa::Propia)?;
    // From here on the server may take the message.
    terminado.store(true, Ordering::SeqCst);
    line.write(if bytes.ends_with(b"\r\n") { b".\r\n" } else { b"\r\n.\r\n" }).await?;
    line.reply().await
}

/// A line that begins with a dot gets a second one, which the server takes away: a dot alone is the end.
fn with_doubled_dots(bytes: &[u8]) -> Vec<u8> {
    let mut doubled = Vec::with_capacity(bytes.len() + 16);
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        if line.starts_with(b".") {
            doubled.push(b'.');
        }
        doubled.extend_from_slice(line);
    }
    doubled
}

/// Everything up to the server's "go ahead" for the message itself.
async fn presentar(con: &mut Conexion, escrito: &Escrito) -> Result<(), Tropiezo> {
    let en = |fase| move |error| Tropiezo { fase, error };
    let mail = Mail::new(Some(escrito.from.clone()), mail_parameters(con, escrito)?);
    let line = &mut con.line;
    line.command(mail).await.map_err(en(Fase::Remitente))?;
    line.command(Rcpt::new(escrito.to.clone(), Vec::new())).await.map_err(en(Fase::Destinatario))?;
    let reply = line.command(Data).await.map_err(en(Fase::Contenido))?;
    if reply.code != 354 {
        let texto = format!("respuesta inesperada a DATA: {reply}");
        return Err(Tropiezo { fase: Fase::Contenido, error: Causa::Propia(texto) });
    }
    Ok(())
}

fn mail_parameters(con: &Conexion, escrito: &Escrito) -> Result<Vec<MailParameter>, Tropiezo> {
    let mut parameters = Vec::new();
    let no_puede = |fase, texto: &str| Tropiezo { fase, error: Causa::Imposible(texto.to_owned()) };
    if !is_ascii(&escrito.to) || !is_ascii(&escrito.from) {
        if !con.offers("SMTPUTF8") {
            let texto = "la dirección tiene letras fuera de ASCII y el servidor no ofrece SMTPUTF8";
            return Err(no_puede(Fase::Destinatario, texto));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !escrito.bytes.is_ascii() {
        if !con.offers("8BITMIME") {
            return Err(no_puede(Fase::Contenido, "el servidor no ofrece 8BITMIME"));
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(parameters)
}

fn is_ascii(address: &Address) -> bool {
    AsRef::<str>::as_ref(address).is_ascii()
}

fn sin_respuesta(terminado: &AtomicBool, texto: String) -> Resultado {
    if terminado.load(Ordering::SeqCst) {
        return Resultado::Dudoso(Fallo { fase: Fase::Final, codigo: None, texto });
    }
    Resultado::Temporal(Fallo { fase: Fase::Contenido, codigo: None, texto })
}

/// A connection after a refusal is not used again; the server hears a goodbye if it still listens.
async fn despedir(con: Conexion, tropiezo: Tropiezo) -> Resultado {
    if matches!(tropiezo.error, Causa::Refused(_)) {
        goodbye(con.line).await;
    }
    tropiezo.resultado()
}

async fn goodbye(mut line: Line) {
    let _ = timeout(DESPEDIDA, line.command(Quit)).await;
}

impl Tropiezo {
    /// A 5xx ends a mail only from `RCPT` on, where it speaks of this recipient or this message. Before it speaks of us: a changed
    /// password or a sender that is not allowed yet must not end every mail of the day.
    fn resultado(self) -> Resultado {
        let is_of_this_mail = matches!(self.fase, Fase::Destinatario | Fase::Contenido | Fase::Final);
        let is_permanent = match &self.error {
            Causa::Refused(reply) => reply.code >= 500 && is_of_this_mail,
            Causa::Propia(_) => false,
            Causa::Imposible(_) => true,
        };
        if is_permanent { Resultado::Permanente(self.fallo()) } else { Resultado::Temporal(self.fallo()) }
    }

    fn fallo(self) -> Fallo {
        let Self { fase, error } = self;
        match error {
            Causa::Refused(reply) => Fallo { fase, codigo: Some(reply.code), texto: reply.text() },
            Causa::Propia(texto) | Causa::Imposible(texto) => Fallo { fase, codigo: None, texto },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_doubled_where_a_line_begins() {
        assert_eq!(with_doubled_dots(b".a\r\nb.\r\n.\r\n..c"), b"..a\r\nb.\r\n..\r\n...c");
        assert_eq!(with_doubled_dots(b""), b"");
    }
}
