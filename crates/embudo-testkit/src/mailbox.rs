//! A mail server that misbehaves as a test requires.
//!
//! It is a real SMTP server on a free loopback port: without encryption, with STARTTLS or with TLS from the first byte,
//! and with authentication if required. It stores every complete message, including those that it never acknowledged.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use crate::PATIENCE;
use crate::script::Script;
use crate::stream::{Certificate, Stream};

mod session;

/// How the server treats a connection or a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Treatment {
    Accepts,
    /// The connection is reset at once.
    RstOnConnect,
    /// The server sends this line instead of the greeting and closes the connection.
    Greeting(&'static str),
    /// The server sends no greeting until [`Mailbox::release`].
    NoGreeting,
    /// The reply to `MAIL FROM`.
    Mail(&'static str),
    /// The reply to `RCPT TO`.
    Rcpt(&'static str),
    /// The reply to `DATA`.
    Data(&'static str),
    /// The server closes the connection in the middle of the message.
    ClosesInContent,
    /// The reply to the end of the message, which is not stored.
    End(&'static str),
    /// The message is stored, and the reply waits for [`Mailbox::release`].
    HangsAfterData,
    /// The message is not stored, and the connection is closed without a reply.
    ClosesAfterData,
    /// The message is stored, and the connection is closed without a reply.
    AcceptsAndCloses,
    /// The message is acknowledged, and then the connection is closed.
    ConfirmsAndCloses,
}

/// The encryption of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    Nothing,
    /// The server offers STARTTLS.
    Starttls,
    /// The connection is encrypted from the first byte.
    Tls,
}

/// The settings of a server.
pub struct MailboxSetup {
    pub encryption: Encryption,
    /// The server's certificate, for its own address.
    pub certificate: Certificate,
    /// The required user and password; `None` if the server asks for none.
    pub credentials: Option<(String, String)>,
    /// The authentication mechanisms that the server offers.
    pub mechanisms: &'static str,
    /// Whether the server accepts addresses beyond ASCII.
    pub smtputf8: bool,
}

impl MailboxSetup {
    /// The default server with this encryption.
    pub fn with(encryption: Encryption) -> Self {
        Self {
            encryption,
            certificate: Certificate::for_("127.0.0.1"),
            credentials: None,
            mechanisms: "PLAIN LOGIN",
            smtputf8: true,
        }
    }

    pub async fn start(self) -> Mailbox {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ca_pem = self.certificate.ca_pem.clone();
        let script = Arc::new(Script::new(Treatment::Accepts));
        let (came, connections) = watch::channel(0);
        let task = tokio::spawn(accept(listener, Arc::new(self), Arc::clone(&script), came));
        Mailbox { address, ca_pem, script, connections, task: task.abort_handle() }
    }
}

/// A message that arrived completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The number of the connection, counted from 0.
    pub connection: usize,
    /// The sender in the envelope.
    pub from: String,
    /// The recipients in the envelope.
    pub to: Vec<String>,
    /// The message as sent, with dot-stuffing removed.
    pub data: String,
    pub user: Option<String>,
    /// Whether the connection was encrypted.
    pub encrypted: bool,
}

impl Message {
    /// The headers, unfolded, one for each line.
    pub fn headers(&self) -> Vec<String> {
        let head = self.data.split("\r\n\r\n").next().unwrap_or_default();
        head.replace("\r\n ", " ").replace("\r\n\t", " ").split("\r\n").map(str::to_owned).collect()
    }

    /// The value of a header.
    pub fn header(&self, nombre: &str) -> Option<String> {
        let is = |line: &String| line.split_once(':').is_some_and(|(n, _)| n.eq_ignore_ascii_case(nombre));
        self.headers().into_iter().find(is).map(|l| l[nombre.len() + 1..].trim().to_owned())
    }

    /// The subject, decoded.
    pub fn subject(&self) -> String {
        let raw = self.header("Subject").unwrap_or_default();
        // A space between two encoded words is not part of the text.
        let raw = raw.replace("?= =?", "?==?");
        let mut read = String::new();
        let mut rest = raw.as_str();
        while let Some((before, word)) = rest.split_once("=?utf-8?b?") {
            let (base64, after) = word.split_once("?=").expect("an encoded word has its end");
            read += before;
            read += &from_base64(base64);
            rest = after;
        }
        read + rest
    }

    /// The first part of this type, decoded.
    pub fn part(&self, kind: &str) -> Option<String> {
        let since = self.data.find(&format!("Content-Type: {kind}"))?;
        let part = &self.data[self.data[..since].rfind("\r\n--")?..];
        let (head, body) = part.split_once("\r\n\r\n")?;
        // The boundary is the whole line: within a link, a soft line break may be followed by two dashes of the link
        // itself.
        let boundary = &head[..2 + head[2..].find("\r\n")?];
        let body = body.split(boundary).next()?;
        if head.contains("base64") {
            return Some(from_base64(body));
        }
        Some(if head.contains("quoted-printable") { from_qp(body) } else { body.to_owned() })
    }
}

fn from_base64(text: &str) -> String {
    use base64::Engine as _;
    let clean: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(clean).expect("base64");
    String::from_utf8(bytes).expect("a text")
}

fn from_qp(text: &str) -> String {
    let text = text.replace("=\r\n", "");
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = (*first == b'=').then(|| after.get(..2)).flatten();
        let hex = hex.and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        bytes.push(hex.unwrap_or(*first));
        rest = if hex.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).expect("a text")
}

/// The running server. Dropping it closes all connections.
pub struct Mailbox {
    pub address: SocketAddr,
    /// The certificate of the authority that signed the server's certificate.
    pub ca_pem: String,
    script: Arc<Script<Treatment, Message>>,
    connections: watch::Receiver<usize>,
    task: AbortHandle,
}

impl Mailbox {
    /// Starts the default server without encryption.
    pub async fn start() -> Self {
        MailboxSetup::with(Encryption::Nothing).start().await
    }

    /// Sets the treatment of the next connections or messages, in order. Later ones get the treatment of
    /// [`Mailbox::always`], which accepts by default.
    pub fn treatments(&self, manners: impl IntoIterator<Item = Treatment>) {
        self.script.push(manners);
    }

    /// Sets the treatment of everything that the script does not cover.
    pub fn always(&self, manner: Treatment) {
        self.script.always(manner);
    }

    /// Lets one stalled reply continue, now or as soon as it stalls.
    pub fn release(&self) {
        self.script.release();
    }

    /// The messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.script.all()
    }

    /// Waits until `n` connections were accepted.
    pub async fn await_connections(&self, n: usize) {
        let mut connections = self.connections.clone();
        let came = tokio::time::timeout(PATIENCE, connections.wait_for(|c| *c >= n)).await;
        assert!(came.is_ok(), "only {} of {n} connections came in time", *self.connections.borrow());
    }

    /// Waits until `n` messages arrived, and returns all of them.
    pub async fn await_messages(&self, n: usize) -> Vec<Message> {
        self.script.await_count(n).await
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(
    listener: TcpListener,
    setup: Arc<MailboxSetup>,
    script: Arc<Script<Treatment, Message>>,
    came: watch::Sender<usize>,
) {
    // The set is dropped with this task, which closes its connections.
    let mut connections = JoinSet::new();
    let mut connection = 0;
    while let Ok((tcp, _)) = listener.accept().await {
        let (setup, script) = (Arc::clone(&setup), Arc::clone(&script));
        connections.spawn(async move {
            // A client that disconnects does not make the test fail.
            let _ = greet(Stream::Plain(tcp), setup, script, connection).await;
        });
        connection += 1;
        came.send_replace(connection);
    }
}

async fn greet(
    mut stream: Stream,
    setup: Arc<MailboxSetup>,
    script: Arc<Script<Treatment, Message>>,
    connection: usize,
) -> io::Result<()> {
    let on_connect =
        |t: &Treatment| matches!(t, Treatment::RstOnConnect | Treatment::Greeting(_) | Treatment::NoGreeting);
    let manner = script.take_if(on_connect);
    if manner == Some(Treatment::RstOnConnect) {
        stream.rst();
        return Ok(());
    }
    if setup.encryption == Encryption::Tls {
        stream = stream.encrypt(&setup.certificate).await?;
    }
    match manner {
        Some(Treatment::Greeting(line)) => {
            stream.write_all(format!("{line}\r\n").as_bytes()).await?;
            stream.shutdown().await?;
            // Reads until the client closes, so that a reset does not discard the greeting.
            let mut lines = BufReader::new(stream).lines();
            while lines.next_line().await?.is_some() {}
            return Ok(());
        }
        Some(Treatment::NoGreeting) => script.wait().await,
        _ => {}
    }
    session::Session::new(stream, setup, script, connection).attend().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_at_its_boundary_and_not_at_two_dashes() {
        let data = "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"limite\"\r\n\r\n--limite\r\n\
                    Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
                    https://ejemplo.es/p/abc=\r\n--def\r\n--limite\r\nContent-Type: text/html\r\n\r\n<p>\r\n--limite--\r\n";
        let (from, to) = (String::new(), Vec::new());
        let message =
            Message { connection: 0, from, to, data: data.to_owned(), user: None, encrypted: false };
        assert_eq!(message.part("text/plain").as_deref(), Some("https://ejemplo.es/p/abc--def"));
        assert_eq!(message.part("text/html").as_deref(), Some("<p>"));
        assert_eq!(message.part("application/pdf"), None);
    }
}
