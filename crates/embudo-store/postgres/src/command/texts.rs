//! Ingestions without photos, and events on their own: notes and events need no lock.

use embudo_domain::event::Event;
use embudo_domain::{LeadId, Timestamp, Zona};
use embudo_store::Result;
use embudo_store::lead_writes::{Ingest, NewNota, RecordEvent};
use uuid::Uuid;

use super::{by_lead, column, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{Sql, params, sql};
use crate::writer::{Grouped, Session};

/// Notes and events of one call. If a commit was in doubt, the events are found by their ids.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(super) lead: LeadId,
    notas: Vec<NewNota>,
    events: Vec<(Uuid, Event)>,
    at: Timestamp,
}

impl From<Ingest> for Texts {
    fn from(command: Ingest) -> Self {
        debug_assert!(command.fotos.is_empty(), "photos are numbered under a lock");
        debug_assert!(command.jobs.is_empty() && !command.finalizar, "jobs and the loop go another way");
        Self::new(command.lead, command.notas, command.events, command.at)
    }
}

impl From<RecordEvent> for Texts {
    fn from(command: RecordEvent) -> Self {
        debug_assert!(command.jobs.is_empty(), "jobs go another way");
        Self::new(command.lead, Vec::new(), command.event.into_iter().collect(), command.at)
    }
}

impl Texts {
    pub(super) fn new(lead: LeadId, notas: Vec<NewNota>, events: Vec<Event>, at: Timestamp) -> Self {
        let events = events.into_iter().map(|e| (Uuid::now_v7(), e)).collect();
        Self { lead, notas, events, at }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.notas.is_empty() && self.events.is_empty()
    }
}

pub(super) static RECORD: &Sql = sql!("nota/record.sql");

impl Grouped for Texts {
    type End = ();

    fn sql() -> Vec<&'static Sql> {
        vec![RECORD]
    }

    fn key(&self) -> Uuid {
        self.lead.0
    }

    fn bytes(&self) -> usize {
        let notas: usize = self.notas.iter().map(|n| n.text.len() + 64).sum();
        notas + self.events.iter().map(|(_, e)| len(e.detail.as_ref()) + 64).sum::<usize>()
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let rows = by_lead(group);
        let notas: Vec<_> = rows.iter().flat_map(|c| c.notas.iter().map(move |n| (*c, n))).collect();
        let events: Vec<_> =
            rows.iter().flat_map(|c| c.events.iter().map(move |(id, e)| (c.lead.0, *id, e))).collect();
        let params = params! {
            lead: column(&rows, |c| c.lead.0),
            n_id: column(&notas, |(_, n)| n.id.0),
            n_lead: column(&notas, |(c, _)| c.lead.0),
            n_texto: column(&notas, |(_, n)| n.text.as_str()),
            n_zona: column(&notas, |(_, n)| n.zona.map(Zona::as_str)),
            n_now: column(&notas, |(c, _)| Instant::from(c.at)),
            e_id: column(&events, |(_, id, _)| *id),
            e_lead: column(&events, |(lead, ..)| *lead),
            e_tipo: column(&events, |(.., e)| e.kind.as_str()),
            e_simulado: column(&events, |(.., e)| e.simulated),
            e_ok: column(&events, |(.., e)| e.ok),
            e_detalle: column(&events, |(.., e)| e.detail.as_deref()),
            e_creado_en: column(&events, |(.., e)| Instant::from(e.creado_en)),
        };
        run_on_leads(on, group, RECORD, params).await
    }
}
