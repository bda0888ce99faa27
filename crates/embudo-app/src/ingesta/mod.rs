//! Ingestion: first the blobs, then one transaction with the rows that name them and the jobs that the call's flags
//! cause.

mod finalize_once;

use std::collections::HashMap;

use embudo_blobs::Staged;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::foto::StoredImage;
use embudo_domain::image::{Content, Image};
use embudo_domain::ingesta::{FotoItem, Ingesta, Item};
use embudo_domain::job::{Destination, JobKind};
use embudo_domain::{Digest, FotoId, JobId, LeadId, NotaId};
use embudo_store::lead_writes::{Ingest, NewFoto, NewNota};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::{Done, FinalizarOutcome, Idempotency, Outcome};

pub use finalize_once::KnownBy;

use crate::blobs::{PutBlob, point_at, with_blobs};
use crate::call_end::{KeySlot, end_call};
use crate::jobs::{PresupuestoPayload, as_text};
use crate::notices::Notice;
use crate::{App, AppError, CallEnd};

/// Photos that were set aside while they arrived ([`Content::Aside`]), by their digests.
pub type Aside = HashMap<Digest, Staged>;

/// Stores what bots and forms send.
#[derive(Clone, Copy)]
pub struct Ingestion<'a> {
    pub(crate) app: &'a App,
}

impl Ingestion<'_> {
    /// Stores the items of one call and makes the jobs that its flags cause, all or nothing. Then waits for the first
    /// attempts of these jobs.
    pub async fn ingest(
        self,
        lead: LeadId,
        ingesta: Ingesta,
        known_by: KnownBy,
    ) -> Result<CallEnd, AppError> {
        self.ingest_aside(lead, ingesta, &Aside::new(), known_by).await
    }

    /// Like [`Self::ingest`], with photos that were set aside.
    pub async fn ingest_aside(
        self,
        lead: LeadId,
        ingesta: Ingesta,
        aside: &Aside,
        known_by: KnownBy,
    ) -> Result<CallEnd, AppError> {
        let signalled = self.signalled(lead, &ingesta).await?;
        let (jobs, follow_up) = self.new_jobs(&ingesta, signalled);
        let own = jobs.iter().filter(|t| t.lease.is_some()).map(|t| t.id).collect::<Vec<_>>();
        let deciding = own.iter().copied().chain(follow_up).collect::<Vec<_>>();
        let counts_bytes = ingesta.finalizar && self.app.outbound.replay.is_positive();
        let (key, by_bytes) = match known_by {
            KnownBy::Key(key) => (Some(key), false),
            KnownBy::Bytes(sha256) if counts_bytes => (Some(Self::key_of_bytes(lead, sha256)), true),
            KnownBy::Bytes(_) | KnownBy::Nothing => (None, false),
        };
        let outcome = so_far(&ingesta);
        let idempotency = key.map(|key| key.with(outcome.clone(), deciding, self.app.now()));
        let slot = KeySlot::of(idempotency.as_ref());
        let events = self.events(&ingesta, signalled);
        let (mut command, placed) = self.prepare(lead, ingesta, aside, events, idempotency).await;
        command.jobs = jobs;
        if by_bytes && let Some(slot) = slot {
            return self.finalize_once(command, &placed, outcome, own, slot).await;
        }
        let done = self.save(command, &placed).await?;
        end_call(self.app, done, outcome, own, slot).await
    }

    /// Stores and sends what the flags of a call cause, for callers that do not wait for it.
    pub(crate) async fn leave(
        self,
        lead: LeadId,
        ingesta: Ingesta,
        jobs: Vec<NewJob>,
        idempotency: Idempotency,
    ) -> Result<Done, AppError> {
        let signalled = self.signalled(lead, &ingesta).await?;
        let events = self.events(&ingesta, signalled);
        let (command, placed) = self.prepare(lead, ingesta, &Aside::new(), events, Some(idempotency)).await;
        self.save(Ingest { jobs, ..command }, &placed).await
    }

    pub(crate) async fn save(self, command: Ingest, placed: &[PutBlob]) -> Result<Done, AppError> {
        let lead = command.lead;
        let fotos: Vec<FotoId> = command.fotos.iter().map(|f| f.id).collect();
        let done = with_blobs(self.app, lead, placed, |swept| {
            self.app.store.ingest(Ingest { swept, ..command.clone() })
        })
        .await;
        if matches!(done, Ok(Done::Now)) {
            self.app.photos().prepare_later(lead, fotos);
        }
        done
    }

    /// Whether the call's flags send a profile signal, and whether there is a receiver for it.
    async fn signalled(self, lead: LeadId, ingesta: &Ingesta) -> Result<Signalled, AppError> {
        if !ingesta.perfil_completo {
            return Ok(Signalled::No);
        }
        let is_received = self.app.receivers_for(lead).await?.has(Destination::Perfil);
        Ok(if is_received { Signalled::Sent } else { Signalled::Simulated })
    }

    /// The jobs that the call's flags cause, and the ids of the jobs that will follow from these.
    fn new_jobs(self, ingesta: &Ingesta, signalled: Signalled) -> (Vec<NewJob>, Vec<JobId>) {
        let (mut jobs, mut follow_up) = (Vec::new(), Vec::new());
        if ingesta.perfil_completo {
            jobs.extend(self.app.jobs().notice(&Notice::PerfilComplete));
            if signalled == Signalled::Sent {
                jobs.push(self.app.jobs().own(JobKind::Perfil, NewPayload::Perfil));
            }
        }
        if ingesta.finalizar {
            let payload = PresupuestoPayload::new(self.app);
            jobs.push(self.app.jobs().own(JobKind::Presupuesto, as_text(&payload)));
            follow_up.extend([payload.mail, payload.pdf]);
        }
        (jobs, follow_up)
    }

    async fn prepare(
        self,
        lead: LeadId,
        ingesta: Ingesta,
        aside: &Aside,
        events: Vec<Event>,
        idempotency: Option<Idempotency>,
    ) -> (Ingest, Vec<PutBlob>) {
        let at = self.app.now();
        let finalizar = ingesta.finalizar;
        let (mut fotos, mut notas, mut placed) = (Vec::new(), Vec::new(), Vec::new());
        for item in ingesta.items {
            match item {
                Item::Foto(foto) => fotos.push(self.prepare_foto(foto, aside, &mut placed).await),
                Item::Text(nota) => {
                    notas.push(NewNota { id: NotaId(self.app.id()), text: nota.text, zona: nota.zona });
                }
            }
        }
        let (jobs, swept, deadlines) = (Vec::new(), Vec::new(), self.app.outbound.deadlines);
        let command =
            Ingest { lead, fotos, notas, events, jobs, finalizar, deadlines, swept, at, idempotency };
        (command, placed)
    }

    async fn prepare_foto(self, foto: FotoItem, aside: &Aside, placed: &mut Vec<PutBlob>) -> NewFoto {
        let image = match foto.image {
            Image::Url(url) => StoredImage::Url(url),
            Image::DataUri { prefix, content } => match content {
                Content::Canonical(bytes) => {
                    StoredImage::Canonical { prefix, bytes: point_at(bytes, placed).await }
                }
                Content::Aside(digest) => {
                    let is_placed = placed.iter().any(|(other, _)| *other == digest);
                    let staged = aside.get(&digest).filter(|_| !is_placed);
                    placed.extend(staged.map(|staged| (digest, staged.clone().into())));
                    StoredImage::Canonical { prefix, bytes: digest }
                }
                Content::Informal { bytes, raw } => StoredImage::Informal {
                    prefix,
                    bytes: point_at(bytes, placed).await,
                    raw: point_at(raw.into_bytes(), placed).await,
                },
                Content::Unreadable { raw } => {
                    StoredImage::Unreadable { prefix, raw: point_at(raw.into_bytes(), placed).await }
                }
            },
        };
        NewFoto {
            id: FotoId(self.app.id()),
            image,
            zona: foto.zona,
            momento: foto.momento,
            orden: foto.orden,
        }
    }

    /// The events that the flags cause at once: a signal without a configured receiver is simulated, and `finalizar`
    /// was requested. The other events are recorded after an attempt.
    fn events(self, ingesta: &Ingesta, signalled: Signalled) -> Vec<Event> {
        let at = self.app.now();
        let event = |kind, simulated| Event { kind, simulated, ok: !simulated, detail: None, creado_en: at };
        let mut events = Vec::new();
        if signalled == Signalled::Simulated {
            events.push(event(EventKind::PerfilComplete, true));
        }
        if ingesta.finalizar {
            events.push(event(EventKind::Finalizar, false));
        }
        events
    }
}

/// The state of a profile signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signalled {
    /// No signal was requested.
    No,
    Sent,
    /// There is no receiver for it.
    Simulated,
}

/// The outcome of a call before any of its jobs was tried.
fn so_far(ingesta: &Ingesta) -> Outcome {
    let fotos = ingesta.items.iter().filter(|item| matches!(item, Item::Foto(_))).count();
    Outcome::Ingested {
        fotos,
        notas: ingesta.items.len() - fotos,
        perfil_accepted: false,
        finalizado: ingesta.finalizar.then(FinalizarOutcome::default),
    }
}
