//! Broadcasts which leads changed to the streams of this process: changes that this process wrote, once they are
//! projected, and changes that other processes report. Also broadcasts which people's rights or sessions changed, so
//! that their streams check at once whether they may continue.

use embudo_domain::UserId;
use embudo_store::projection::{Heard, LeadChange};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// A receiver that falls behind by more than this gets `Changed::Everything` instead.
const BACKLOG: usize = 256;
/// If more leads than this change at once, the broadcast says that everything may have changed.
const ONE_BY_ONE: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Lead(LeadChange),
    /// The rights of this person changed, or one of their sessions ended.
    Person(UserId),
    /// Any lead may have changed, and any person.
    Everything,
}

/// Clones are handles to the same broadcast.
#[derive(Debug, Clone)]
pub struct Changes {
    sender: broadcast::Sender<Changed>,
}

impl Default for Changes {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(BACKLOG) }
    }
}

impl Changes {
    /// Subscribes to all changes from now on.
    pub fn subscribe(&self) -> ChangeStream {
        ChangeStream(self.sender.subscribe())
    }

    /// The number of subscribed streams.
    pub fn subscribers(&self) -> usize {
        self.sender.receiver_count()
    }

    /// Broadcasts changes. It does not matter if there is no subscriber.
    pub(crate) fn publish(&self, changes: &Heard) {
        match changes {
            Heard::Leads(leads) => {
                for change in leads {
                    let _ = self.sender.send(Changed::Lead(*change));
                }
            }
            Heard::People(people) => {
                for person in people {
                    let _ = self.sender.send(Changed::Person(*person));
                }
            }
            Heard::Everything => {
                let _ = self.sender.send(Changed::Everything);
            }
        }
    }
}

/// The change to broadcast: each lead separately if they are few, otherwise that everything may have changed.
pub(crate) fn to_broadcast(leads: Vec<LeadChange>) -> Heard {
    if leads.len() > ONE_BY_ONE { Heard::Everything } else { Heard::Leads(leads) }
}

/// Whether this number of leads is broadcast one by one.
pub(crate) fn is_broadcast_one_by_one(leads: usize) -> bool {
    leads <= ONE_BY_ONE
}

/// The stream of changes of one subscriber.
#[derive(Debug)]
pub struct ChangeStream(broadcast::Receiver<Changed>);

impl ChangeStream {
    /// The next change; `None` when there will be no more changes.
    pub async fn next(&mut self) -> Option<Changed> {
        match self.0.recv().await {
            Ok(change) => Some(change),
            Err(RecvError::Lagged(_)) => {
                // Drop the rest of the backlog: `Changed::Everything` includes it.
                self.0 = self.0.resubscribe();
                Some(Changed::Everything)
            }
            Err(RecvError::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use embudo_domain::{EmpresaId, LeadId};
    use uuid::Uuid;

    use super::*;

    fn change(n: u128) -> LeadChange {
        LeadChange { lead: LeadId(Uuid::from_u128(n)), empresa: EmpresaId(Uuid::nil()) }
    }

    #[tokio::test]
    async fn whoever_falls_behind_hears_of_everything_once() {
        let changes = Changes::default();
        let mut stream = changes.subscribe();
        changes.publish(&Heard::Leads(vec![change(1)]));
        assert_eq!(stream.next().await, Some(Changed::Lead(change(1))));
        for n in 0..=BACKLOG as u128 {
            changes.publish(&Heard::Leads(vec![change(n)]));
        }
        assert_eq!(stream.next().await, Some(Changed::Everything));
        changes.publish(&Heard::Leads(vec![change(7)]));
        assert_eq!(stream.next().await, Some(Changed::Lead(change(7))));
        drop(changes);
        assert_eq!(stream.next().await, None);
    }
}
