//! Ingestions without photos, and events on their own: notes and events need no lock.

use embudo_domain::evento::Evento;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::command::{Ingest, NotaNueva, RecordEvento};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instante;
use crate::writer::{Grouped, Session};

/// Notes and events of one call; the events have ids by which they are found when a commit was in doubt.
#[derive(Debug)]
pub(crate) struct Textos {
    pub(super) lead: LeadId,
    notas: Vec<NotaNueva>,
    eventos: Vec<(Uuid, Evento)>,
    en: Timestamp,
}

impl From<Ingest> for Textos {
    fn from(command: Ingest) -> Self {
        debug_assert!(command.fotos.is_empty(), "photos are numbered under a lock");
        debug_assert!(command.trabajos.is_empty() && !command.finalizar, "jobs and the loop go another way");
        Self::new(command.lead, command.notas, command.eventos, command.en)
    }
}

impl From<RecordEvento> for Textos {
    fn from(command: RecordEvento) -> Self {
        debug_assert!(command.trabajos.is_empty(), "jobs go another way");
        Self::new(command.lead, Vec::new(), command.evento.into_iter().collect(), command.en)
    }
}

impl Textos {
    pub(super) fn new(lead: LeadId, notas: Vec<NotaNueva>, eventos: Vec<Evento>, en: Timestamp) -> Self {
        let eventos = eventos.into_iter().map(|e| (Uuid::now_v7(), e)).collect();
        Self { lead, notas, eventos, en }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.notas.is_empty() && self.eventos.is_empty()
    }
}

pub(super) const RECORD: &str = include_str!("../../sql/nota/record.sql");

impl Grouped for Textos {
    type End = ();

    fn sql() -> Vec<&'static str> {
        vec![RECORD]
    }

    fn key(&self) -> Uuid {
        self.lead.0
    }

    fn bytes(&self) -> usize {
        let notas: usize = self.notas.iter().map(|n| n.texto.len() + 64).sum();
        notas + self.eventos.iter().map(|(_, e)| len(e.detalle.as_ref()) + 64).sum::<usize>()
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let rows = by_lead(group);
        let leads: Vec<Uuid> = rows.iter().map(|c| c.lead.0).collect();

        let notas: Vec<_> = rows.iter().flat_map(|c| c.notas.iter().map(move |n| (*c, n))).collect();
        let n_ids: Vec<Uuid> = notas.iter().map(|(_, n)| n.id.0).collect();
        let n_leads: Vec<Uuid> = notas.iter().map(|(c, _)| c.lead.0).collect();
        let n_textos: Vec<&str> = notas.iter().map(|(_, n)| n.texto.as_str()).collect();
        let n_zonas: Vec<Option<&str>> =
            notas.iter().map(|(_, n)| n.zona.map(embudo_domain::Zona::as_str)).collect();
        let n_times: Vec<Instante> = notas.iter().map(|(c, _)| c.en.into()).collect();

        let eventos: Vec<_> =
            rows.iter().flat_map(|c| c.eventos.iter().map(move |(id, e)| (c.lead.0, *id, e))).collect();
        let e_ids: Vec<Uuid> = eventos.iter().map(|(_, id, _)| *id).collect();
        let e_leads: Vec<Uuid> = eventos.iter().map(|(lead, ..)| *lead).collect();
        let e_tipos: Vec<&str> = eventos.iter().map(|(.., e)| e.tipo.as_str()).collect();
        let e_simulados: Vec<bool> = eventos.iter().map(|(.., e)| e.simulado).collect();
        let e_oks: Vec<bool> = eventos.iter().map(|(.., e)| e.ok).collect();
        let e_detalles: Vec<Option<&str>> = eventos.iter().map(|(.., e)| e.detalle.as_deref()).collect();
        let e_times: Vec<Instante> = eventos.iter().map(|(.., e)| e.creado_en.into()).collect();

        let values: [&(dyn ToSql + Sync); 13] = [
            &leads,
            &n_ids,
            &n_leads,
            &n_textos,
            &n_zonas,
            &n_times,
            &e_ids,
            &e_leads,
            &e_tipos,
            &e_simulados,
            &e_oks,
            &e_detalles,
            &e_times,
        ];
        run_on_leads(on, group, RECORD, &values).await
    }
}
