//! The model: what a store holds, in plain maps, with every rule in its shortest form.
//!
//! It is written from the contract, not from an engine; it knows no transaction because it does one thing at a time.

mod writes;

use super::placed::Placed;
use super::step::Step;
use crate::data::change;
use embudo_domain::empresa::Empresa;
use embudo_domain::etapa::{Etapa, EtapaInput};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::Job;
use embudo_domain::job::JobState;
use embudo_domain::lead::{Lead, LeadSummary};
use embudo_domain::obra::Obra;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::presupuesto::{
    DeliveryState, OrderedDelivery, Presupuesto, PresupuestoDelivery, PresupuestoState,
};
use embudo_domain::record::{LeadRecord, StateChange};
use embudo_domain::rendition::Rendition;
use embudo_domain::watched_loop::LoopStep;
use embudo_domain::{Digest, EmpresaId, JobId, LeadId, PresupuestoId, Timestamp};
use embudo_store::blob_marks::{BlobMark, MARK_LIFE};
use embudo_store::idempotency::{KeyRow, decide, write_jobs};
use embudo_store::leads::{EventCursor, LeadFilter, ListedEvent, search_text};
use embudo_store::outcome::TYPED;
use embudo_store::pauses::Pause;
use embudo_store::{Done, Idempotency, Outcome, Result, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The whole state of the model.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) empresas: Vec<Empresa>,
    /// Slugs that companies had before.
    #[cfg(test)]
    pub(crate) former_slugs: HashMap<String, EmpresaId>,
    pub(super) logs: BTreeMap<LeadId, Log>,
    /// Marks and traces, with the moment of the mark.
    pub(crate) marks: BTreeMap<(LeadId, Digest), (BlobMark, Timestamp)>,
    last_time: i64,
    pub(super) keys: HashMap<(String, String), KeyRow>,
    /// Jobs, in the order they were made.
    pub(super) outbox: Vec<Placed>,
    /// The pauses of companies.
    pub(crate) pauses: Vec<(EmpresaId, Pause)>,
    /// Quotes, in the order they were drafted.
    pub(crate) presupuestos: Vec<Presupuesto>,
    /// The deliveries of quotes, in the order in which they were requested.
    pub(crate) deliveries: Vec<Registered>,
    /// The pictures that were made from photos.
    pub(crate) renditions: Vec<Rendition>,
    archived: BTreeSet<LeadId>,
    reopened: BTreeMap<LeadId, Timestamp>,
}

/// A delivery of a quote.
pub(crate) struct Registered {
    pub(crate) of: PresupuestoId,
    pub(crate) pdf_order: OrderedDelivery,
    pub(crate) at: Timestamp,
    /// The state and end of its job when the job was purged; `None` if no job was purged.
    pub(crate) remained: Option<(JobState, Option<Timestamp>)>,
}

/// A lead with the data that its record does not show.
pub(crate) struct Log {
    /// The record's events are only the lead's own here; changes of state are merged in when it is read.
    pub(crate) record: LeadRecord,
    email_normal: String,
    history: Vec<StateChange>,
    /// When the last call with `finalizar` came; `None` if none came.
    pub(super) finalizado_en: Option<Timestamp>,
}

impl Log {
    fn note_down(&mut self, estado_wa: Option<EstadoWa>, bot_step: Option<&String>, at: Timestamp) {
        let estado_wa = estado_wa.map(|value| ("estado_wa", value.to_string()));
        let bot_step = bot_step.map(|value| ("bot_step", value.clone()));
        for (field, value) in estado_wa.into_iter().chain(bot_step) {
            self.history.push(StateChange { field: field.to_owned(), value, creado_en: at });
        }
    }

    fn search(&self) -> String {
        let l = &self.record.lead;
        search_text(&l.nombre, &l.email, &l.telefono_e164, l.provincia.as_deref())
    }
}

impl World {
    /// The etapa of a lead, from its record.
    pub(crate) fn etapa(&self, lead: LeadId) -> Result<Etapa> {
        let record = self.record(lead)?;
        let quotes = || self.presupuestos.iter().filter(|p| p.lead == lead);
        let is_declined = |p: &Presupuesto| {
            let answered = p.answer.as_ref().map(|answer| answer.at);
            p.state == PresupuestoState::Rechazado
                && p.open_visit().is_none()
                && answered > self.reopened.get(&lead).copied()
        };
        Ok(Etapa::of(&EtapaInput {
            archived: self.archived.contains(&lead),
            declined: quotes().any(is_declined),
            accepted: quotes().any(|p| p.state == PresupuestoState::Aceptado),
            progress: None,
            future_visit: false,
            draft_to_review: false,
            issued: quotes()
                .any(|p| matches!(p.state, PresupuestoState::Emitido | PresupuestoState::Rechazado)),
            waits_for_renders: record.lead.watched_loop.is_some_and(|b| b.step == LoopStep::AwaitingRenders),
            profile_signalled: record.events.iter().any(|e| e.kind == EventKind::PerfilComplete),
            has_turns: !record.conversacion.is_empty(),
        }))
    }

    /// Runs one step; returns what a store must answer.
    pub(crate) fn make(&mut self, step: Step) -> Result<String> {
        if let Some(decided) = step.key().and_then(|key| self.decide(key)) {
            return decided.map(|done| format!("{done:?}"));
        }
        let key = step.key().cloned();
        let answer = match step {
            Step::Outbox(step) => return self.make_outbox(step),
            Step::Create(c) => self.create(*c)?,
            Step::Contact(c) => self.contact(c)?,
            Step::Turno(c) => self.turno(c)?,
            Step::Perfil(c) => self.perfil(&c)?,
            Step::Calificacion(c) => self.calificacion(c)?,
            Step::Intento(c) => self.intento(c)?,
            Step::Ingesta(c) => self.ingesta(c)?,
            Step::Event(c) => self.event(c)?,
            Step::Empty(c) => self.empty(c)?,
            Step::Nota(c) => self.nota(c)?,
            Step::DeleteFoto(lead, foto, at) => {
                let record = &mut self.log(lead).map_err(|_| StoreError::FotoNotFound)?.record;
                let place = record.fotos.iter().position(|f| f.id == foto).ok_or(StoreError::FotoNotFound)?;
                record.fotos.remove(place);
                record.lead.actualizado_en = record.lead.actualizado_en.max(at);
                self.renditions.retain(|r| (r.lead, r.foto) != (lead, foto));
                String::new()
            }
            Step::Mark(lead, digest, at) => {
                let living = self.marks.get(&(lead, digest));
                let living = living.is_some_and(|(m, since)| !m.sweep && *since >= at - MARK_LIFE);
                let free = !living && !self.in_use(lead, digest);
                if free {
                    self.last_time += 1;
                    let mark = BlobMark { digest, nth: self.last_time, sweep: false };
                    self.marks.insert((lead, digest), (mark, at));
                }
                free.to_string()
            }
            Step::Archive(lead, _) => {
                (self.logs.contains_key(&lead) && self.archived.insert(lead)).to_string()
            }
            Step::Reopen(lead, at) => {
                self.log(lead)?;
                self.archived.remove(&lead);
                self.reopened.insert(lead, at);
                self.etapa(lead)?.to_string()
            }
            Step::Sweep(lead, digest) => {
                self.marks.entry((lead, digest)).and_modify(|(m, _)| m.sweep = true);
                String::new()
            }
        };
        if let Some(key) = key {
            self.save(key);
        }
        Ok(answer)
    }

    /// What a stored key means for a call with the same key; `None` when the key is free.
    pub(crate) fn decide(&self, key: &Idempotency) -> Option<Result<Done>> {
        decide(self.keys.get(&(key.scope.clone(), key.key.clone()))?, key)
    }

    /// Deletes at most `max` expired keys.
    #[cfg(test)]
    pub(crate) fn purge(&mut self, at: Timestamp, max: u32) -> u64 {
        let expired = self.keys.iter().filter(|(_, row)| row.expira_en < at);
        let these: Vec<_> = expired.map(|(k, _)| k.clone()).take(max as usize).collect();
        these.iter().for_each(|k| drop(self.keys.remove(k)));
        these.len() as u64
    }

    fn save(&mut self, key: Idempotency) {
        let row = KeyRow {
            cuerpo_sha256: key.cuerpo_sha256.to_vec(),
            status: TYPED,
            body: key.outcome.write(),
            jobs: write_jobs(&key.jobs),
            expira_en: key.expira_en,
        };
        self.keys.insert((key.scope, key.key), row);
    }

    /// Makes a provisional outcome final.
    pub(crate) fn complete(
        &mut self,
        scope: String,
        key: String,
        outcome: &Outcome,
        expira_en: Option<Timestamp>,
    ) {
        if let Some(row) = self.keys.get_mut(&(scope, key)).filter(|f| !f.jobs.is_empty()) {
            (row.body, row.jobs) = (outcome.write(), String::new());
            row.expira_en = expira_en.unwrap_or(row.expira_en);
        }
    }

    pub(crate) fn log(&mut self, lead: LeadId) -> Result<&mut Log> {
        self.logs.get_mut(&lead).ok_or(StoreError::LeadNotFound)
    }

    /// Uses blobs. Refused while one of them is being swept, or was swept after its bytes were put; the traces that the
    /// call knows are removed.
    pub(crate) fn use_(&mut self, lead: LeadId, digests: &[Digest], swept: &[(Digest, i64)]) -> Result<()> {
        let prevents = |h: &Digest| {
            let mark = self.marks.get(&(lead, *h)).map(|(m, _)| *m);
            mark.is_some_and(|m| !m.sweep || !swept.contains(&(*h, m.nth)))
        };
        if digests.iter().any(prevents) {
            return Err(StoreError::BlobMarked);
        }
        self.marks.retain(|(of, h), _| *of != lead || !digests.contains(h));
        Ok(())
    }

    /// Every lead's id.
    pub(crate) fn leads(&self) -> impl Iterator<Item = LeadId> {
        self.logs.keys().copied()
    }

    /// The record that a store must show.
    pub(crate) fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        let r = self.logs.get(&lead).ok_or(StoreError::LeadNotFound)?;
        let (me, mut record) = (&r.record.lead, r.record.clone());
        let (first, last) = lead.of_same_ticket();
        let equal = |o: &&Log| {
            let other = &o.record.lead;
            let same_telefono = me.e164().is_some() && other.telefono_e164 == me.telefono_e164;
            let same_email = !r.email_normal.is_empty() && o.email_normal == r.email_normal;
            let same_contact = same_telefono || same_email;
            other.id != lead
                && other.empresa.id == me.empresa.id
                && (same_contact || (first..=last).contains(&other.id))
        };
        record.duplicates = self.logs.values().filter(equal).map(|o| o.record.lead.id).collect();
        record.events = self.events(lead)?.into_iter().map(|e| e.event).collect();
        let own = self.presupuestos.iter().filter(|p| p.lead == lead);
        record.presupuestos = own.rev().map(Presupuesto::summary).collect();
        PresupuestoDelivery::spread(&mut record.presupuestos, &self.deliveries());
        self.with_empresa(&mut record.lead);
        Ok(record)
    }

    /// The state of every delivery.
    fn deliveries(&self) -> Vec<(PresupuestoId, PresupuestoDelivery)> {
        let one = |r: &Registered| {
            let OrderedDelivery { channel, job, simulated } = r.pdf_order;
            let alive = self.put(job).ok().map(|p| (p.job.state, p.job.terminado_en));
            let job = alive.or(r.remained);
            let state = DeliveryState::of(simulated, job.map(|(state, _)| state));
            let at = job.and_then(|(_, terminado_en)| terminado_en).unwrap_or(r.at);
            (r.of, PresupuestoDelivery { channel, state, at })
        };
        self.deliveries.iter().map(one).collect()
    }

    /// Puts the company as it is now into a lead; it may have changed since the lead was written.
    fn with_empresa(&self, lead: &mut Lead) {
        let empresa = self.empresas.iter().find(|e| e.id == lead.empresa.id);
        lead.empresa = empresa.expect("companies are never removed").clone();
    }

    /// The events that a store must show, changes of state among them.
    pub(crate) fn events(&self, lead: LeadId) -> Result<Vec<ListedEvent>> {
        let r = self.logs.get(&lead).ok_or(StoreError::LeadNotFound)?;
        let changes = r.history.iter().map(|c| {
            let kind = EventKind::parse(&c.field).expect("a field of the history is a kind of event");
            change(kind, &c.value, c.creado_en)
        });
        let with_place = |class| {
            move |(n, event): (usize, Event)| {
                let n = i64::try_from(n).expect("few events");
                ListedEvent { cursor: EventCursor { creado_en: event.creado_en, class, n }, event }
            }
        };
        let own = r.record.events.iter().cloned().enumerate().map(with_place(0));
        let mut all: Vec<_> = own.chain(changes.enumerate().map(with_place(1))).collect();
        all.sort_by_key(|e| e.cursor);
        Ok(all)
    }

    /// The history that a store must show.
    pub(crate) fn history(&self, lead: LeadId) -> &[StateChange] {
        &self.logs[&lead].history
    }

    /// Whether a row of the lead names the blob.
    pub(crate) fn in_use(&self, lead: LeadId, digest: Digest) -> bool {
        let fotos = self.logs.get(&lead).map(|r| r.record.fotos.as_slice()).unwrap_or_default();
        let mut pdfs = self.presupuestos.iter().filter(|p| p.lead == lead).filter_map(|p| p.pdf);
        fotos.iter().any(|f| f.image.digests().any(|h| h == digest))
            || self.renditions.iter().any(|r| r.lead == lead && r.digests().any(|h| h == digest))
            || pdfs.any(|pdf| pdf.digest == digest)
    }

    pub(crate) fn marked(&self) -> Vec<(LeadId, Digest)> {
        self.marks.iter().filter(|(_, (m, _))| !m.sweep).map(|(k, _)| *k).collect()
    }

    /// The traces of a lead, as an ingestion that put the bytes again would name them.
    pub(super) fn traces(&self, lead: LeadId) -> Vec<(Digest, i64)> {
        let own = self.marks.iter().filter(|((of, _), (m, _))| *of == lead && m.sweep);
        own.map(|(_, (m, _))| (m.digest, m.nth)).collect()
    }

    pub(super) fn ids(&self, which: impl Fn(&Job) -> bool) -> Vec<JobId> {
        self.outbox.iter().map(|p| &p.job).filter(|t| which(t)).map(|t| t.id).collect()
    }

    /// The first key whose answer is provisional, if there is one.
    pub(super) fn key_in_progress(&self) -> Option<(String, String)> {
        self.keys.iter().filter(|(_, row)| !row.jobs.is_empty()).map(|(k, _)| k.clone()).min()
    }

    /// All the pages that a store must show under a filter.
    pub(crate) fn list(&self, f: &LeadFilter) -> Vec<LeadSummary> {
        let mut list: Vec<LeadSummary> = self.logs.values().filter(|r| meets(f, r)).map(summary).collect();
        list.iter_mut().for_each(|r| self.with_empresa(&mut r.lead));
        list.sort_by_key(|r| std::cmp::Reverse((r.lead.creado_en, r.lead.id)));
        list
    }
}

fn now() -> Result<String> {
    Ok(format!("{:?}", Done::Now))
}

fn summary(r: &Log) -> LeadSummary {
    let c = r.record.calificacion.as_ref();
    LeadSummary {
        lead: Lead { obra: Obra::default(), ..r.record.lead.clone() },
        nivel: c.and_then(|c| c.nivel),
        score: c.and_then(|c| c.score),
    }
}

fn meets(f: &LeadFilter, r: &Log) -> bool {
    let (l, nivel) = (&r.record.lead, r.record.calificacion.as_ref().and_then(|c| c.nivel));
    f.empresa.is_none_or(|e| l.empresa.id == e)
        && f.telefono_e164.as_ref().is_none_or(|t| l.telefono_e164 == *t)
        && f.email_normal.as_ref().is_none_or(|e| r.email_normal == *e)
        && f.tipo_reforma.is_none_or(|z| l.perfil.tipo_reforma == Some(z))
        && f.nivel.is_none_or(|n| nivel == Some(n))
        && f.canal_origen.is_none_or(|c| l.perfil.canal_origen == Some(c))
        && f.viable.is_none_or(|v| l.perfil.viable == Some(v))
        && f.estado_wa.is_none_or(|e| l.perfil.estado_wa == Some(e))
        && f.text.as_ref().is_none_or(|t| r.search().contains(t.as_str()))
        && f.since.is_none_or(|d| l.creado_en >= d)
        && f.until.is_none_or(|h| l.creado_en < h)
}
