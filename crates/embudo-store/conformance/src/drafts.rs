//! Drafts that people write: one per lead, no text is lost, and sending gives a number without gaps.

use std::sync::Arc;

use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::EventKind;
use embudo_domain::job::JobKind;
use embudo_domain::next_action::ActionKind;
use embudo_domain::presupuesto::PresupuestoState::{Preparing, Superseded};
use embudo_domain::{LeadId, PresupuestoId, UserId};
use embudo_store::audit::AuditFilter;
use embudo_store::drafts::{
    DraftChange, DraftReason, DraftStretch, OpenDraft, Opened, QuoteStanding, SaveDraft, SealDraft,
    SeenDraft, StoredDraft, StretchAudit,
};
use embudo_store::{Store, StoreError};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::entry;
use super::data::inbox::{anyone, etapa, next, row};
use super::data::outbox::{LENGTH, of, process};
use super::data::presupuesto::{TODAY, add_presupuesto, answer, day, document, draft, says, send, state_of};
use super::data::{ODD_TEXT, a_lead, event, other_lead, record, t};

pub(crate) fn open(lead: LeadId, reason: DraftReason, json: &str) -> OpenDraft {
    OpenDraft {
        id: PresupuestoId(Uuid::new_v4()),
        lead,
        reason,
        json: json.to_owned(),
        by: None,
        event: None,
        jobs: Vec::new(),
        at: t(3),
        audit: None,
    }
}

async fn opened(store: &Arc<dyn Store>, lead: LeadId, json: &str) -> StoredDraft {
    let opened = store.open_draft(open(lead, DraftReason::ByHand, json)).await.expect("opened");
    assert!(matches!(opened, Opened::New(_)), "there was one");
    opened.into_draft()
}

pub(crate) fn seen(draft: &StoredDraft) -> SeenDraft {
    SeenDraft { id: draft.id, lead: draft.lead, revision: draft.revision }
}

pub(crate) fn save(draft: &StoredDraft, json: &str) -> SaveDraft {
    let by = Some(UserId(Uuid::new_v4()));
    SaveDraft { seen: seen(draft), json: json.to_owned(), by, at: t(4), audit: None }
}

async fn seal(store: &Arc<dyn Store>, stored: &StoredDraft) -> SealDraft {
    let document = document(store, stored.lead, "a mano").await;
    let mut quote = draft(stored.lead, document, TODAY, t(6));
    quote.id = stored.id;
    SealDraft {
        seen: seen(stored),
        quote,
        event: event(EventKind::Finalizar, t(6)),
        jobs: vec![of(JobKind::Presupuesto, process(), LENGTH)],
        audit: entry(None, 6),
    }
}

pub async fn a_draft_is_kept_word_for_word(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(store.draft_of(lead).await.expect("read"), None);
    let by = UserId(Uuid::new_v4());
    let command = OpenDraft { by: Some(by), ..open(lead, DraftReason::ByHand, ODD_TEXT) };
    let made = store.open_draft(command.clone()).await.expect("opened").into_draft();
    assert_eq!((made.id, made.lead, made.revision), (command.id, lead, 1));
    assert_eq!((made.json.as_str(), made.saved_by, made.reason), (ODD_TEXT, Some(by), DraftReason::ByHand));
    assert_eq!((made.creado_en, made.guardado_en), (t(3), t(3)));
    assert_eq!(made.empresa, record(&store, lead).await.lead.empresa.id);
    assert_eq!(store.draft(made.id).await.expect("read"), Some(made.clone()));
    assert_eq!(store.draft_of(lead).await.expect("read"), Some(made));
    assert_eq!(store.draft(PresupuestoId(Uuid::new_v4())).await.expect("read"), None);
    assert_eq!(record(&store, lead).await.presupuestos, vec![], "a draft is no quote");
}

pub async fn an_open_draft_is_not_touched(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let first = opened(&store, lead, "uno").await;
    let again = OpenDraft {
        event: Some(event(EventKind::Finalizar, t(5))),
        jobs: vec![of(JobKind::Presupuesto, process(), LENGTH)],
        audit: Some(entry(None, 5)),
        ..open(lead, DraftReason::Review, "dos")
    };
    let again = store.open_draft(again).await.expect("answered");
    assert_eq!(again, Opened::Before(first), "with its words and its reason");
    assert_eq!(record(&store, lead).await.events, vec![], "and nothing else is written");
    let nobody = store.open_draft(open(LeadId(Uuid::new_v4()), DraftReason::ByHand, "x")).await;
    assert!(matches!(nobody, Err(StoreError::LeadNotFound)));
}

/// The saves of one stretch of editing are one entry of the audit log, which is updated; a save that comes too late
/// writes none.
pub async fn a_stretch_is_one_line(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let first = opened(&store, lead, "uno").await;
    assert_eq!(store.draft_stretch(first.id).await.expect("read"), None);
    let log = async || store.audit_log(AuditFilter::default(), None, 100).await.expect("a log");
    let before = log().await.len();
    let line = AuditEntry { after: Some("a".into()), ..entry(None, 4) };
    let begin = Some(StretchAudit::Begin { entry: line.clone(), before: ODD_TEXT.to_owned() });
    let command = SaveDraft { audit: begin, ..save(&first, "dos") };
    assert_eq!(store.save_draft(command.clone()).await.expect("saved"), DraftChange::Done(2));
    let stretch = DraftStretch { entry: line.id, before: ODD_TEXT.to_owned() };
    assert_eq!(store.draft_stretch(first.id).await.expect("read"), Some(stretch.clone()));
    assert!(matches!(store.save_draft(command).await.expect("answered"), DraftChange::Stale(_)));
    let second = store.draft(first.id).await.expect("read").expect("it is there");
    let grow = Some(StretchAudit::Grow { entry: line.id, after: "b".into() });
    let command = SaveDraft { audit: grow, ..save(&second, "tres") };
    assert_eq!(store.save_draft(command).await.expect("saved"), DraftChange::Done(3));
    assert_eq!(store.draft_stretch(first.id).await.expect("read"), Some(stretch));
    let after = log().await;
    assert_eq!(after.len(), before + 1);
    assert!(after.contains(&AuditEntry { after: Some("b".into()), ..line }));
}

pub async fn whoever_saves_late_is_told(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let draft = opened(&store, lead, "uno").await;
    let mine = save(&draft, "dos");
    assert_eq!(store.save_draft(mine.clone()).await.expect("saved"), DraftChange::Done(2));
    let late = store.save_draft(save(&draft, "tres")).await.expect("answered");
    let stands = store.draft(draft.id).await.expect("read").expect("it is there");
    assert_eq!((stands.json.as_str(), stands.saved_by), ("dos", mine.by));
    assert_eq!((stands.revision, stands.creado_en, stands.guardado_en), (2, t(3), t(4)));
    assert_eq!(late, DraftChange::Stale(stands.clone()));
    let by_service = SaveDraft { by: None, ..save(&stands, "tres") };
    assert_eq!(store.save_draft(by_service).await.expect("saved"), DraftChange::Done(3));
    let stands = store.draft(draft.id).await.expect("read").expect("it is there");
    assert_eq!((stands.json.as_str(), stands.saved_by), ("tres", None), "the service is nobody");
    let discarded = store.discard_draft(seen(&draft), t(5), entry(None, 5)).await.expect("answered");
    assert_eq!(discarded, DraftChange::Stale(stands.clone()));
    let discarded = store.discard_draft(seen(&stands), t(5), entry(None, 5)).await.expect("discarded");
    assert_eq!(discarded, DraftChange::Done(()));
    assert_eq!(store.draft_of(lead).await.expect("read"), None);
    assert_eq!(store.save_draft(save(&stands, "x")).await.expect("answered"), DraftChange::Gone);
    let other = opened(&store, lead, "nuevo").await;
    let gone =
        store.save_draft(SaveDraft { seen: SeenDraft { id: draft.id, ..seen(&other) }, ..save(&other, "x") });
    assert_eq!(gone.await.expect("answered"), DraftChange::Gone, "another draft of the lead is another");
}

pub async fn sending_seals_the_draft_and_its_sheet(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let before = send(&store, lead, "de la tarifa").await;
    let draft = opened(&store, lead, "hoja").await;
    assert_eq!(store.draft_of_quote(before.id).await.expect("read"), None, "nobody wrote it");
    assert_eq!(store.last_sent_draft(lead).await.expect("read"), None);
    let command = seal(&store, &draft).await;
    let stale = SealDraft { seen: SeenDraft { revision: 7, ..command.seen }, ..command.clone() };
    assert_eq!(store.seal_draft(stale).await.expect("answered"), DraftChange::Stale(draft.clone()));
    let DraftChange::Done(quote) = store.seal_draft(command.clone()).await.expect("sealed") else {
        panic!("it was as it was seen")
    };
    assert_eq!((quote.id, quote.state, quote.version), (draft.id, Preparing, 2));
    assert_eq!(quote.number.to_string(), "2026-0002");
    assert_eq!(quote.document, command.quote.document);
    assert_eq!(state_of(&store, &before).await, Superseded);
    assert_eq!(store.draft_of(lead).await.expect("read"), None);
    assert_eq!(store.draft_of_quote(quote.id).await.expect("read").as_deref(), Some("hoja"));
    assert_eq!(store.last_sent_draft(lead).await.expect("read"), Some((quote.id, "hoja".to_owned())));
    let kinds: Vec<EventKind> = record(&store, lead).await.events.iter().map(|e| e.kind).collect();
    assert!(kinds.contains(&EventKind::Finalizar));
    assert_eq!(store.seal_draft(command).await.expect("answered"), DraftChange::Gone, "pressed twice");
    let later = add_presupuesto(&store, lead, "las mismas líneas, otras fotos").await;
    assert_eq!(
        store.draft_of_quote(later.id).await.expect("read").as_deref(),
        Some("hoja"),
        "the newest before it"
    );
    assert_eq!(store.draft_of_quote(before.id).await.expect("read"), None, "not one that came after");
    assert_eq!(
        store.last_sent_draft(lead).await.expect("read").map(|(id, _)| id),
        Some(quote.id),
        "the last one that a person wrote"
    );
}

pub async fn a_draft_to_review_waits_for_a_person(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    opened(&store, lead, "de una persona").await;
    assert_eq!(etapa(&store, lead).await, Etapa::Nuevo, "who writes one needs not be told");
    let other = other_lead(&store).await;
    let command = OpenDraft {
        event: Some(event(EventKind::Finalizar, t(3))),
        ..open(other, DraftReason::Review, "de finalizar")
    };
    let draft = store.open_draft(command).await.expect("opened").into_draft();
    assert_eq!(etapa(&store, other).await, Etapa::PorRevisar);
    let read = row(&store, &viewer, other).await;
    assert_eq!(next(&read), Some((ActionKind::Review, Some(t(3)))));
    let DraftChange::Done(revision) = store.save_draft(save(&draft, "corregida")).await.expect("saved")
    else {
        panic!("nobody else saved it")
    };
    assert_eq!(etapa(&store, other).await, Etapa::PorRevisar, "until it is sent");
    let command = seal(&store, &StoredDraft { revision, ..draft }).await;
    assert!(matches!(store.seal_draft(command).await.expect("sealed"), DraftChange::Done(_)));
    assert_ne!(etapa(&store, other).await, Etapa::PorRevisar);
    assert_ne!(next(&row(&store, &viewer, other).await).map(|(kind, _)| kind), Some(ActionKind::Review));
}

pub async fn racers_open_one_draft_and_seal_it_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut racers = JoinSet::new();
    for _ in 0..8 {
        let store = Arc::clone(&store);
        racers.spawn(
            async move { store.open_draft(open(lead, DraftReason::ByHand, "x")).await.expect("opened") },
        );
    }
    let all = racers.join_all().await;
    assert_eq!(all.iter().filter(|opened| matches!(opened, Opened::New(_))).count(), 1);
    let draft = store.draft_of(lead).await.expect("read").expect("it is there");
    assert!(all.into_iter().all(|opened| opened.into_draft() == draft));
    let mut racers = JoinSet::new();
    for _ in 0..8 {
        let (store, mut command) = (Arc::clone(&store), seal(&store, &draft).await);
        command.audit = entry(None, 6);
        racers.spawn(async move { store.seal_draft(command).await.expect("answered") });
    }
    let all = racers.join_all().await;
    assert_eq!(all.iter().filter(|change| matches!(change, DraftChange::Done(_))).count(), 1);
    assert_eq!(all.iter().filter(|change| **change == DraftChange::Gone).count(), 7);
    let numbers: Vec<String> =
        record(&store, lead).await.presupuestos.iter().map(|p| p.number.to_string()).collect();
    assert_eq!(numbers, ["2026-0001"]);
}

pub async fn a_company_lists_its_drafts_and_quotes(store: Arc<dyn Store>) {
    let (lead, other) = (a_lead(&store).await, other_lead(&store).await);
    let empresa = record(&store, lead).await.lead.empresa.id;
    let drafts =
        async |reason, after, limit| store.list_drafts(empresa, reason, after, limit).await.expect("listed");
    let by_hand = opened(&store, lead, "de una persona").await;
    let review = store.open_draft(open(other, DraftReason::Review, "de finalizar")).await.expect("opened");
    let listed = drafts(DraftReason::ByHand, None, 10).await;
    assert_eq!(listed.iter().map(|d| (d.id, d.lead)).collect::<Vec<_>>(), [(by_hand.id, lead)]);
    assert_eq!(listed[0].nombre, record(&store, lead).await.lead.nombre);
    assert_eq!((listed[0].guardado_en, listed[0].saved_by), (t(3), None));
    let listed = drafts(DraftReason::Review, None, 10).await;
    assert_eq!(listed[0].id, review.into_draft().id);
    assert_eq!(drafts(DraftReason::Review, Some((t(3), listed[0].id)), 10).await, vec![], "the next page");
    assert_eq!(drafts(DraftReason::Review, Some((t(4), listed[0].id)), 10).await.len(), 1);

    let quotes = async |standing, after, limit| {
        let all = store.list_quotes(empresa, standing, after, limit).await.expect("listed");
        all.iter().map(|q| q.number.to_string()).collect::<Vec<_>>()
    };
    add_presupuesto(&store, lead, "uno").await;
    assert_eq!(quotes(QuoteStanding::Preparing, None, 10).await, ["2026-0001"]);
    let second = send(&store, lead, "dos").await;
    let third = send(&store, other, "tres").await;
    assert_eq!(quotes(QuoteStanding::Superseded, None, 10).await, ["2026-0001"]);
    let sent = QuoteStanding::Sent(TODAY);
    assert_eq!(quotes(sent, None, 10).await, ["2026-0003", "2026-0002"]);
    assert_eq!(quotes(sent, None, 1).await, ["2026-0003"]);
    assert_eq!(quotes(sent, Some(third.number), 1).await, ["2026-0002"]);
    assert_eq!(quotes(QuoteStanding::Expired(TODAY), None, 10).await, Vec::<String>::new());
    let (last, later) = (second.validity.until, day(31));
    assert_eq!(quotes(QuoteStanding::Sent(last), None, 10).await.len(), 2, "on its last day");
    assert_eq!(quotes(QuoteStanding::Expired(later), None, 10).await.len(), 2);
    answer(&store, says(&third, true, t(7))).await;
    answer(&store, says(&second, false, t(7))).await;
    assert_eq!(quotes(QuoteStanding::Accepted, None, 10).await, ["2026-0003"]);
    assert_eq!(quotes(QuoteStanding::Rejected, None, 10).await, ["2026-0002"]);
    let nobody = embudo_domain::EmpresaId(Uuid::new_v4());
    let listed = store.list_quotes(nobody, QuoteStanding::Accepted, None, 10).await.expect("listed");
    assert_eq!(listed, vec![]);
    let whole = store.list_quotes(empresa, QuoteStanding::Accepted, None, 10).await.expect("listed");
    assert_eq!(
        (whole[0].id, whole[0].lead, whole[0].version, whole[0].validity, whole[0].total),
        (third.id, other, third.version, third.validity, third.document.impuesto.total)
    );
}
