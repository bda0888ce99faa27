//! Processes notify each other which leads changed, so that open lists in other processes show the change, and which
//! people's rights changed, so that their event streams end. As for jobs, notifications are sent after the commit, few
//! at a time, and nothing depends on them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::Pool;
use embudo_domain::{EmpresaId, LeadId, UserId};
use embudo_store::projection::{Heard, LeadChange};
use embudo_supervisor::Supervisor;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::failure::Step;
use crate::statement::{OnPool, params, sql};

/// The least time between two notifications.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a notification may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// A notification can hold less than 8,000 bytes; with more changes than this it says that everything may have changed.
const MAX_TOLD: usize = 100;
/// How many changes of other processes are collected. If more come before they are read, this process only learns that
/// everything may have changed.
const MAX_HEARD: usize = 1_000;
/// Anything may have changed.
const EVERYTHING: &str = "*";
/// The ids that follow are people, not leads.
const PEOPLE: char = '!';

/// Changes that are collected until they are taken.
#[derive(Debug)]
pub(crate) struct Gathered {
    max: usize,
    what: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    leads: BTreeSet<LeadChange>,
    people: BTreeSet<UserId>,
    everything: bool,
}

impl Gathered {
    fn new(max: usize) -> Self {
        Self { max, what: Mutex::default(), wake: Notify::new() }
    }

    pub(crate) fn heard() -> Self {
        Self::new(MAX_HEARD)
    }

    pub(crate) fn add(&self, changes: Heard) {
        let mut what = self.what();
        match changes {
            Heard::Leads(leads) => what.leads.extend(leads),
            Heard::People(people) => what.people.extend(people),
            Heard::Everything => what.everything = true,
        }
        if what.leads.len().max(what.people.len()) > self.max {
            *what = Waiting { everything: true, ..Waiting::default() };
        }
        drop(what);
        self.wake.notify_one();
    }

    /// Waits until there is a change and takes the collected changes.
    pub(crate) async fn take(&self) -> Heard {
        loop {
            if let Some(heard) = self.what().next() {
                return heard;
            }
            self.wake.notified().await;
        }
    }

    fn what(&self) -> MutexGuard<'_, Waiting> {
        // The set is consistent even if a thread panicked while it held the lock.
        self.what.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn next(&mut self) -> Option<Heard> {
        if self.everything {
            *self = Self::default();
            return Some(Heard::Everything);
        }
        if !self.people.is_empty() {
            return Some(Heard::People(std::mem::take(&mut self.people).into_iter().collect()));
        }
        let leads = std::mem::take(&mut self.leads);
        (!leads.is_empty()).then(|| Heard::Leads(leads.into_iter().collect()))
    }
}

/// Notifies the other processes.
#[derive(Debug)]
pub(crate) struct Teller {
    gathered: Arc<Gathered>,
    task: JoinHandle<()>,
    /// The id of the sending process: a process ignores its own notifications.
    pub(crate) who: Uuid,
}

impl Teller {
    pub(crate) fn spawn(supervisor: &Supervisor, pool: Pool) -> Self {
        let (gathered, who) = (Arc::new(Gathered::new(MAX_TOLD)), Uuid::new_v4());
        let state = (Arc::clone(&gathered), pool, who);
        let task = supervisor.spawn("telling other processes of leads", state, |(gathered, pool, who), _| {
            Box::pin(tell(gathered, pool, *who))
        });
        Self { gathered, task, who }
    }

    /// Sends soon, together with other changes that are collected by then.
    pub(crate) fn tell(&self, changes: Heard) {
        self.gathered.add(changes);
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn tell(gathered: &Gathered, pool: &Pool, who: Uuid) {
    loop {
        let text = format_notice(who, &gathered.take().await);
        match tokio::time::timeout(PATIENCE, send(pool, &text)).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => {
                tracing::debug!(?failure, "other processes were not told of what changed");
            }
            Err(_) => tracing::debug!("telling other processes of what changed took too long"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn send(pool: &Pool, text: &str) -> Step<()> {
    let client = pool.get().await?;
    OnPool::execute(&client, sql!("lead/notify.sql"), params! { texto: text }).await?;
    Ok(())
}

/// The id of the sender, then pairs of lead and company, or people.
fn format_notice(who: Uuid, changes: &Heard) -> String {
    let mut text = who.simple().to_string();
    match changes {
        Heard::Everything => text.push_str(EVERYTHING),
        Heard::People(people) => {
            text.push(PEOPLE);
            text.extend(people.iter().map(|person| person.0.simple().to_string()));
        }
        Heard::Leads(leads) => {
            for change in leads {
                text.push_str(&change.lead.0.simple().to_string());
                text.push_str(&change.empresa.0.simple().to_string());
            }
        }
    }
    text
}

/// `None` if this process sent the notification. A text that cannot be read counts as everything.
pub(crate) fn read(me: Uuid, text: &str) -> Option<Heard> {
    const ID: usize = 32;
    let Some((who, rest)) = text.split_at_checked(ID) else { return Some(Heard::Everything) };
    if Uuid::try_parse(who).ok() == Some(me) {
        return None;
    }
    let id = |part: &str| Uuid::try_parse(part).ok();
    if let Some(people) = rest.strip_prefix(PEOPLE) {
        let person = |part: &[u8]| std::str::from_utf8(part).ok().and_then(id).map(UserId);
        let people: Option<Vec<UserId>> = people.as_bytes().chunks(ID).map(person).collect();
        return Some(people.map_or(Heard::Everything, Heard::People));
    }
    let change = |pair: &[u8]| {
        let (lead, empresa) = std::str::from_utf8(pair).ok()?.split_at_checked(ID)?;
        Some(LeadChange { lead: LeadId(id(lead)?), empresa: EmpresaId(id(empresa)?) })
    };
    let changes: Option<Vec<LeadChange>> = rest.as_bytes().chunks(2 * ID).map(change).collect();
    Some(changes.map_or(Heard::Everything, Heard::Leads))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(n: u128) -> LeadChange {
        LeadChange { lead: LeadId(Uuid::from_u128(n)), empresa: EmpresaId(Uuid::from_u128(n + 1)) }
    }

    #[test]
    fn what_is_told_is_heard_by_others() {
        let (me, other) = (Uuid::from_u128(7), Uuid::from_u128(8));
        let people = Heard::People(vec![UserId(Uuid::from_u128(3)), UserId(Uuid::from_u128(4))]);
        for changes in [Heard::Leads(vec![change(1), change(5)]), people, Heard::Everything] {
            let text = format_notice(me, &changes);
            assert_eq!(read(other, &text), Some(changes));
            assert_eq!(read(me, &text), None);
        }
        assert_eq!(read(me, "nonsense"), Some(Heard::Everything));
        let most = Heard::Leads((0..MAX_TOLD as u128).map(change).collect());
        assert!(format_notice(me, &most).len() < 8_000);
    }

    #[tokio::test]
    async fn what_is_too_much_is_everything() {
        let gathered = Gathered::new(2);
        gathered.add(Heard::Leads(vec![change(1), change(1), change(2)]));
        assert_eq!(gathered.take().await, Heard::Leads(vec![change(1), change(2)]));
        gathered.add(Heard::Leads(vec![change(1), change(2)]));
        gathered.add(Heard::Leads(vec![change(3)]));
        assert_eq!(gathered.take().await, Heard::Everything);
    }
}
