//! Quotes that people write: opened from the price table or from an older version, saved, previewed, and sent.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::checklist::missing_on_quotes;
use embudo_domain::errors::Invalid;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::JobKind;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::draft::{Draft, Recalculated};
use embudo_domain::presupuesto::{Character, Document, Presupuesto, Validity};
use embudo_domain::record::LeadRecord;
use embudo_domain::{JobId, LeadId, PresupuestoId};
use embudo_store::drafts::{
    DraftChange, DraftReason, DraftStretch, OpenDraft, Opened, SaveDraft, SealDraft, SeenDraft, StoredDraft,
    StretchAudit,
};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::presupuestos::NewPresupuesto;
use embudo_store::{CallKey, Outcome, StoreError};
use jiff::SignedDuration;

use super::Quotes;
use crate::jobs::{PresupuestoPayload, as_text};
use crate::notices::Notice;
use crate::{Actor, AppError};

/// For how long no second notice about a draft is sent; longer than a draft stays open.
const TOLD_LIFE: SignedDuration = SignedDuration::from_hours(400 * 24);

/// A stretch of editing ends when its person has not saved for this time.
const STRETCH_PAUSE: SignedDuration = SignedDuration::from_mins(30);

/// The starting point of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// The last version that a person sent, otherwise the price table.
    Latest,
    /// This quote of the lead.
    Version(PresupuestoId),
    /// An empty draft of this lead.
    Scratch,
}

/// What caused a quote that a person must review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewOf {
    Finalizar,
    /// The end of the form. One mail is about the form and the draft.
    Form,
}

/// The result of sending.
#[derive(Debug)]
pub enum Sent {
    Done(Box<Presupuesto>),
    /// Another person saved the draft meanwhile.
    Stale(StoredDraft),
    /// The draft was sent or discarded.
    Gone,
    /// The draft cannot be sent as it is.
    Invalid(Invalid),
}

/// A draft in the state in which it is shown.
#[derive(Debug, Clone)]
pub struct CurrentDraft {
    /// The draft with its revision, or with the revision that it gets when it is stored.
    pub draft: StoredDraft,
    /// Whether it is stored in this state.
    pub is_saved: bool,
}

impl Quotes<'_> {
    /// The lead's draft, opened if there is none.
    pub async fn open(
        self,
        lead: LeadId,
        beginning: Beginning,
        actor: &Actor,
    ) -> Result<StoredDraft, AppError> {
        let record = self.app.store.record(lead).await?;
        let draft = self.begin(&record, beginning).await?;
        let mut audit = self.app.access().audit(actor, AuditAction::QuoteBegun);
        audit.empresa = Some(record.lead.empresa.id);
        audit.object = Some(lead.to_string());
        let command = OpenDraft {
            id: PresupuestoId(self.app.id()),
            lead,
            reason: DraftReason::ByHand,
            json: text(&draft),
            by: actor.user,
            event: None,
            jobs: Vec::new(),
            at: self.app.now(),
            audit: Some(audit),
        };
        Ok(self.app.store.open_draft(command).await?.into_draft())
    }

    /// Whether a quote of this lead is sent without review: its company's data is complete, the company does not review
    /// quotes, and no draft is open.
    pub async fn sends_at_once(self, lead: &Lead) -> Result<bool, AppError> {
        let (store, empresa) = (&self.app.store, lead.empresa.id);
        Ok(store.draft_of(lead.id).await?.is_none()
            && !store.settings(empresa).await?.review
            && missing_on_quotes(&lead.empresa, &store.brand(empresa).await?.brand).is_empty())
    }

    async fn begin(self, record: &LeadRecord, beginning: Beginning) -> Result<Draft, AppError> {
        let (lead, with) = (&record.lead, self.ingredients(record).await?);
        let base = with.base();
        Ok(match beginning {
            Beginning::Scratch => Draft::empty(lead, base),
            Beginning::Latest => match self.app.store.last_sent_draft(lead.id).await? {
                Some((_, json)) => {
                    Draft::read(json.as_bytes()).unwrap_or_else(|_| Draft::of_lead(lead, base))
                }
                None => Draft::of_lead(lead, base),
            },
            Beginning::Version(id) => {
                let quote = self.app.store.presupuesto(id).await?;
                if quote.lead != lead.id {
                    return Err(StoreError::PresupuestoNotFound.into());
                }
                let json = self.app.store.draft_of_quote(id).await?;
                let draft = json.and_then(|json| Draft::read(json.as_bytes()).ok());
                draft.unwrap_or_else(|| Draft::of_document(&quote.document, base.tarifa))
            }
        })
    }

    /// Opens a draft for a person to review, unless one is already open. The company gets a notice, unless it already
    /// got one about the open draft.
    pub(crate) async fn draft_for_review(
        self,
        record: &LeadRecord,
        review: ReviewOf,
    ) -> Result<Opened, AppError> {
        let draft = self.begin(record, Beginning::Latest).await?;
        let id = PresupuestoId(self.app.id());
        let (notice, jobs) = (Notice::ToReview { draft: id }, self.app.jobs());
        let command = OpenDraft {
            id,
            lead: record.lead.id,
            reason: DraftReason::Review,
            json: text(&draft),
            by: None,
            event: None,
            jobs: match review {
                ReviewOf::Finalizar => jobs.notice(&notice),
                ReviewOf::Form => jobs.notice_of_form(&notice, None),
            },
            at: self.app.now(),
            audit: None,
        };
        let opened = self.app.store.open_draft(command).await?;
        match (&opened, review) {
            (Opened::New(_), _) => {}
            // A person is already writing it: they only get the notice that the form is complete.
            (Opened::Before(_), ReviewOf::Form) => self.app.forms().tell(record.lead.id).await?,
            (Opened::Before(draft), ReviewOf::Finalizar) => self.tell_of_waiting(draft).await?,
        }
        Ok(opened)
    }

    /// A quote was requested while a person writes one: the draft stays as it is, and the company gets one notice per
    /// draft.
    async fn tell_of_waiting(self, draft: &StoredDraft) -> Result<(), AppError> {
        let jobs = self.app.jobs().notice(&Notice::AskedAgain { draft: draft.id });
        if jobs.is_empty() || draft.reason == DraftReason::Review {
            return Ok(());
        }
        let (lead, at) = (draft.lead, self.app.now());
        let once = CallKey {
            scope: "presupuesto pedido con un borrador abierto".to_owned(),
            key: draft.id.to_string(),
            cuerpo_sha256: [0; 32],
            life: TOLD_LIFE,
        };
        let idempotency = Some(once.with(Outcome::Done, Vec::new(), at));
        self.app.store.record_event(RecordEvent { lead, event: None, jobs, at, idempotency }).await?;
        Ok(())
    }

    /// Saves a draft. All changes of a person in one stretch, with any number of saves, are one audit log entry.
    pub async fn save(
        self,
        seen: SeenDraft,
        draft: &Draft,
        actor: &Actor,
    ) -> Result<DraftChange<i64>, AppError> {
        let Some(stored) = self.app.store.draft(seen.id).await? else { return Ok(DraftChange::Gone) };
        let (at, audit) = (self.app.now(), self.stretch(&stored, draft, actor).await?);
        let command = SaveDraft { seen, json: text(draft), by: actor.user, at, audit };
        Ok(self.app.store.save_draft(command).await?)
    }

    /// The audit log entry of a save: it extends the entry of the same person's last save, or is a new one. `None`:
    /// nothing has changed.
    async fn stretch(
        self,
        stored: &StoredDraft,
        draft: &Draft,
        actor: &Actor,
    ) -> Result<Option<StretchAudit>, AppError> {
        let pause = self.app.now().duration_since(stored.guardado_en);
        let goes_on = stored.saved_by == actor.user && pause < STRETCH_PAUSE;
        let last = if goes_on { self.app.store.draft_stretch(stored.id).await? } else { None };
        let changes = |before: &str| match Draft::read(before.as_bytes()) {
            Ok(before) => draft.changes_since(&before),
            Err(_) => Some("Todo".to_owned()),
        };
        if let Some(DraftStretch { entry, before }) = last {
            let after = changes(&before).unwrap_or_else(|| "Nada: quedó como estaba".to_owned());
            return Ok(Some(StretchAudit::Grow { entry, after }));
        }
        let Some(after) = changes(&stored.json) else { return Ok(None) };
        let entry = AuditEntry {
            empresa: Some(stored.empresa),
            object: Some(stored.lead.to_string()),
            after: Some(after),
            ..self.app.access().audit(actor, AuditAction::QuoteEdited)
        };
        Ok(Some(StretchAudit::Begin { entry, before: stored.json.clone() }))
    }

    /// A draft as it is shown. A draft for review that nobody has saved contains nothing that a person typed. So it is
    /// made again from the lead and today's prices whenever it is viewed, and stored when a person submits one of its
    /// forms.
    pub async fn current(self, stored: StoredDraft, record: &LeadRecord) -> Result<CurrentDraft, AppError> {
        let saved = |draft| Ok(CurrentDraft { draft, is_saved: true });
        if stored.reason != DraftReason::Review || stored.saved_by.is_some() {
            return saved(stored);
        }
        let Ok(before) = Draft::read(stored.json.as_bytes()) else { return saved(stored) };
        let after = self.recalculate(record, &before).await?.draft;
        if after == before {
            return saved(stored);
        }
        let draft = StoredDraft { revision: stored.revision + 1, json: text(&after), ..stored };
        Ok(CurrentDraft { draft, is_saved: false })
    }

    /// Stores the draft as it is shown. Forms of its earlier state are then outdated, as after any other save.
    pub async fn store_current(
        self,
        stored: StoredDraft,
        record: &LeadRecord,
    ) -> Result<StoredDraft, AppError> {
        let seen = SeenDraft { id: stored.id, lead: stored.lead, revision: stored.revision };
        let CurrentDraft { draft, is_saved } = self.current(stored, record).await?;
        if is_saved {
            return Ok(draft);
        }
        let at = self.app.now();
        let command = SaveDraft { seen, json: draft.json.clone(), by: None, at, audit: None };
        Ok(match self.app.store.save_draft(command).await? {
            DraftChange::Done(revision) => StoredDraft { revision, guardado_en: at, ..draft },
            DraftChange::Stale(other) => other,
            DraftChange::Gone => draft,
        })
    }

    /// What a draft would say if it was sent now, or everything that prevents it from being sent.
    pub async fn preview(
        self,
        record: &LeadRecord,
        draft: &Draft,
    ) -> Result<Result<Document, Invalid>, AppError> {
        let with = self.ingredients(record).await?;
        Ok(draft.compose(&record.lead, &record.notas, &record.fotos, with.base()))
    }

    /// A draft recalculated with what the lead says and with today's prices; what people changed stays.
    pub async fn recalculate(self, record: &LeadRecord, draft: &Draft) -> Result<Recalculated, AppError> {
        let with = self.ingredients(record).await?;
        Ok(draft.recalculate(&record.lead, with.base()))
    }

    /// Sends the draft as binding: the person confirms the measures, and the draft records this from now on.
    pub async fn send_binding(self, seen: SeenDraft, actor: &Actor) -> Result<Sent, AppError> {
        let Some(stored) = self.app.store.draft(seen.id).await? else { return Ok(Sent::Gone) };
        if stored.revision != seen.revision {
            return Ok(Sent::Stale(stored));
        }
        let draft = match Draft::read(stored.json.as_bytes()) {
            Ok(draft) => Draft { character: Some(Character::Binding), ..draft },
            Err(invalid) => return Ok(Sent::Invalid(invalid)),
        };
        match self.save(seen, &draft, actor).await? {
            DraftChange::Done(revision) => self.send(SeenDraft { revision, ..seen }, actor).await,
            DraftChange::Stale(draft) => Ok(Sent::Stale(draft)),
            DraftChange::Gone => Ok(Sent::Gone),
        }
    }

    /// Seals a draft in the state that the person saw, numbers it, and sends it.
    pub async fn send(self, seen: SeenDraft, actor: &Actor) -> Result<Sent, AppError> {
        let Some(stored) = self.app.store.draft(seen.id).await?.filter(|draft| draft.lead == seen.lead)
        else {
            return Ok(Sent::Gone);
        };
        if stored.revision != seen.revision {
            return Ok(Sent::Stale(stored));
        }
        let record = self.app.store.record(seen.lead).await?;
        let document = match Draft::read(stored.json.as_bytes()) {
            Ok(draft) => self.preview(&record, &draft).await?,
            Err(invalid) => Err(invalid),
        };
        let document = match document {
            Ok(document) => document,
            Err(invalid) => return Ok(Sent::Invalid(invalid)),
        };
        let at = self.app.now();
        let payload = PresupuestoPayload {
            mail: JobId(self.app.id()),
            pdf: JobId(self.app.id()),
            presupuesto: Some(stored.id),
            is_of_form: false,
        };
        let mut audit = self.app.access().audit(actor, AuditAction::QuoteSent);
        audit.empresa = Some(stored.empresa);
        audit.object = Some(seen.lead.to_string());
        let character = match document.character() {
            Character::Binding => "vinculante",
            Character::Orientative => "orientativo",
        };
        audit.after = Some(format!("{}, {character}", document.impuesto.total));
        let quote = NewPresupuesto {
            id: stored.id,
            lead: seen.lead,
            validity: Validity::new(self.app.today(), document.valid_days),
            document,
            at,
        };
        let event = Event {
            kind: EventKind::Finalizar,
            simulated: false,
            ok: true,
            detail: Some(actor.who.clone()),
            creado_en: at,
        };
        let jobs = vec![self.app.jobs().shared(JobKind::Presupuesto, as_text(&payload))];
        let change = self.app.store.seal_draft(SealDraft { seen, quote, event, jobs, audit }).await?;
        self.app.attempts.notify();
        Ok(match change {
            DraftChange::Done(quote) => Sent::Done(Box::new(quote)),
            DraftChange::Stale(draft) => Sent::Stale(draft),
            DraftChange::Gone => Sent::Gone,
        })
    }

    /// Discards a draft in the state that the person saw.
    pub async fn discard(self, seen: SeenDraft, actor: &Actor) -> Result<DraftChange<()>, AppError> {
        let Some(stored) = self.app.store.draft(seen.id).await? else { return Ok(DraftChange::Gone) };
        let mut audit = self.app.access().audit(actor, AuditAction::QuoteDiscarded);
        audit.empresa = Some(stored.empresa);
        audit.object = Some(stored.lead.to_string());
        Ok(self.app.store.discard_draft(seen, self.app.now(), audit).await?)
    }
}

fn text(draft: &Draft) -> String {
    serde_json::to_string(draft).expect("plain data becomes JSON")
}
