//! Processes notify each other of new work: `NOTIFY` after the commit, `LISTEN` on a connection of its own.
//!
//! A notification takes a lock that the whole database shares, so there are few of them, never one inside a transaction
//! that does something else. A lost notification does no harm: workers also look by themselves now and then.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use deadpool_postgres::Pool;
use embudo_supervisor::Supervisor;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::AsyncMessage;
use uuid::Uuid;

use crate::change_notice::{self, Gathered};
use crate::connection::{Target, promptly};
use crate::failure::Step;
use crate::statement::{OnPool, params, sql};

/// The least time between two notifications.
const PAUSE: Duration = Duration::from_millis(100);
/// How long sending a notification may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long after a lost connection the next one is tried.
const BACK_OFF: Duration = Duration::from_secs(1);

/// Notifies the other processes.
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
    /// Starts the task that sends notifications. All requests since the last notification become one.
    pub(crate) fn spawn(supervisor: &Supervisor, pool: Pool) -> Self {
        let wanted = Arc::new(Notify::new());
        let sender = Arc::new(Sender { pool, last: Mutex::new(None) });
        let state = (Arc::clone(&wanted), Arc::clone(&sender));
        let task = supervisor
            .spawn("telling other processes", state, |(wanted, sender), _| Box::pin(gather(wanted, sender)));
        Self { wanted, sender, task }
    }

    /// Notifies soon, together with other requests. The caller does not wait for it.
    pub(crate) fn soon(&self) {
        self.wanted.notify_one();
    }

    /// Notifies now, because the process may end before a later notification is sent; if there was one a moment ago,
    /// the request joins the next one.
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
    /// Whether enough time has passed since the last notification. If so, the time is set, and this caller must send.
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

/// Receives notifications of other processes and of this one. It connects when somebody first waits, which no command
/// of the command line does.
#[derive(Debug)]
pub(crate) struct Listener {
    supervisor: Supervisor,
    target: Target,
    heard: Heard,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What was received: that there are jobs, and which leads and people changed.
#[derive(Debug, Clone)]
struct Heard {
    jobs: Arc<Notify>,
    leads: Arc<Gathered>,
    /// The id under which this process notifies others of leads.
    me: Uuid,
}

impl Listener {
    /// Makes the listener of the process that notifies others of leads under this id.
    pub(crate) fn new(supervisor: Supervisor, target: Target, me: Uuid) -> Self {
        let heard = Heard { jobs: Arc::new(Notify::new()), leads: Arc::new(Gathered::heard()), me };
        Self { supervisor, target, heard, task: Mutex::new(None) }
    }

    /// Waits until there was a notification of jobs since the last call.
    pub(crate) async fn heard(&self) {
        self.listen();
        self.heard.jobs.notified().await;
    }

    /// Waits until leads or people have changed since the last call.
    pub(crate) async fn changes(&self) -> embudo_store::projection::Heard {
        self.listen();
        self.heard.leads.take().await
    }

    fn listen(&self) {
        let mut task = self.task.lock().expect("nobody panics while holding it");
        if task.as_ref().is_none_or(JoinHandle::is_finished) {
            let state = (self.target.clone(), self.heard.clone());
            let listening =
                self.supervisor.spawn("listening to other processes", state, |(target, heard), _| {
                    Box::pin(listen(target, heard))
                });
            *task = Some(listening);
        }
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

async fn listen(target: &Target, heard: &Heard) {
    loop {
        if let Err(error) = listen_once(target, heard).await {
            tracing::debug!(%error, "new work of other processes is not heard of");
        }
        tokio::time::sleep(BACK_OFF).await;
    }
}

/// Listens until the connection ends, or is left.
async fn listen_once(target: &Target, heard: &Heard) -> embudo_store::Result<()> {
    let mut leaving = target.leaving();
    let (client, mut connection) = target.open().await?;
    leaving.mark_unchanged();
    let told = heard.clone();
    let mut reading = tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            let AsyncMessage::Notification(notification) = message else { continue };
            if notification.payload().is_empty() {
                told.jobs.notify_one();
            } else if let Some(changes) = change_notice::read(told.me, notification.payload()) {
                told.leads.add(changes);
            }
        }
    });
    let listening = async {
        for channel in [include_str!("../sql/trabajo/channel.sql"), include_str!("../sql/lead/channel.sql")] {
            let row = client.query_one(channel, &[]).await?;
            // Letters, digits and `_`, so it needs no quoting.
            client.batch_execute(&format!("LISTEN {}", row.try_get::<_, String>(0)?)).await?;
        }
        Ok(())
    };
    promptly(listening).await?;
    // A notification may have been missed while there was no connection.
    heard.jobs.notify_one();
    heard.leads.add(embudo_store::projection::Heard::Everything);
    // Without this, a frozen server, or one that became a standby, would be listened to for ever.
    tokio::select! {
        _ = &mut reading => {}
        _ = leaving.changed() => reading.abort(),
    }
    Ok(())
}
