//! Which leads this process has written about, and what the projector must know of these writes: kept in memory from
//! the commit until the leads are projected.
//!
//! Nothing depends on it: what is lost with the process is found again by reading the last appended rows
//! ([`crate::ProjectionStore::tail`]).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use embudo_domain::calificacion::Calificacion;
use embudo_domain::conversacion::Rol;
use embudo_domain::event::EventKind;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::Intento;
use embudo_domain::perfil::{CanalOrigen, Perfil, Urgencia};
use embudo_domain::{LeadId, Timestamp};
use tokio::sync::Notify;

use crate::lead_writes::{Ingest, RecordEvent};
use crate::{Done, Result};

/// The maximum of leads that are remembered; beyond it the projector reads the appended rows instead.
const MAX: usize = 50_000;

/// What happened to a lead since it was last projected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touch {
    /// The time of the last activity of any kind.
    pub activity: Option<Timestamp>,
    /// The last chat turn; a turn of the system only if there is no other.
    pub turn: Option<(Timestamp, Rol)>,
    /// The time of the client's last turn.
    pub client_wrote: Option<Timestamp>,
    /// The time of an attempt that reached the client.
    pub reached: Option<Timestamp>,
    /// Whether the job can be done, if this was written. A job that cannot be done needs no action.
    pub viable: Option<bool>,
    /// Where the lead came from, if this was written.
    pub canal: Option<CanalOrigen>,
    /// Whether it is urgent, and its score, if these were written. Due leads are sorted by both.
    pub urgent: Option<bool>,
    pub score: Option<i64>,
    /// Whether we spoke with the lead, or tried to.
    pub ours: bool,
    /// Whether other facts may have changed, so that all of them must be read again.
    pub anew: bool,
}

impl Touch {
    /// A change that the list shows but by which it is not sorted.
    pub fn seen() -> Self {
        Self::default()
    }

    pub fn activity(at: Timestamp) -> Self {
        Self { activity: Some(at), ..Self::default() }
    }

    pub fn anew() -> Self {
        Self { anew: true, ..Self::default() }
    }

    pub fn turn(rol: Rol, at: Timestamp) -> Self {
        let client_wrote = (rol == Rol::User).then_some(at);
        Self { turn: Some((at, rol)), client_wrote, ours: rol == Rol::Assistant, ..Self::activity(at) }
    }

    pub fn intento(intento: &Intento, at: Timestamp) -> Self {
        let reached = intento.reached_client().then_some(at);
        Self { reached, ours: true, ..Self::activity(at) }
    }

    pub fn perfil(perfil: &Perfil) -> Self {
        let urgent = perfil.urgencia.map(|urgencia| urgencia == Urgencia::Alta);
        Self { viable: perfil.viable, canal: perfil.canal_origen, urgent, ..Self::seen() }
    }

    pub fn calificacion(calificacion: &Calificacion) -> Self {
        Self { score: calificacion.score, ..Self::seen() }
    }

    /// The touch of an ingestion. If it may change the loop's deadline or a wish to be called, the facts are read
    /// again.
    pub fn ingest(command: &Ingest) -> Self {
        let moves = command.finalizar
            || command.fotos.iter().any(|foto| foto.momento == Momento::After)
            || command.events.iter().any(|event| is_fact(event.kind));
        Self { anew: moves, ..Self::activity(command.at) }
    }

    pub fn event(command: &RecordEvent) -> Self {
        match &command.event {
            Some(event) => Self { anew: is_fact(event.kind), ..Self::activity(command.at) },
            None => Self::seen(),
        }
    }

    /// Whether there is something to project.
    pub fn is_projected(&self) -> bool {
        self.anew
            || self.activity.is_some()
            || self.viable.is_some()
            || self.canal.is_some()
            || self.urgent.is_some()
            || self.score.is_some()
    }

    /// Combines this touch with a later one.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        let turn = match (self.turn, later.turn) {
            (Some(one), Some(other)) if other.0 < one.0 || other.1 == Rol::System => Some(one),
            (one, other) => other.or(one),
        };
        Self {
            activity: self.activity.max(later.activity),
            turn,
            client_wrote: self.client_wrote.max(later.client_wrote),
            reached: self.reached.max(later.reached),
            viable: later.viable.or(self.viable),
            canal: later.canal.or(self.canal),
            urgent: later.urgent.or(self.urgent),
            score: later.score.or(self.score),
            ours: self.ours || later.ours,
            anew: self.anew || later.anew,
        }
    }
}

/// Whether facts are derived from events of this kind.
fn is_fact(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Call | EventKind::PerfilComplete | EventKind::RightAsked | EventKind::RightGranted
    )
}

/// The touches that were collected.
#[derive(Debug, Default)]
pub struct Taken {
    pub leads: HashMap<LeadId, Touch>,
    /// Whether there were more leads than can be remembered, so that touches were dropped.
    pub overflowed: bool,
}

#[derive(Debug, Default)]
pub struct Touches {
    gathered: Mutex<Taken>,
    wake: Notify,
}

impl Touches {
    /// Notes a committed write.
    pub fn note(&self, lead: LeadId, touch: Touch) {
        let mut gathered = self.gathered();
        if gathered.leads.len() >= MAX && !gathered.leads.contains_key(&lead) {
            gathered.leads.clear();
            gathered.overflowed = true;
        }
        let was_empty = gathered.leads.is_empty();
        let before = gathered.leads.entry(lead).or_default();
        *before = before.then(touch);
        drop(gathered);
        if was_empty {
            self.wake.notify_one();
        }
    }

    /// Notes the touch if the command was done now, and not in an earlier call.
    pub fn after(&self, end: Result<Done>, lead: LeadId, touch: Touch) -> Result<Done> {
        if matches!(end, Ok(Done::Now)) {
            self.note(lead, touch);
        }
        end
    }

    /// Waits until there is something to take.
    pub async fn woken(&self) {
        self.wake.notified().await;
    }

    pub fn take(&self) -> Taken {
        std::mem::take(&mut *self.gathered())
    }

    /// Gives back touches that could not be projected.
    pub fn give_back(&self, leads: impl IntoIterator<Item = (LeadId, Touch)>) {
        for (lead, touch) in leads {
            self.note(lead, touch);
        }
    }

    fn gathered(&self) -> MutexGuard<'_, Taken> {
        // The map is consistent even if a thread panicked while it held the lock.
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    #[test]
    fn later_turns_lie_over_earlier_ones() {
        let user = Touch::turn(Rol::User, t(1));
        let both = user.then(Touch::turn(Rol::Assistant, t(2)));
        assert_eq!((both.turn, both.client_wrote), (Some((t(2), Rol::Assistant)), Some(t(1))));
        assert_eq!(
            both.then(user).turn,
            Some((t(2), Rol::Assistant)),
            "whatever the order in which they are told"
        );
        let same = user.then(Touch::turn(Rol::Assistant, t(1)));
        assert_eq!(same.turn, Some((t(1), Rol::Assistant)), "of one moment the last one told");
        let noted = user.then(Touch::turn(Rol::System, t(2)));
        assert_eq!(noted.turn, user.turn, "the system answers nobody");
        assert!(both.then(Touch::anew()).anew && both.is_projected());
        assert!(!Touch::seen().is_projected());
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_once_for_what_gathers() {
        let touches = Touches::default();
        let lead = LeadId(Uuid::nil());
        touches.note(lead, Touch::activity(t(1)));
        touches.note(lead, Touch::activity(t(3)));
        touches.woken().await;
        let taken = touches.take();
        assert_eq!(taken.leads[&lead], Touch::activity(t(3)));
        assert!(!taken.overflowed && touches.take().leads.is_empty());
    }
}
