//! Calls that send something out: ingestions without photos, and events, with jobs.
//!
//! Two journeys: the leads are locked and read, the domain says what the jobs say, and they are written with the commit.

use std::collections::HashMap;

use embudo_domain::evento::Evento;
use embudo_domain::trabajo::Trabajo;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::command::{Ingest, NotaNueva, RecordEvento};
use embudo_store::{Result, StoreError};
use uuid::Uuid;

use super::textos::{self, Textos};
use super::{locked_leads, trabajo};
use crate::failure::Step;
use crate::writer::{Claim, Grouped, Lane, Session};

/// What one call writes and sends out.
#[derive(Debug)]
pub(crate) struct CallWithJobs {
    textos: Textos,
    trabajos: Vec<NuevoTrabajo>,
    en: Timestamp,
}

/// How it ended.
#[derive(Debug, Default)]
pub(crate) struct JobsMade {
    /// Jobs under a lease, as they were made.
    pub(crate) leased: Vec<Trabajo>,
    /// Whether it made a job that waits for whoever comes.
    pub(crate) sueltos: bool,
}

impl From<Ingest> for CallWithJobs {
    fn from(command: Ingest) -> Self {
        debug_assert!(
            command.fotos.is_empty() && !command.finalizar,
            "numbers and the loop are not for groups"
        );
        Self::new(command.lead, command.notas, command.eventos, command.trabajos, command.en)
    }
}

impl From<RecordEvento> for CallWithJobs {
    fn from(command: RecordEvento) -> Self {
        let eventos = command.evento.into_iter().collect();
        Self::new(command.lead, Vec::new(), eventos, command.trabajos, command.en)
    }
}

impl CallWithJobs {
    fn new(
        lead: LeadId,
        notas: Vec<NotaNueva>,
        eventos: Vec<Evento>,
        trabajos: Vec<NuevoTrabajo>,
        en: Timestamp,
    ) -> Self {
        Self { textos: Textos::new(lead, notas, eventos, en), trabajos, en }
    }

    fn lead(&self) -> LeadId {
        self.textos.lead
    }
}

impl Grouped for CallWithJobs {
    type End = JobsMade;

    const LANE: Lane = Lane::Jobs;
    const IS_TRANSACTION: bool = true;

    fn sql() -> Vec<&'static str> {
        vec![textos::RECORD, locked_leads::LEADS, locked_leads::FOTOS, locked_leads::NOTAS, trabajo::INSERT]
    }

    fn key(&self) -> Uuid {
        self.lead().0
    }

    /// The signal of a second call says what the first one wrote.
    fn claim(&self) -> Claim {
        Claim::Only(self.lead().0)
    }

    fn bytes(&self) -> usize {
        let said = |t: &NuevoTrabajo| match &t.carga {
            CargaNueva::Texto(texto) => texto.len(),
            _ => 1024,
        };
        self.textos.bytes() + self.trabajos.iter().map(said).sum::<usize>()
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<JobsMade>>> {
        let textos: Vec<&Textos> = group.iter().map(|c| &c.textos).filter(|t| !t.is_empty()).collect();
        // They travel together, in this order. Notes come first, so that they are in the signal.
        let (begun, written, fichas) = tokio::join!(
            biased;
            on.begin(),
            async { if textos.is_empty() { Ok(Vec::new()) } else { Textos::run(on, &textos).await } },
            locked_leads::read(on, group.iter().map(|c| (c.lead(), &c.trabajos[..]))),
        );
        begun?;
        written?;
        let fichas = fichas?;
        let mut nuevos = Vec::with_capacity(group.len());
        for c in group {
            let Some(ficha) = fichas.get(&c.lead()) else { continue };
            nuevos.extend(trabajo::ready(&c.trabajos, ficha, c.en)?);
        }
        nuevos.sort_by_key(|(_, job)| job.lead);
        let (made, committed) = tokio::join!(biased; trabajo::write(on, &nuevos), on.commit());
        let made = made?;
        committed?;

        let mut ends: HashMap<LeadId, JobsMade> =
            fichas.into_keys().map(|lead| (lead, JobsMade::default())).collect();
        for (nuevo, job) in nuevos {
            let end = ends.get_mut(&job.lead).expect("jobs are made for leads that exist");
            match nuevo.arriendo {
                // One that was there already waits for whoever makes it be tried, as it did before.
                Some(_) if made.contains(&job.id.0) => end.leased.push(job),
                Some(_) => {}
                None => end.sueltos = true,
            }
        }
        // Two calls of one lead never share a group.
        Ok(group.iter().map(|c| ends.remove(&c.lead()).ok_or(StoreError::LeadNotFound)).collect())
    }
}
