//! Ingestions without photos, and events on their own: notes and events need no lock.

use embudo_domain::event::Event;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::lead_writes::{Ingest, NewNota, RecordEvent};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::writer::{Grouped, Session};

/// Notes and events of one call; the events have ids by which they are found when a commit was in doubt.
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

pub(super) const RECORD: &str = include_str!("../../sql/nota/record.sql");

impl Grouped for Texts {
    type End = ();

    fn sql() -> Vec<&'static str> {
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
        let leads: Vec<Uuid> = rows.iter().map(|c| c.lead.0).collect();

        let notas: Vec<_> = rows.iter().flat_map(|c| c.notas.iter().map(move |n| (*c, n))).collect();
        let n_ids: Vec<Uuid> = notas.iter().map(|(_, n)| n.id.0).collect();
        let n_leads: Vec<Uuid> = notas.iter().map(|(c, _)| c.lead.0).collect();
        let n_texts: Vec<&str> = notas.iter().map(|(_, n)| n.text.as_str()).collect();
        let n_zonas: Vec<Option<&str>> =
            notas.iter().map(|(_, n)| n.zona.map(embudo_domain::Zona::as_str)).collect();
        let n_times: Vec<Instant> = notas.iter().map(|(c, _)| c.at.into()).collect();

        let events: Vec<_> =
            rows.iter().flat_map(|c| c.events.iter().map(move |(id, e)| (c.lead.0, *id, e))).collect();
        let e_ids: Vec<Uuid> = events.iter().map(|(_, id, _)| *id).collect();
        let e_leads: Vec<Uuid> = events.iter().map(|(lead, ..)| *lead).collect();
        let e_kinds: Vec<&str> = events.iter().map(|(.., e)| e.kind.as_str()).collect();
        let e_simulated: Vec<bool> = events.iter().map(|(.., e)| e.simulated).collect();
        let e_oks: Vec<bool> = events.iter().map(|(.., e)| e.ok).collect();
        let e_details: Vec<Option<&str>> = events.iter().map(|(.., e)| e.detail.as_deref()).collect();
        let e_times: Vec<Instant> = events.iter().map(|(.., e)| e.creado_en.into()).collect();

        let values: [&(dyn ToSql + Sync); 13] = [
            &leads,
            &n_ids,
            &n_leads,
            &n_texts,
            &n_zonas,
            &n_times,
            &e_ids,
            &e_leads,
            &e_kinds,
            &e_simulated,
            &e_oks,
            &e_details,
            &e_times,
        ];
        run_on_leads(on, group, RECORD, &values).await
    }
}
