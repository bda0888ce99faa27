//! Quotes that people write: exactly what they saw is sent, and calls from outside neither send nor change an open
//! draft.

use embudo_app::{Actor, Beginning, Sent};
use embudo_domain::LeadId;
use embudo_domain::event::EventKind;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::draft::{Draft, DraftLine};
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_domain::settings::Settings;
use embudo_store::drafts::{DraftChange, SeenDraft, StoredDraft};
use embudo_testkit::{Engine, both_engines, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use crate::stage::Stage;

const NOW: SignedDuration = SignedDuration::ZERO;

both_engines!(
    what_a_person_wrote_is_sent_as_it_is,
    a_later_finalizar_sends_their_lines_with_the_new_photos,
    an_open_draft_is_neither_sent_nor_touched,
    with_review_a_finalizar_waits_for_a_person,
    with_review_an_open_draft_stays_and_the_company_is_told_once,
    two_people_do_not_overwrite_each_other,
    what_cannot_be_sent_says_why,
    a_new_version_begins_with_an_old_one,
);

async fn stage(engine: Engine) -> (Stage, LeadId) {
    let o = Stage::client_mails(engine, |_| {}).await;
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let lead = o.new_lead_with(known).await;
    (o, lead)
}

fn actor() -> Actor {
    Actor { user: Some(embudo_domain::UserId(Uuid::new_v4())), who: "Eva Sanz".into(), ip: None }
}

fn seen(draft: &StoredDraft) -> SeenDraft {
    SeenDraft { id: draft.id, lead: draft.lead, revision: draft.revision }
}

fn read(draft: &StoredDraft) -> Draft {
    Draft::read(draft.json.as_bytes()).unwrap()
}

/// Adds one line: a niche for 300 €.
fn with_niche(mut content: Draft) -> Draft {
    let line = DraftLine {
        id: "nicho".into(),
        concepto: "Nicho de obra en la ducha".into(),
        cantidad: embudo_domain::decimal::Cantidad::unidades(1),
        precio: Cents::euros(300),
        ..content.lines().next().unwrap().clone()
    };
    let line = DraftLine { key: None, table: None, detail: None, coste: None, ..line };
    content.rooms[0].capitulos[0].lines.push(line);
    content
}

async fn save(o: &Stage, draft: &StoredDraft, content: &Draft) -> SeenDraft {
    match o.app.quotes().save(seen(draft), content, &actor()).await.unwrap() {
        DraftChange::Done(revision) => SeenDraft { revision, ..seen(draft) },
        other => panic!("{other:?}"),
    }
}

async fn sent(o: &Stage, seen: SeenDraft) -> Presupuesto {
    let Sent::Done(quote) = o.app.quotes().send(seen, &actor()).await.unwrap() else {
        panic!("it can be sent")
    };
    o.pass(NOW).await;
    o.pass(NOW).await;
    o.app.store.presupuesto(quote.id).await.unwrap()
}

fn concepts(quote: &Presupuesto) -> Vec<String> {
    let lines = quote.document.pricing.capitulos.iter().flat_map(|c| &c.lines);
    lines.map(|line| line.concepto.clone()).collect()
}

fn has_niche(quote: &Presupuesto) -> bool {
    concepts(quote).iter().any(|concepto| concepto.contains("Nicho"))
}

async fn what_a_person_wrote_is_sent_as_it_is(engine: Engine) {
    let (o, lead) = stage(engine).await;
    let draft = o.app.quotes().open(lead, Beginning::Latest, &actor()).await.unwrap();
    let again = o.app.quotes().open(lead, Beginning::Scratch, &actor()).await.unwrap();
    assert_eq!(again, draft, "there is one of a lead");
    let edited = with_niche(read(&draft));
    let record = o.record(lead).await;
    let shown = o.app.quotes().preview(&record, &edited).await.unwrap().unwrap();
    let quote = sent(&o, save(&o, &draft, &edited).await).await;
    assert_eq!(quote.id, draft.id, "its address stays");
    assert_eq!(quote.document, shown, "what was seen is what is sealed");
    assert_eq!((quote.number.to_string().as_str(), quote.state), ("2026-0001", PresupuestoState::Emitido));
    assert!(has_niche(&quote) && quote.pdf.is_some());
    let letters = o.mailbox.messages();
    assert_eq!(letters.len(), 1);
    assert!(letters[0].subject().contains("2026-0001"), "{}", letters[0].subject());
    let pressed_twice = o.app.quotes().send(seen(&draft), &actor()).await.unwrap();
    assert!(matches!(pressed_twice, Sent::Gone));
}

async fn a_later_finalizar_sends_their_lines_with_the_new_photos(engine: Engine) {
    let (o, lead) = stage(engine).await;
    let draft = o.app.quotes().open(lead, Beginning::Latest, &actor()).await.unwrap();
    let first = sent(&o, save(&o, &draft, &with_niche(read(&draft))).await).await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg(64, 48)), "momento": "despues" });
    o.ingest(lead, json!({ "items": [foto], "finalizar": true })).await;
    o.pass(NOW).await;
    let quotes = o.app.store.presupuestos(lead).await.unwrap();
    assert_eq!(quotes.len(), 2);
    assert_eq!((quotes[0].version, quotes[1].state), (2, PresupuestoState::Superseded));
    assert!(has_niche(&quotes[0]), "{:?}", concepts(&quotes[0]));
    assert_eq!(quotes[0].document.impuesto.total, first.document.impuesto.total);
    assert_eq!((quotes[1].document.fotos.len(), quotes[0].document.fotos.len()), (0, 1));
    assert_eq!(o.mailbox.messages().len(), 2);
}

async fn an_open_draft_is_neither_sent_nor_touched(engine: Engine) {
    let (o, lead) = stage(engine).await;
    let draft = o.app.quotes().open(lead, Beginning::Latest, &actor()).await.unwrap();
    let saved = save(&o, &draft, &with_niche(read(&draft))).await;
    let done = o.finalizar(lead).await;
    assert!(done.presupuesto && done.mail_accepted);
    let quotes = o.app.store.presupuestos(lead).await.unwrap();
    assert!(!has_niche(&quotes[0]), "the table's lines: nobody sent any yet");
    let current = o.app.store.draft_of(lead).await.unwrap().unwrap();
    assert_eq!((current.revision, has(&current)), (saved.revision, true));
    fn has(draft: &StoredDraft) -> bool {
        draft.json.contains("Nicho")
    }
}

async fn with_review_a_finalizar_waits_for_a_person(engine: Engine) {
    let (o, lead) = stage(engine).await;
    let o = o;
    let wanted = embudo_store::empresas::EmpresaPatch { notices: Some(true), ..Default::default() };
    o.wants(wanted).await;
    o.app.store.save_settings(o.empresa.id, Settings { review: true, ..Settings::default() }).await.unwrap();
    for _ in 0..2 {
        let done = o.finalizar(lead).await;
        assert_eq!((done.presupuesto, done.mail_accepted, done.pdf_accepted), (true, false, false));
        o.clock.advance(SignedDuration::from_mins(5));
    }
    o.pass(NOW).await;
    assert_eq!(o.app.store.presupuestos(lead).await.unwrap(), vec![], "it has no number");
    let record = o.record(lead).await;
    let told = record.events.iter().find(|e| e.kind == EventKind::Presupuesto).unwrap();
    assert_eq!(told.detail.as_deref(), Some("borrador para revisar"));
    let subjects: Vec<String> =
        o.mailbox.messages().iter().map(embudo_testkit::mailbox::Message::subject).collect();
    assert_eq!(
        subjects.iter().filter(|s| s.starts_with("Presupuesto por revisar")).count(),
        1,
        "{subjects:?}"
    );
    let draft = o.app.store.draft_of(lead).await.unwrap().unwrap();
    let quote = sent(&o, seen(&draft)).await;
    assert_eq!(quote.state, PresupuestoState::Emitido);
    let to_client = o.mailbox.messages().iter().filter(|m| m.to == ["ana@ejemplo.es"]).count();
    assert_eq!(to_client, 1);
}

async fn with_review_an_open_draft_stays_and_the_company_is_told_once(engine: Engine) {
    let (o, lead) = stage(engine).await;
    o.wants(embudo_store::empresas::EmpresaPatch { notices: Some(true), ..Default::default() }).await;
    o.app.store.save_settings(o.empresa.id, Settings { review: true, ..Settings::default() }).await.unwrap();
    let draft = o.app.quotes().open(lead, Beginning::Latest, &actor()).await.unwrap();
    for _ in 0..2 {
        let done = o.finalizar(lead).await;
        assert_eq!((done.presupuesto, done.mail_accepted, done.pdf_accepted), (true, false, false));
        o.pass(SignedDuration::from_mins(5)).await;
    }
    assert_eq!(o.app.store.draft_of(lead).await.unwrap(), Some(draft), "nobody touches it");
    let letters = o.mailbox.messages();
    let told: Vec<_> = letters.iter().filter(|m| m.subject().starts_with("Piden el presupuesto")).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].part("text/plain").unwrap().contains("tienes un borrador abierto"));
    assert!(!letters.iter().any(|m| m.to == ["ana@ejemplo.es"]));
}

async fn two_people_do_not_overwrite_each_other(engine: Engine) {
    let (o, lead) = stage(engine).await;
    let draft = o.app.quotes().open(lead, Beginning::Latest, &actor()).await.unwrap();
    save(&o, &draft, &with_niche(read(&draft))).await;
    let late = o.app.quotes().save(seen(&draft), &read(&draft), &actor()).await.unwrap();
    let DraftChange::Stale(current) = late else { panic!("{late:?}") };
    assert!(current.json.contains("Nicho"));
    assert!(matches!(o.app.quotes().send(seen(&draft), &actor()).await.unwrap(), Sent::Stale(_)));
    assert!(matches!(o.app.quotes().discard(seen(&draft), &actor()).await.unwrap(), DraftChange::Stale(_)));
    assert!(matches!(o.app.quotes().discard(seen(&current), &actor()).await.unwrap(), DraftChange::Done(())));
    assert!(matches!(o.app.quotes().discard(seen(&current), &actor()).await.unwrap(), DraftChange::Gone));
}

async fn what_cannot_be_sent_says_why(engine: Engine) {
    let (o, lead) = stage(engine).await;
    let draft = o.app.quotes().open(lead, Beginning::Latest, &actor()).await.unwrap();
    let mut bad = with_niche(read(&draft));
    bad.rooms[0].capitulos[0].lines[0].concepto = String::new();
    bad.valid_days = Some(0);
    let seen = save(&o, &draft, &bad).await;
    let Sent::Invalid(invalid) = o.app.quotes().send(seen, &actor()).await.unwrap() else {
        panic!("it cannot be sent")
    };
    assert!(invalid.errors.len() >= 2, "{invalid:?}");
    assert_eq!(o.app.store.presupuestos(lead).await.unwrap(), vec![], "and no number is lost");
}

async fn a_new_version_begins_with_an_old_one(engine: Engine) {
    let (o, lead) = stage(engine).await;
    o.finalizar(lead).await;
    let table = o.app.store.presupuestos(lead).await.unwrap().remove(0);
    let draft = o.app.quotes().open(lead, Beginning::Version(table.id), &actor()).await.unwrap();
    let record = o.record(lead).await;
    let shown = o.app.quotes().preview(&record, &read(&draft)).await.unwrap().unwrap();
    assert_eq!(shown.impuesto.total, table.document.impuesto.total);
    let quote = sent(&o, save(&o, &draft, &with_niche(read(&draft))).await).await;
    assert_eq!(quote.version, 2);
    let next = o.app.quotes().open(lead, Beginning::Version(quote.id), &actor()).await.unwrap();
    assert!(next.json.contains("Nicho"), "with its own lines");
    let other = o.new_lead().await;
    assert!(
        o.app.quotes().open(other, Beginning::Version(quote.id), &actor()).await.is_err(),
        "not of another lead"
    );
}
