//! Asks a writer whether it can write; the question overtakes the waiting commands.

use std::time::Duration;

use embudo_store::Result;
use tokio::sync::{mpsc, oneshot};

/// How long an answer may take. A writer that is at work for longer is busy; its supervisor decides whether it is
/// stuck.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How many questions may wait.
const QUEUE: usize = 16;

/// A question to a writer.
#[derive(Debug)]
pub(crate) enum Probe {
    Ping(oneshot::Sender<Result<()>>),
    /// Makes the writer panic, for tests.
    #[cfg(test)]
    Panic,
}

impl Probe {
    /// The channel for the answer.
    pub(crate) fn reply(self) -> oneshot::Sender<Result<()>> {
        match self {
            Self::Ping(reply) => reply,
            #[cfg(test)]
            Self::Panic => panic!("told to"),
        }
    }
}

/// The channel to a writer for probes.
#[derive(Debug, Clone)]
pub(crate) struct Prober(mpsc::Sender<Probe>);

impl Prober {
    /// A prober, and the receiver for its writer.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Probe>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self(sender), receiver)
    }

    /// An error if the writer says that it cannot write.
    pub(crate) async fn ping(&self) -> Result<()> {
        let (reply, answer) = oneshot::channel();
        let asking = async {
            self.0.send(Probe::Ping(reply)).await.ok()?;
            answer.await.ok()
        };
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Some(answer)) => answer,
            // The question was dropped: the writer has panicked and is starting again.
            Ok(None) => Err(embudo_store::StoreError::Unavailable("a writer starts again".into())),
            Err(_) => Ok(()),
        }
    }

    #[cfg(test)]
    pub(crate) async fn panic(&self) {
        self.0.send(Probe::Panic).await.expect("the writer listens");
    }
}
