//! The signals that end the server: the first asks it to finish running work, the second ends it at once.

use std::future::Future;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Whether a stop was requested by a signal.
pub struct StopSignal {
    asked: watch::Receiver<bool>,
    listening: JoinHandle<()>,
}

impl StopSignal {
    /// From here on SIGTERM and SIGINT no longer kill the process.
    pub fn install() -> io::Result<Self> {
        let mut signals =
            Signals { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? };
        let (sender, asked) = watch::channel(false);
        let listening = tokio::spawn(async move {
            let (name, _) = signals.next().await;
            tracing::info!(
                signal = name,
                "stopping: requests in hand are finished; a second signal ends at once"
            );
            // If no receiver is left, the server is ending anyway.
            let _ = sender.send(true);
            let (name, code) = signals.next().await;
            // The log's queue may be what hangs, so this is written directly to the terminal.
            eprintln!("embudo: ended at once by a second signal ({name})");
            std::process::exit(code);
        });
        Ok(Self { asked, listening })
    }

    /// Completes when the first signal comes.
    pub fn asked(&self) -> impl Future<Output = ()> + Send + 'static {
        asked(self.asked.clone())
    }

    /// A receiver for [`asked`]. Its clones can wait too.
    pub fn asking(&self) -> watch::Receiver<bool> {
        self.asked.clone()
    }

    /// Ends listening after the stop: a second signal that comes so late is ignored.
    pub fn finish(self) {
        self.listening.abort();
    }
}

/// Completes when the first signal comes.
pub async fn asked(mut asking: watch::Receiver<bool>) {
    // A closed channel means that no stop can be requested any more.
    let _ = asking.wait_for(|asked| *asked).await;
}

struct Signals {
    term: Signal,
    int: Signal,
}

impl Signals {
    /// The next signal's name, and the exit code that shells use for it.
    async fn next(&mut self) -> (&'static str, i32) {
        tokio::select! {
            _ = self.term.recv() => ("SIGTERM", 143),
            _ = self.int.recv() => ("SIGINT", 130),
        }
    }
}
