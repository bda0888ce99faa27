//! Processes tell each other that there is work: `NOTIFY` after the commit, `LISTEN` on a connection of its own.
//!
//! A notification takes a lock that the whole database shares, so there are few of them, never one inside a transaction that
//! does something else. One that is lost does no harm: whoever works on jobs also looks by itself now and then.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use deadpool_postgres::Pool;
use embudo_supervisor::Supervisor;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::AsyncMessage;

use crate::connection::{Target, promptly};
use crate::failure::Step;
use crate::statement::{OnPool, params, sql};

/// The least time between two notifications.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a notification that somebody waits for may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long after a lost connection the next one is tried.
const BACK_OFF: Duration = Duration::from_secs(1);

/// Tells the other processes.
#[derive(Debug)]
pub(crate) struct Announcer {
    wanted: Arc<Notify>,
    sender: Arc<Sender>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Sender {
    pool: Pool,
    last: Mutex<Option<Instant>>,
}

impl Announcer {
    /// Starts the task that sends what gathers.
    pub(crate) fn spawn(supervisor: &Supervisor, pool: Pool) -> Self {
        let wanted = Arc::new(Notify::new());
        let sender = Arc::new(Sender { pool, last: Mutex::new(None) });
        let state = (Arc::clone(&wanted), Arc::clone(&sender));
        let task = supervisor
            .spawn("telling other processes", state, |(wanted, sender), _| Box::pin(gather(wanted, sender)));
        Self { wanted, sender, task }
    }

    /// Soon, together with whatever else there is to tell. Nobody waits for it.
    pub(crate) fn soon(&self) {
        self.wanted.notify_one();
    }

    /// Now, because the process may end before soon; together with others if there was one a moment ago.
    pub(crate) async fn now(&self) {
        if self.sender.may_send() {
            self.sender.send().await;
        } else {
            self.soon();
        }
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn gather(wanted: &Notify, sender: &Sender) {
    loop {
        wanted.notified().await;
        while !sender.may_send() {
            tokio::time::sleep(PAUSE).await;
        }
        sender.send().await;
    }
}

impl Sender {
    /// Whether enough time has passed; if so, it is this caller's turn.
    fn may_send(&self) -> bool {
        let mut last = self.last.lock().expect("nobody panics while holding it");
        let may = last.is_none_or(|when| when.elapsed() >= PAUSE);
        if may {
            *last = Some(Instant::now());
        }
        may
    }

    async fn send(&self) {
        match tokio::time::timeout(PATIENCE, self.try_send()).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => tracing::debug!(?failure, "other processes were not told of new work"),
            Err(_) => tracing::debug!("telling other processes of new work took too long"),
        }
    }

    async fn try_send(&self) -> Step<()> {
        self.pool.get().await?.execute(sql!("trabajo/notify.sql"), params! {}).await?;
        Ok(())
    }
}

/// Hears the other processes, and this one. It connects when somebody first waits: a command line never does.
#[derive(Debug)]
pub(crate) struct Listener {
    supervisor: Supervisor,
    target: Target,
    heard: Arc<Notify>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Listener {
    pub(crate) fn new(supervisor: Supervisor, target: Target) -> Self {
        Self { supervisor, target, heard: Arc::new(Notify::new()), task: Mutex::new(None) }
    }

    /// Until something was heard since it was last asked.
    pub(crate) async fn heard(&self) {
        {
            let mut task = self.task.lock().expect("nobody panics while holding it");
            if task.as_ref().is_none_or(JoinHandle::is_finished) {
                let state = (self.target.clone(), Arc::clone(&self.heard));
                let listening =
                    self.supervisor.spawn("listening to other processes", state, |(target, heard), _| {
                        Box::pin(listen(target, heard))
                    });
                *task = Some(listening);
            }
        }
        self.heard.notified().await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Ok(mut task) = self.task.lock()
            && let Some(task) = task.take()
        {
            task.abort();
        }
    }
}

async fn listen(target: &Target, heard: &Arc<Notify>) {
    loop {
        if let Err(error) = listen_once(target, heard).await {
            tracing::debug!(%error, "new work of other processes is not heard of");
        }
        tokio::time::sleep(BACK_OFF).await;
    }
}

/// Listens until the connection ends.
async fn listen_once(target: &Target, heard: &Arc<Notify>) -> embudo_store::Result<()> {
    let (client, mut connection) = target.open().await?;
    let told = Arc::clone(heard);
    let mut reading = tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                told.notify_one();
            }
        }
    });
    let listening = async {
        let row = client.query_one(include_str!("../sql/trabajo/channel.sql"), &[]).await?;
        // Letters, digits and `_`, so it needs no quoting.
        client.batch_execute(&format!("LISTEN {}", row.try_get::<_, String>(0)?)).await
    };
    promptly(listening).await?;
    // Something may have been told while nobody listened.
    heard.notify_one();
    let _ = (&mut reading).await;
    Ok(())
}
