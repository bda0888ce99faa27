//! The SMTP conversation of one mail, and what each way of ending it means.
//!
//! Until the line with the single dot has left, the server cannot have taken the message: whatever breaks is
//! [`Resultado::Temporal`]. From then on only a reply tells; without one it is [`Resultado::Dudoso`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::{Response, Severity};
use tokio::time::timeout;

use super::conexion::Conexiones;
use super::mensaje::Escrito;
use super::{Fallo, Fase, Resultado};
use crate::texto::line;

/// How much of a message is written at once.
const TROZO: usize = 64 * 1024;
/// A server that has refused a mail gets this long to say goodbye.
const DESPEDIDA: Duration = Duration::from_secs(1);

/// A step that failed.
pub(super) struct Tropiezo {
    pub fase: Fase,
    pub error: Causa,
}

/// Why.
pub(super) enum Causa {
    /// lettre or the server.
    Smtp(Error),
    /// The server cannot do what the mail needs; trying again may find it mended.
    Propia(String),
    /// The server can never carry this mail.
    Imposible(String),
}

impl From<Error> for Causa {
    fn from(error: Error) -> Self {
        Self::Smtp(error)
    }
}

pub(super) fn propio(texto: &str) -> Causa {
    Causa::Propia(texto.to_owned())
}

/// Sends a written message within this time.
pub(super) async fn send(conexiones: &Conexiones, escrito: &Escrito, tiempo: Duration) -> Resultado {
    let terminado = AtomicBool::new(false);
    match timeout(tiempo, conversar(conexiones, escrito, &terminado)).await {
        Ok(resultado) => resultado,
        Err(_) => {
            let texto = format!("el servidor no contestó en {} s", tiempo.as_secs_f32());
            sin_respuesta(&terminado, texto)
        }
    }
}

/// Connects and authenticates within this time.
pub(super) async fn probar(conexiones: &Conexiones, tiempo: Duration) -> Result<(), Fallo> {
    let agotado = || Fallo {
        fase: Fase::Conexion,
        codigo: None,
        texto: format!("el servidor no contestó en {} s", tiempo.as_secs_f32()),
    };
    let con = timeout(tiempo, conexiones.conectar()).await.map_err(|_| agotado())?;
    let mut con = con.map_err(Tropiezo::fallo)?;
    let _ = timeout(DESPEDIDA, con.quit()).await;
    Ok(())
}

async fn conversar(conexiones: &Conexiones, escrito: &Escrito, terminado: &AtomicBool) -> Resultado {
    let mut con = match conexiones.tomar().await {
        Ok(con) => con,
        Err(tropiezo) => return tropiezo.resultado(),
    };
    if let Err(tropiezo) = presentar(&mut con, escrito).await {
        return despedir(con, tropiezo.resultado()).await;
    }
    match con.message_iter(trozos(&escrito.bytes, terminado)).await {
        Ok(reply) if reply.code().severity == Severity::PositiveCompletion => {
            conexiones.devolver(con);
            Resultado::Enviado(reply_text(&reply))
        }
        // A 3xx has no meaning here, and so says nothing about the message.
        Ok(reply) => sin_respuesta(terminado, format!("respuesta inesperada: {}", reply_text(&reply))),
        Err(error) if error.status().is_some() => {
            let tropiezo = Tropiezo { fase: Fase::Final, error: error.into() };
            despedir(con, tropiezo.resultado()).await
        }
        Err(error) => sin_respuesta(terminado, describe(&error)),
    }
}

/// Everything up to the server's "go ahead" for the message itself.
async fn presentar(con: &mut AsyncSmtpConnection, escrito: &Escrito) -> Result<(), Tropiezo> {
    let en = |fase| move |e: Error| Tropiezo { fase, error: e.into() };
    let mail = Mail::new(Some(escrito.from.clone()), mail_parameters(con, escrito)?);
    con.command(mail).await.map_err(en(Fase::Remitente))?;
    con.command(Rcpt::new(escrito.to.clone(), Vec::new())).await.map_err(en(Fase::Destinatario))?;
    let reply = con.command(Data).await.map_err(en(Fase::Contenido))?;
    if !reply.has_code(354) {
        let texto = format!("respuesta inesperada a DATA: {}", reply_text(&reply));
        return Err(Tropiezo { fase: Fase::Contenido, error: Causa::Propia(texto) });
    }
    Ok(())
}

fn mail_parameters(con: &AsyncSmtpConnection, escrito: &Escrito) -> Result<Vec<MailParameter>, Tropiezo> {
    let mut parameters = Vec::new();
    let no_puede = |fase, texto: &str| Tropiezo { fase, error: Causa::Imposible(texto.to_owned()) };
    if !is_ascii(&escrito.to) || !is_ascii(&escrito.from) {
        if !con.server_info().supports_feature(Extension::SmtpUtfEight) {
            let texto = "la dirección tiene letras fuera de ASCII y el servidor no ofrece SMTPUTF8";
            return Err(no_puede(Fase::Destinatario, texto));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !escrito.bytes.is_ascii() {
        if !con.server_info().supports_feature(Extension::EightBitMime) {
            return Err(no_puede(Fase::Contenido, "el servidor no ofrece 8BITMIME"));
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(parameters)
}

fn is_ascii(address: &Address) -> bool {
    AsRef::<str>::as_ref(address).is_ascii()
}

/// The message in pieces. When the next one is asked for and there is none, all before it have been written and the
/// line with the single dot is next: from here on the server may take the message.
fn trozos<'a>(bytes: &'a [u8], terminado: &'a AtomicBool) -> impl Iterator<Item = &'a [u8]> + Send {
    let mut partes = bytes.chunks(TROZO);
    std::iter::from_fn(move || {
        let parte = partes.next();
        if parte.is_none() {
            terminado.store(true, Ordering::SeqCst);
        }
        parte
    })
}

fn sin_respuesta(terminado: &AtomicBool, texto: String) -> Resultado {
    if terminado.load(Ordering::SeqCst) {
        return Resultado::Dudoso(Fallo { fase: Fase::Final, codigo: None, texto });
    }
    Resultado::Temporal(Fallo { fase: Fase::Contenido, codigo: None, texto })
}

/// A connection after a refusal is not used again; the server hears a goodbye if it still listens.
async fn despedir(mut con: AsyncSmtpConnection, resultado: Resultado) -> Resultado {
    let respondio =
        matches!(&resultado, Resultado::Permanente(f) | Resultado::Temporal(f) if f.codigo.is_some());
    if respondio && !con.has_broken() {
        let _ = timeout(DESPEDIDA, con.quit()).await;
    }
    resultado
}

impl Tropiezo {
    fn resultado(self) -> Resultado {
        let permanente = match &self.error {
            Causa::Smtp(error) => error.is_permanent(),
            Causa::Propia(_) => false,
            Causa::Imposible(_) => true,
        };
        if permanente { Resultado::Permanente(self.fallo()) } else { Resultado::Temporal(self.fallo()) }
    }

    fn fallo(self) -> Fallo {
        let Self { fase, error } = self;
        match error {
            Causa::Smtp(error) => {
                let codigo = error.status().map(u16::from);
                Fallo { fase, codigo, texto: describe(&error) }
            }
            Causa::Propia(texto) | Causa::Imposible(texto) => Fallo { fase, codigo: None, texto },
        }
    }
}

fn reply_text(reply: &Response) -> String {
    let lines: Vec<&str> = reply.message().collect();
    line(&format!("{} {}", reply.code(), lines.join(" ")), 300)
}

/// The server's words where it replied, else the innermost cause.
fn describe(error: &Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    match inner.to_string() {
        // lettre's words for a connection that ended where a reply was due.
        texto if texto == "incomplete response" => "el servidor cerró la conexión sin contestar".to_owned(),
        texto if error.is_response() => {
            line(&format!("el servidor contestó algo que no se entiende ({texto})"), 300)
        }
        texto => line(&texto, 300),
    }
}
