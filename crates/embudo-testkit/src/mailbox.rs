//! A mail server that misbehaves to order.
//!
//! A real SMTP server on a free loopback port: in the clear, with STARTTLS or under TLS from the first byte, with
//! authentication if wanted. It keeps every message whole, also those that it never acknowledged.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use crate::script::Script;
use crate::stream::{Certificate, Stream};

mod session;

/// How a connection or a message is treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Treatment {
    /// Everything is taken.
    Acepta,
    /// The connection is reset at once.
    RstAlConectar,
    /// This line instead of the greeting, and the connection is closed.
    Saludo(&'static str),
    /// No greeting until [`Mailbox::soltar`].
    SinSaludo,
    /// This reply to `MAIL FROM`.
    Mail(&'static str),
    /// This reply to `RCPT TO`.
    Rcpt(&'static str),
    /// This reply to `DATA`.
    Data(&'static str),
    /// The connection is closed in the middle of the message.
    CierraEnContenido,
    /// This reply to the end of the message, which is not kept.
    Fin(&'static str),
    /// The message is kept, and the reply waits for [`Mailbox::soltar`].
    CuelgaTrasData,
    /// The message is not kept, and the connection is closed without a reply.
    CierraTrasData,
    /// The message is kept, and the connection is closed without a reply.
    AceptaYCierra,
    /// The message is acknowledged, and the connection is closed behind it.
    ConfirmaYCierra,
}

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Not at all.
    Ninguno,
    /// Offered as an upgrade.
    Starttls,
    /// From the first byte.
    Tls,
}

/// A server to be started.
pub struct MailboxSetup {
    /// Encryption.
    pub cifrado: Encryption,
    /// Its certificate, for the address where it listens.
    pub certificado: Certificate,
    /// User and password that it demands.
    pub credenciales: Option<(String, String)>,
    /// The mechanisms that it offers.
    pub mecanismos: &'static str,
    /// Whether it takes addresses beyond ASCII.
    pub smtputf8: bool,
}

impl MailboxSetup {
    /// The usual server with this encryption.
    pub fn con(cifrado: Encryption) -> Self {
        Self {
            cifrado,
            certificado: Certificate::para("127.0.0.1"),
            credenciales: None,
            mecanismos: "PLAIN LOGIN",
            smtputf8: true,
        }
    }

    /// Starts it.
    pub async fn arrancar(self) -> Mailbox {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let direccion = listener.local_addr().unwrap();
        let ca_pem = self.certificado.ca_pem.clone();
        let script = Arc::new(Script::new(Treatment::Acepta));
        let (came, connections) = watch::channel(0);
        let tarea = tokio::spawn(accept(listener, Arc::new(self), Arc::clone(&script), came));
        Mailbox { direccion, ca_pem, script, connections, tarea: tarea.abort_handle() }
    }
}

/// A message that came whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Which connection it came by, counted from 0.
    pub conexion: usize,
    /// The envelope's sender.
    pub from: String,
    /// The envelope's recipients.
    pub to: Vec<String>,
    /// The message as sent, without the doubled dots.
    pub datos: String,
    /// Who authenticated.
    pub usuario: Option<String>,
    /// Whether it came encrypted.
    pub cifrada: bool,
}

impl Message {
    /// The headers, unfolded: each on a line of its own.
    pub fn cabeceras(&self) -> Vec<String> {
        let cabeza = self.datos.split("\r\n\r\n").next().unwrap_or_default();
        cabeza.replace("\r\n ", " ").replace("\r\n\t", " ").split("\r\n").map(str::to_owned).collect()
    }

    /// A header's value.
    pub fn cabecera(&self, nombre: &str) -> Option<String> {
        let es = |linea: &String| linea.split_once(':').is_some_and(|(n, _)| n.eq_ignore_ascii_case(nombre));
        self.cabeceras().into_iter().find(es).map(|l| l[nombre.len() + 1..].trim().to_owned())
    }

    /// The subject as a person reads it.
    pub fn asunto(&self) -> String {
        let crudo = self.cabecera("Subject").unwrap_or_default();
        // Between two encoded words a space is no space.
        let crudo = crudo.replace("?= =?", "?==?");
        let mut leido = String::new();
        let mut resto = crudo.as_str();
        while let Some((antes, palabra)) = resto.split_once("=?utf-8?b?") {
            let (base64, despues) = palabra.split_once("?=").expect("an encoded word has its end");
            leido += antes;
            leido += &de_base64(base64);
            resto = despues;
        }
        leido + resto
    }

    /// The first part of this type, decoded.
    pub fn parte(&self, tipo: &str) -> Option<String> {
        let desde = self.datos.find(&format!("Content-Type: {tipo}"))?;
        let inicio = self.datos[..desde].rfind("\r\n--").unwrap_or(0);
        let (cabeza, cuerpo) = self.datos[inicio..].split_once("\r\n\r\n")?;
        let cuerpo = cuerpo.split("\r\n--").next()?;
        if cabeza.contains("base64") {
            return Some(de_base64(cuerpo));
        }
        Some(if cabeza.contains("quoted-printable") { de_qp(cuerpo) } else { cuerpo.to_owned() })
    }
}

fn de_base64(texto: &str) -> String {
    use base64::Engine as _;
    let limpio: String = texto.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(limpio).expect("base64");
    String::from_utf8(bytes).expect("a text")
}

fn de_qp(texto: &str) -> String {
    let texto = texto.replace("=\r\n", "");
    let mut bytes = Vec::new();
    let mut resto = texto.as_bytes();
    while let Some((primero, despues)) = resto.split_first() {
        let hex = (*primero == b'=').then(|| despues.get(..2)).flatten();
        let hex = hex.and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        bytes.push(hex.unwrap_or(*primero));
        resto = if hex.is_some() { &despues[2..] } else { despues };
    }
    String::from_utf8(bytes).expect("a text")
}

/// The server; dropping it closes everything.
pub struct Mailbox {
    /// Where it listens.
    pub direccion: SocketAddr,
    /// The authority behind its certificate.
    pub ca_pem: String,
    script: Arc<Script<Treatment, Message>>,
    connections: watch::Receiver<usize>,
    tarea: AbortHandle,
}

impl Mailbox {
    /// Starts the usual one in the clear.
    pub async fn arrancar() -> Self {
        MailboxSetup::con(Encryption::Ninguno).arrancar().await
    }

    /// How the next connections or messages are treated, in order; afterwards all are taken again.
    pub fn treatments(&self, tratos: impl IntoIterator<Item = Treatment>) {
        self.script.push(tratos);
    }

    /// How everything is treated that no script covers.
    pub fn siempre(&self, trato: Treatment) {
        self.script.siempre(trato);
    }

    /// Lets one stalled reply go on, now or when it stalls.
    pub fn soltar(&self) {
        self.script.soltar();
    }

    /// What came so far.
    pub fn messages(&self) -> Vec<Message> {
        self.script.todo()
    }

    /// Waits until `n` connections were taken.
    pub async fn await_connections(&self, n: usize) {
        let mut connections = self.connections.clone();
        let came = tokio::time::timeout(Duration::from_secs(30), connections.wait_for(|c| *c >= n)).await;
        assert!(came.is_ok(), "only {} of {n} connections came in 30 s", *self.connections.borrow());
    }

    /// Waits until `n` messages came, and returns all.
    pub async fn await_messages(&self, n: usize) -> Vec<Message> {
        self.script.await_count(n).await
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.tarea.abort();
    }
}

async fn accept(
    listener: TcpListener,
    setup: Arc<MailboxSetup>,
    script: Arc<Script<Treatment, Message>>,
    came: watch::Sender<usize>,
) {
    // Ends with this task, and its connections with it.
    let mut conexiones = JoinSet::new();
    let mut conexion = 0;
    while let Ok((tcp, _)) = listener.accept().await {
        let (setup, script) = (Arc::clone(&setup), Arc::clone(&script));
        conexiones.spawn(async move {
            // A client that hangs up is no failure of the test.
            let _ = greet(Stream::Plain(tcp), setup, script, conexion).await;
        });
        conexion += 1;
        came.send_replace(conexion);
    }
}

async fn greet(
    mut stream: Stream,
    setup: Arc<MailboxSetup>,
    script: Arc<Script<Treatment, Message>>,
    conexion: usize,
) -> io::Result<()> {
    let al_conectar =
        |t: &Treatment| matches!(t, Treatment::RstAlConectar | Treatment::Saludo(_) | Treatment::SinSaludo);
    let trato = script.take_if(al_conectar);
    if trato == Some(Treatment::RstAlConectar) {
        stream.rst();
        return Ok(());
    }
    if setup.cifrado == Encryption::Tls {
        stream = stream.cifrar(&setup.certificado).await?;
    }
    match trato {
        Some(Treatment::Saludo(linea)) => {
            stream.write_all(format!("{linea}\r\n").as_bytes()).await?;
            stream.shutdown().await?;
            // Reads on, so that the greeting is not lost to a reset.
            let mut lineas = BufReader::new(stream).lines();
            while lineas.next_line().await?.is_some() {}
            return Ok(());
        }
        Some(Treatment::SinSaludo) => script.esperar().await,
        _ => {}
    }
    session::Session::new(stream, setup, script, conexion).attend().await
}
