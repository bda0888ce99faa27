//! Asking a writer whether it could write, past everything that waits for it.

use std::time::Duration;

use embudo_store::Result;
use tokio::sync::{mpsc, oneshot};

/// How long an answer may take. A writer at work for longer is busy; whether it is stuck is its supervisor's to say.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How many may ask at once.
const QUEUE: usize = 16;

/// A question to a writer.
#[derive(Debug)]
pub(crate) enum Probe {
    Ping(oneshot::Sender<Result<()>>),
    /// To see what becomes of it.
    #[cfg(test)]
    Panic,
}

impl Probe {
    /// Where the answer goes.
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
    /// A way, and where it ends.
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
            // Gone on the way: it has panicked, and starts again.
            Ok(None) => Err(embudo_store::StoreError::Unavailable("a writer starts again".into())),
            Err(_) => Ok(()),
        }
    }

    #[cfg(test)]
    pub(crate) async fn panic(&self) {
        self.0.send(Probe::Panic).await.expect("the writer listens");
    }
}
