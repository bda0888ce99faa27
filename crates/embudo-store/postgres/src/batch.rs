//! What waits for a writer, and how much of it goes together.

use std::collections::HashSet;

use embudo_domain::LeadId;
use embudo_store::command::{AppendTurno, RecordIntento, UpsertCalificacion};
use embudo_store::{Hecho, Result, StoreError};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::command::{Grouped, Perfil, Textos};

/// How many bytes may travel together; a larger command travels alone.
const MAX_BYTES: usize = 4 << 20;

/// What becomes of a command that was to go together with others.
pub(crate) enum Verdict<K, T> {
    /// It is done, or was refused for a reason of its own.
    Told(Result<T>),
    /// Its group came to nothing, perhaps for a neighbour's sake: to be run alone. It has the same ids, so that it does no harm if
    /// the group's commit was in doubt.
    Alone(K),
}

/// A command and whoever waits for it.
pub(crate) struct Errand<K> {
    pub(crate) command: K,
    reply: oneshot::Sender<Verdict<K, Hecho>>,
}

impl<K: Grouped> Errand<K> {
    /// An errand and the place where its end will be told.
    pub(crate) fn new(command: K) -> (Self, oneshot::Receiver<Verdict<K, Hecho>>) {
        let (reply, end) = oneshot::channel();
        (Self { command, reply }, end)
    }

    /// Tells the end. Whoever waited may have gone; the work is done all the same.
    fn answer(self, end: Result<Hecho>) {
        let _ = self.reply.send(Verdict::Told(end));
    }
}

/// Tells everyone that it is done, except those whose lead does not exist.
pub(crate) fn answer_all<K: Grouped>(errands: Vec<Errand<K>>, missing: &[Uuid]) {
    let missing: HashSet<&Uuid> = missing.iter().collect();
    for errand in errands {
        let exists = missing.is_empty() || !missing.contains(&errand.command.lead().0);
        errand.answer(if exists { Ok(Hecho::Ahora) } else { Err(StoreError::LeadNotFound) });
    }
}

/// Gives every command back to its caller, to be run alone.
pub(crate) fn hand_back<K: Grouped>(errands: Vec<Errand<K>>) {
    for Errand { command, reply } in errands {
        let _ = reply.send(Verdict::Alone(command));
    }
}

/// Tells everyone that storage is away.
pub(crate) fn turn_away<K: Grouped>(errands: Vec<Errand<K>>, why: &str) {
    for errand in errands {
        errand.answer(Err(StoreError::Unavailable(why.to_owned())));
    }
}

/// An errand of any kind.
pub(crate) enum Item {
    Turno(Errand<AppendTurno>),
    Perfil(Errand<Perfil>),
    Calificacion(Errand<UpsertCalificacion>),
    Intento(Errand<RecordIntento>),
    Textos(Errand<Textos>),
}

impl Item {
    fn bytes(&self) -> usize {
        match self {
            Self::Turno(e) => e.command.bytes(),
            Self::Perfil(e) => e.command.bytes(),
            Self::Calificacion(e) => e.command.bytes(),
            Self::Intento(e) => e.command.bytes(),
            Self::Textos(e) => e.command.bytes(),
        }
    }
}

/// Errands that go together, by kind.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) turnos: Vec<Errand<AppendTurno>>,
    pub(crate) perfiles: Vec<Errand<Perfil>>,
    pub(crate) calificaciones: Vec<Errand<UpsertCalificacion>>,
    pub(crate) intentos: Vec<Errand<RecordIntento>>,
    pub(crate) textos: Vec<Errand<Textos>>,
    len: usize,
    bytes: usize,
    /// Leads whose states a turn of this batch updates, and leads that a profile of this batch updates.
    by_turno: HashSet<LeadId>,
    by_perfil: HashSet<LeadId>,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether this errand may join. Two kinds never write the same lead's row in one batch, because the kinds are separate
    /// statements and the order of arrival must hold.
    pub(crate) fn admits(&self, item: &Item) -> bool {
        if !self.is_empty() && self.bytes + item.bytes() > MAX_BYTES {
            return false;
        }
        match item {
            Item::Turno(e) => !(changes_lead(&e.command) && self.by_perfil.contains(&e.command.lead)),
            Item::Perfil(e) => !self.by_turno.contains(&e.command.lead()),
            _ => true,
        }
    }

    pub(crate) fn push(&mut self, item: Item) {
        self.len += 1;
        self.bytes += item.bytes();
        match item {
            Item::Turno(errand) => {
                if changes_lead(&errand.command) {
                    self.by_turno.insert(errand.command.lead);
                }
                self.turnos.push(errand);
            }
            Item::Perfil(errand) => {
                self.by_perfil.insert(errand.command.lead());
                self.perfiles.push(errand);
            }
            Item::Calificacion(errand) => self.calificaciones.push(errand),
            Item::Intento(errand) => self.intentos.push(errand),
            Item::Textos(errand) => self.textos.push(errand),
        }
    }

    /// Tells everyone that storage is away.
    pub(crate) fn turn_away(self, why: &str) {
        turn_away(self.turnos, why);
        turn_away(self.perfiles, why);
        turn_away(self.calificaciones, why);
        turn_away(self.intentos, why);
        turn_away(self.textos, why);
    }
}

fn changes_lead(command: &AppendTurno) -> bool {
    command.turno.estado_wa.is_some() || command.turno.bot_step.is_some()
}
