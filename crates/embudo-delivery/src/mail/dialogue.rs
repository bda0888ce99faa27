//! The SMTP conversation of one mail, and the meaning of each way in which it can end.
//!
//! Until the line with the single dot is sent, the server cannot have taken the message: a failure before that is
//! [`MailOutcome::Temporary`], or [`MailOutcome::Permanent`] if this mail can never be sent. After that line only the
//! reply decides; without a reply the outcome is [`MailOutcome::Doubtful`].

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::commands::{Data, Mail, Quit, Rcpt};
use lettre::transport::smtp::extension::{MailBodyParameter, MailParameter};
use tokio::time::timeout;

use super::connection::{Connection, Connections};
use super::hitch::Hitch;
use super::line::{Cause, Line, Reply, silent};
use super::message::WrittenMail;
use super::{Failure, MailOutcome, Phase};

/// How much of a message is written at once.
const CHUNK: usize = 64 * 1024;
/// How long the server may take to answer `QUIT`.
const QUIT_PATIENCE: Duration = Duration::from_secs(1);

/// Sends a written message within this time. `before_end` runs when all but the message's last line was sent; if it
/// fails, that line is not sent.
pub(super) async fn send(
    connections: &Connections,
    written: &WrittenMail,
    before_end: impl Future<Output = Result<(), String>>,
    time: Duration,
) -> MailOutcome {
    let finished = AtomicBool::new(false);
    match timeout(time, converse(connections, written, before_end, &finished)).await {
        Ok(outcome) => outcome,
        Err(_) => unanswered(&finished, silent(time)),
    }
}

/// Connects and authenticates within this time.
pub(super) async fn probe(connections: &Connections, time: Duration) -> Result<(), Failure> {
    let exhausted = || Failure { phase: Phase::Connection, code: None, text: silent(time) };
    let with = timeout(time, connections.open_line()).await.map_err(|_| exhausted())?;
    goodbye(with.map_err(Hitch::failure)?.line).await;
    Ok(())
}

async fn converse(
    connections: &Connections,
    written: &WrittenMail,
    before_end: impl Future<Output = Result<(), String>>,
    finished: &AtomicBool,
) -> MailOutcome {
    let mut with = match connections.take().await {
        Ok(with) => with,
        Err(hitch) => return hitch.outcome(),
    };
    if let Err(hitch) = present(&mut with, written).await {
        return say_quit(with, hitch).await;
    }
    match hand_over(&mut with.line, &written.bytes, before_end, finished).await {
        Ok(reply) if reply.code < 300 => {
            connections.give_back(with);
            MailOutcome::Sent(reply.to_string())
        }
        // A 3xx has no meaning here, and so says nothing about the message.
        Ok(reply) => unanswered(finished, format!("respuesta inesperada: {reply}")),
        Err(error @ Cause::Refused(_)) => say_quit(with, Hitch { phase: Phase::Final, error }).await,
        Err(Cause::Own(text) | Cause::Impossible(text)) => unanswered(finished, text),
    }
}

/// Sends the message, and its last line once `before_end` is done.
async fn hand_over(
    line: &mut Line,
    bytes: &[u8],
    before_end: impl Future<Output = Result<(), String>>,
    finished: &AtomicBool,
) -> Result<Reply, Cause> {
    for piece in with_doubled_dots(bytes).chunks(CHUNK) {
        line.write(piece).await?;
    }
    before_end.await.map_err(Cause::Own)?;
    // From here on the server may take the message.
    finished.store(true, Ordering::SeqCst);
    line.write(if bytes.ends_with(b"\r\n") { b".\r\n" } else { b"\r\n.\r\n" }).await?;
    line.reply().await
}

/// A line that begins with a dot gets a second one, which the server removes: a dot alone would end the message.
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

/// Sends sender, recipient and `DATA`, and waits until the server asks for the message.
async fn present(with: &mut Connection, written: &WrittenMail) -> Result<(), Hitch> {
    let at = |phase| move |error| Hitch { phase, error };
    let mail = Mail::new(Some(written.from.clone()), mail_parameters(with, written)?);
    let line = &mut with.line;
    line.command(mail).await.map_err(at(Phase::Sender))?;
    line.command(Rcpt::new(written.to.clone(), Vec::new())).await.map_err(at(Phase::Recipient))?;
    let reply = line.command(Data).await.map_err(at(Phase::Content))?;
    if reply.code != 354 {
        let text = format!("respuesta inesperada a DATA: {reply}");
        return Err(Hitch { phase: Phase::Content, error: Cause::Own(text) });
    }
    Ok(())
}

fn mail_parameters(with: &Connection, written: &WrittenMail) -> Result<Vec<MailParameter>, Hitch> {
    let mut parameters = Vec::new();
    let cannot = |phase, text: &str| Hitch { phase, error: Cause::Impossible(text.to_owned()) };
    if !is_ascii(&written.to) || !is_ascii(&written.from) {
        if !with.offers("SMTPUTF8") {
            let text = "la dirección tiene letras fuera de ASCII y el servidor no ofrece SMTPUTF8";
            return Err(cannot(Phase::Recipient, text));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !written.bytes.is_ascii() {
        if !with.offers("8BITMIME") {
            return Err(cannot(Phase::Content, "el servidor no ofrece 8BITMIME"));
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(parameters)
}

fn is_ascii(address: &Address) -> bool {
    AsRef::<str>::as_ref(address).is_ascii()
}

fn unanswered(finished: &AtomicBool, text: String) -> MailOutcome {
    if finished.load(Ordering::SeqCst) {
        return MailOutcome::Doubtful(Failure { phase: Phase::Final, code: None, text });
    }
    MailOutcome::Temporary(Failure { phase: Phase::Content, code: None, text })
}

/// A connection is not used again after a failure; after a refusal the server gets a `QUIT`.
async fn say_quit(with: Connection, hitch: Hitch) -> MailOutcome {
    if matches!(hitch.error, Cause::Refused(_)) {
        goodbye(with.line).await;
    }
    hitch.outcome()
}

async fn goodbye(mut line: Line) {
    let _ = timeout(QUIT_PATIENCE, line.command(Quit)).await;
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
