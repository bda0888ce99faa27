//! The messages to and from clients in the simulated messaging channel, stored in a file with one JSON object for each
//! line.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use embudo_app::Clock as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::clock::StoryClock;

/// The maximum number of messages shown, of all clients together.
const KEPT: usize = 2_000;

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    Company,
    Client,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChatMessage {
    /// In milliseconds since 1970.
    pub at: i64,
    pub lead: String,
    pub name: String,
    pub phone: String,
    pub author: Author,
    pub text: String,
    /// The file name of a PDF in the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf: Option<String>,
}

impl ChatMessage {
    pub fn time(&self) -> String {
        format_time(self.at)
    }
}

/// A moment formatted for people.
pub(crate) fn format_time(millis: i64) -> String {
    let at = Timestamp::from_millisecond(millis).and_then(|at| at.in_tz("Europe/Madrid"));
    at.map(|zoned| zoned.strftime("%d/%m/%Y %H:%M").to_string()).unwrap_or_default()
}

/// All messages, in the order of their arrival.
#[derive(Debug, Clone)]
pub struct Messages {
    folder: PathBuf,
    clock: Arc<StoryClock>,
    kept: Arc<Mutex<Vec<ChatMessage>>>,
}

impl Messages {
    pub(crate) fn open(folder: PathBuf, clock: Arc<StoryClock>) -> io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        let text = match std::fs::read_to_string(folder.join("messages.jsonl")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let kept: Vec<ChatMessage> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { folder, clock, kept: Arc::new(Mutex::new(kept)) })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Stores a message.
    pub(crate) fn add(&self, message: ChatMessage) -> io::Result<()> {
        let mut kept = self.kept.lock().expect("nothing panics while it is held");
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(self.folder.join("messages.jsonl"))?;
        let line = serde_json::to_string(&message).map_err(io::Error::other)?;
        writeln!(file, "{line}")?;
        kept.push(message);
        let extra = kept.len().saturating_sub(KEPT);
        kept.drain(..extra);
        Ok(())
    }

    /// Stores a PDF and returns its file name.
    pub(crate) fn keep_pdf(&self, filename: &str, bytes: &[u8]) -> io::Result<String> {
        let name: String =
            filename.chars().filter(|c| c.is_ascii_alphanumeric() || "-.".contains(*c)).collect();
        std::fs::write(self.folder.join(&name), bytes)?;
        Ok(name)
    }

    /// The stored PDF with this file name, if it exists.
    pub(crate) fn pdf(&self, name: &str) -> Option<Vec<u8>> {
        let is_ours = self.all().iter().any(|message| message.pdf.as_deref() == Some(name));
        is_ours.then(|| std::fs::read(self.folder.join(name)).ok()).flatten()
    }

    pub(crate) fn all(&self) -> Vec<ChatMessage> {
        self.kept.lock().expect("nothing panics while it is held").clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_pdfs_are_there_again_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Messages::open(folder.path().to_owned(), Arc::default()).unwrap();
        let first = open();
        let pdf = first.keep_pdf("../presupuesto-2026-0001.pdf", b"%PDF").unwrap();
        let message = ChatMessage {
            at: first.now().as_millisecond(),
            lead: "l".into(),
            name: "Ana".into(),
            phone: "+34612345678".into(),
            author: Author::Company,
            text: "Hola".into(),
            pdf: Some(pdf.clone()),
        };
        first.add(message).unwrap();
        let again = open();
        assert_eq!(again.all()[0].text, "Hola");
        assert_eq!(again.pdf(&pdf).as_deref(), Some(&b"%PDF"[..]));
        assert_eq!(again.pdf("messages.jsonl"), None);
    }
}
