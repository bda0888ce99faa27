//! The connection to a mail server: commands, replies and the message's bytes, each with a time-out.
//!
//! What a reply means for a mail is not known here.

use std::fmt::{self, Display};
use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::time::timeout;

use crate::text;

/// The longest reply that is read; servers send some hundred bytes.
const MAX_REPLY: usize = 64 * 1024;

/// The byte stream under a [`Line`]: a plain or an encrypted connection.
pub(super) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// Why a step failed.
#[derive(Debug)]
pub(super) enum Cause {
    /// The server refused the command or the message.
    Refused(Reply),
    /// The connection broke or stalled, or the server lacks something; trying again may find it fixed.
    Own(String),
    /// The server can never carry this mail.
    Impossible(String),
}

/// A server's reply, of one line or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub code: u16,
    /// The text after the code, line by line.
    pub lines: Vec<String>,
}

impl Reply {
    /// The text of all lines in one line.
    pub fn text(&self) -> String {
        text::line(&self.lines.join(" "), 300)
    }
}

impl Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.text())
    }
}

/// An open connection.
pub(super) struct Line {
    stream: BufReader<Box<dyn Transport>>,
    /// Time for each reply, and for the server to take each piece that is written.
    patience: Duration,
}

impl Line {
    pub fn new(stream: Box<dyn Transport>, patience: Duration) -> Self {
        Self { stream: BufReader::new(stream), patience }
    }

    /// Returns the byte stream, to be encrypted. Bytes that were received and not yet read are dropped: nothing that
    /// came unencrypted may count as if it came encrypted.
    pub fn into_inner(self) -> Box<dyn Transport> {
        self.stream.into_inner()
    }

    /// Sends a command, which must end with its line end (CRLF), and reads the reply. 4xx and 5xx are failures.
    pub async fn command(&mut self, command: impl Display) -> Result<Reply, Cause> {
        self.write(command.to_string().as_bytes()).await?;
        self.reply().await
    }

    /// Sends bytes as they are.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Cause> {
        let stream = &mut self.stream;
        within(self.patience, async {
            stream.write_all(bytes).await?;
            stream.flush().await
        })
        .await
    }

    /// Reads the next reply; 4xx and 5xx are failures.
    pub async fn reply(&mut self) -> Result<Reply, Cause> {
        let reply = within(self.patience, read_reply(&mut self.stream)).await?;
        match reply.code {
            200..400 => Ok(reply),
            400..600 => Err(Cause::Refused(reply)),
            _ => Err(Cause::Own(garbled(&reply.to_string()).to_string())),
        }
    }
}

/// Waits for an I/O operation, at most this long.
pub(super) async fn within<T>(
    patience: Duration,
    work: impl Future<Output = io::Result<T>>,
) -> Result<T, Cause> {
    match timeout(patience, work).await {
        Ok(done) => done.map_err(|error| Cause::Own(describe(&error))),
        Err(_) => Err(Cause::Own(silent(patience))),
    }
}

/// The error text for a server that did not answer in time.
pub(super) fn silent(patience: Duration) -> String {
    format!("el servidor no contestó en {} s", patience.as_secs_f32())
}

async fn read_reply(stream: &mut BufReader<Box<dyn Transport>>) -> io::Result<Reply> {
    let mut reply = Reply { code: 0, lines: Vec::new() };
    let mut room = MAX_REPLY;
    loop {
        let mut bytes = Vec::new();
        room -= (&mut *stream).take(room as u64).read_until(b'\n', &mut bytes).await?;
        if !bytes.ends_with(b"\n") {
            let why = if room == 0 { "respuesta sin fin" } else { CLOSED };
            return Err(io::Error::other(why));
        }
        let text = text::lossy(&bytes);
        let (code, is_last, words) = split(text.trim_end()).ok_or_else(|| garbled(&text))?;
        if !reply.lines.is_empty() && code != reply.code {
            return Err(garbled(&text));
        }
        reply.code = code;
        reply.lines.push(words.to_owned());
        if is_last {
            return Ok(reply);
        }
    }
}

const CLOSED: &str = "el servidor cerró la conexión sin contestar";

/// A line of a reply: its code, whether it is the last one, and its text. Some servers send a code without text.
fn split(text: &str) -> Option<(u16, bool, &str)> {
    let (code, rest) = text.split_at_checked(3)?;
    let code = code.bytes().all(|b| b.is_ascii_digit()).then(|| code.parse().ok())??;
    match rest.strip_prefix('-') {
        Some(words) => Some((code, false, words)),
        None if rest.is_empty() => Some((code, true, "")),
        None => Some((code, true, rest.strip_prefix(' ')?)),
    }
}

fn garbled(text: &str) -> io::Error {
    io::Error::other(text::line(&format!("el servidor contestó algo que no se entiende ({text})"), 300))
}

/// The innermost cause as one line of text.
fn describe(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return CLOSED.to_owned();
    }
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    text::line(&inner.to_string(), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &[u8]) -> Result<Reply, Cause> {
        let (ours, mut theirs) = tokio::io::duplex(1 << 20);
        theirs.write_all(text).await.expect("it fits");
        drop(theirs);
        Line::new(Box::new(ours), Duration::from_secs(5)).reply().await
    }

    #[tokio::test]
    async fn replies_in_every_shape() {
        let reply =
            |code, lines: &[&str]| Reply { code, lines: lines.iter().map(|l| (*l).to_owned()).collect() };
        assert_eq!(read(b"250 OK\r\n").await.expect("a reply"), reply(250, &["OK"]));
        assert_eq!(read(b"250\r\n").await.expect("a reply"), reply(250, &[""]), "a bare code is a reply");
        assert_eq!(read(b"250-a\n250-\n250 b\n").await.expect("a reply"), reply(250, &["a", "", "b"]));
        assert_eq!(
            read(b"250 adi\xf3s\r\n").await.expect("a reply"),
            reply(250, &["adi\u{FFFD}s"]),
            "not every server is UTF-8"
        );
        let Err(Cause::Refused(no)) = read(b"550-5.1.1 no\r\n550 5.1.1 nadie\r\n").await else { panic!() };
        assert_eq!(no.to_string(), "550 5.1.1 no 5.1.1 nadie");
        let endless = vec![b'2'; MAX_REPLY + 1];
        for (bad, why) in [
            (&b"hola\r\n"[..], "no se entiende"),
            (b"999 x\r\n", "no se entiende"),
            (b"250-a\r\n251 b\r\n", "no se entiende"),
            (b"250 sin final", "cerr"),
            (b"", "cerr"),
            (&endless, "sin fin"),
        ] {
            let Err(Cause::Own(text)) = read(bad).await else { panic!("{bad:?}") };
            assert!(text.contains(why), "{text}");
        }
    }
}
