//! A mail server that delivers nothing. It accepts mails from this machine and stores each one as a file, for the page
//! that shows what would have been sent.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use embudo_app::Clock as _;
use mail_parser::{Message, MessageParser, MimeHeaders as _};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::clock::StoryClock;
use crate::messages::format_time;

/// The maximum size of a mail, and of a line.
const MAX_MAIL: usize = 32 * 1024 * 1024;
const MAX_LINE: u64 = 64 * 1024;
/// How long an idle connection is kept open.
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum number of mails on the page.
const LISTED: usize = 200;

/// The folder with the mails.
#[derive(Debug, Clone)]
pub struct Mailbox {
    folder: PathBuf,
    clock: Arc<StoryClock>,
    count: Arc<AtomicU64>,
}

/// A mail, as the list shows it.
#[derive(Debug, Clone)]
pub struct MailLine {
    /// The name of the file that contains the mail. The address of the mail's page ends with it.
    pub name: String,
    /// In milliseconds since 1970.
    pub at: i64,
    pub to: String,
    pub subject: String,
}

impl MailLine {
    pub fn time(&self) -> String {
        format_time(self.at)
    }
}

/// A mail with its contents.
#[derive(Debug, Clone)]
pub struct OpenMail {
    pub line: MailLine,
    pub from: String,
    pub html: Option<String>,
    pub text: String,
    pub attachments: Vec<Attachment>,
}

/// An attachment of a mail.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// The id by which the text of the mail refers to it.
    pub id: Option<String>,
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

impl Mailbox {
    pub(crate) fn open(folder: PathBuf, clock: Arc<StoryClock>) -> io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder, clock, count: Arc::default() })
    }

    /// Accepts mails until the process ends. Each connection is limited in bytes and time; only this machine can reach
    /// the listener.
    pub(crate) async fn serve(&self, listener: &TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let mailbox = self.clone();
            tokio::spawn(async move {
                // A client that disconnects early has not delivered its mail and will send it again.
                let _ = mailbox.attend(stream).await;
            });
        }
    }

    /// The dialogue of one connection (RFC 5321, limited to what our own sender needs).
    async fn attend(&self, stream: TcpStream) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        say(&mut stream, "220 demo.invalid ESMTP").await?;
        while let Some(line) = hear(&mut stream).await? {
            let verb =
                line.split(|b| *b == b' ').next().unwrap_or_default().trim_ascii().to_ascii_uppercase();
            let answer = match verb.as_slice() {
                b"EHLO" => "250-demo.invalid\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 33554432",
                b"HELO" | b"MAIL" | b"RCPT" | b"NOOP" | b"RSET" => "250 OK",
                b"DATA" => {
                    say(&mut stream, "354 go on").await?;
                    let mail = hear_mail(&mut stream).await?;
                    self.keep(mail).await?;
                    "250 kept"
                }
                b"QUIT" => return say(&mut stream, "221 bye").await,
                _ => "502 not here",
            };
            say(&mut stream, answer).await?;
        }
        Ok(())
    }

    async fn keep(&self, mail: Vec<u8>) -> io::Result<()> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let at = self.clock.now().as_millisecond();
        // Names sort by time. The number and the process id distinguish mails of the same millisecond.
        let name = format!("{at:015}-{}-{number:06}.eml", std::process::id());
        tokio::fs::write(self.folder.join(name), mail).await
    }

    /// All mails, newest first. This call blocks.
    pub(crate) fn list(&self) -> io::Result<Vec<MailLine>> {
        let mut names: Vec<String> = std::fs::read_dir(&self.folder)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| is_name(name))
            .collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.truncate(LISTED);
        Ok(names.iter().filter_map(|name| Some(self.read(name)?.line)).collect())
    }

    /// The mail with this name, if it exists. This call blocks.
    pub(crate) fn read(&self, name: &str) -> Option<OpenMail> {
        let bytes = is_name(name).then(|| read_file(&self.folder, name))??;
        let mail = MessageParser::default().parse(&bytes)?;
        let line = MailLine {
            name: name.to_owned(),
            at: name.get(..15)?.parse().ok()?,
            to: address(mail.to()),
            subject: mail.subject().unwrap_or_default().to_owned(),
        };
        let attachments = attachments(&mail);
        let mut html = mail.body_html(0).map(Cow::into_owned);
        // The text refers to embedded pictures by their id.
        for (number, id) in attachments.iter().enumerate().filter_map(|(n, a)| Some((n, a.id.as_deref()?))) {
            let place = format!("/demo/correo/{name}/adjunto/{number}");
            html = html.map(|html| html.replace(&format!("cid:{id}"), &place));
        }
        Some(OpenMail {
            line,
            from: address(mail.from()),
            html,
            text: mail.body_text(0).map(Cow::into_owned).unwrap_or_default(),
            attachments,
        })
    }
}

/// Whether a name has the format of [`Mailbox::keep`]. Other files are never opened.
fn is_name(name: &str) -> bool {
    let stem = name.strip_suffix(".eml");
    stem.is_some_and(|stem| stem.len() < 60 && stem.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

fn read_file(folder: &Path, name: &str) -> Option<Vec<u8>> {
    std::fs::read(folder.join(name)).ok()
}

fn address(found: Option<&mail_parser::Address<'_>>) -> String {
    let first = found.and_then(|address| address.first());
    let name = first.and_then(|a| a.name());
    let address = first.and_then(|a| a.address()).unwrap_or_default();
    name.map_or_else(|| address.to_owned(), |name| format!("{name} <{address}>"))
}

fn attachments(mail: &Message<'_>) -> Vec<Attachment> {
    let of = |part: &mail_parser::MessagePart<'_>| {
        let kind = part.content_type();
        let kind = kind.map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("octet-stream")));
        Attachment {
            id: part.content_id().map(str::to_owned),
            name: part.attachment_name().unwrap_or("adjunto").to_owned(),
            kind: kind.unwrap_or_else(|| "application/octet-stream".to_owned()),
            bytes: part.contents().to_vec(),
        }
    };
    mail.attachments().map(of).collect()
}

async fn say(stream: &mut BufReader<TcpStream>, line: &str) -> io::Result<()> {
    let text = format!("{line}\r\n");
    timeout(PATIENCE, stream.write_all(text.as_bytes())).await?
}

/// Reads the next line. `None` when the other side has disconnected.
async fn hear(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut bounded = stream.take(MAX_LINE);
    timeout(PATIENCE, bounded.read_until(b'\n', &mut line)).await??;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        Some(_) => Err(io::Error::other("a line without an end")),
    }
}

async fn hear_mail(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut mail = Vec::new();
    loop {
        let line = hear(stream).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if line == b".\r\n" {
            return Ok(mail);
        }
        // Removes dot-stuffing: the sender doubles a dot at the beginning of a line.
        mail.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        if mail.len() > MAX_MAIL {
            return Err(io::Error::other("a mail that is too large"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_our_own_are_opened() {
        assert!(is_name("001700000000000-12-000001.eml"));
        for other in ["../x.eml", "a.eml", "1.txt", "", ".eml/..", "1/2.eml"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[tokio::test]
    async fn a_mail_is_kept_as_it_came_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = Mailbox::open(folder.path().join("mails"), Arc::default()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let serving = tokio::spawn({
            let mailbox = mailbox.clone();
            async move { mailbox.serve(&listener).await }
        });
        let mut client = BufReader::new(TcpStream::connect(at).await.unwrap());
        let talk = [
            ("", "220"),
            ("EHLO me\r\n", "250 SIZE"),
            ("MAIL FROM:<a@b.example>\r\n", "250"),
            ("RCPT TO:<c@d.example>\r\n", "250"),
            ("DATA\r\n", "354"),
            (
                "From: Alba <a@b.example>\r\nTo: c@d.example\r\nSubject: =?utf-8?q?A=C3=B1o?=\r\n\r\n..uno\r\n.\r\n",
                "250",
            ),
            ("WAT\r\n", "502"),
            ("QUIT\r\n", "221"),
        ];
        for (said, answer) in talk {
            client.write_all(said.as_bytes()).await.unwrap();
            loop {
                let line = String::from_utf8(hear(&mut client).await.unwrap().unwrap()).unwrap();
                if line.starts_with(answer) {
                    break;
                }
                assert!(line.starts_with("250-"), "{said} {line}");
            }
        }
        let list = mailbox.list().unwrap();
        assert_eq!((list.len(), list[0].subject.as_str(), list[0].to.as_str()), (1, "Año", "c@d.example"));
        let mail = mailbox.read(&list[0].name).unwrap();
        assert_eq!((mail.from.as_str(), mail.text.trim()), ("Alba <a@b.example>", ".uno"));
        serving.abort();
    }
}
