//! The end of the form does what the company chose, once, and one mail notifies the company.

use embudo_app::{Actor, Beginning};
use embudo_domain::Body as _;
use embudo_domain::LeadId;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::EventKind;
use embudo_domain::lead::NewLead;
use embudo_domain::settings::{FormEnd, Settings};
use embudo_testkit::{Engine, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::stage::Stage;

both_engines!(
    it_drafts_where_nobody_gets_a_signal,
    it_signals_where_somebody_does,
    it_may_send_the_quote,
    it_may_do_nothing,
    an_open_draft_is_left_and_the_form_told_of,
);

async fn stage(engine: Engine, end: Option<FormEnd>) -> Stage {
    let o = Stage::mails(engine, |_| {}).await;
    let settings = Settings { form_end: end, ..Settings::default() };
    o.app.store.save_settings(o.empresa.id, settings).await.unwrap();
    o
}

async fn complete(o: &Stage) -> LeadId {
    let body = json!({ "nombre": "Ana García", "telefono": "612345678", "email": "ana@ejemplo.es", "tipoReforma": "bano", "m2Suelo": 5 });
    let lead = o.sign_up(NewLead::read(body.to_string().as_bytes()).unwrap()).await;
    finish(o, lead).await;
    lead
}

/// Reaches the end of the form twice, and waits for what follows.
async fn finish(o: &Stage, lead: LeadId) {
    for _ in 0..2 {
        o.app.forms().completed(lead).await.unwrap();
    }
    for later in [SignedDuration::ZERO, SignedDuration::ZERO, SignedDuration::from_hours(1)] {
        o.pass(later).await;
    }
}

fn subjects(o: &Stage, who: &str) -> Vec<String> {
    let own = o.mailbox.messages().into_iter().filter(|m| m.to == [who]);
    own.map(|m| m.subject().split(':').next().unwrap().to_owned()).collect()
}

async fn it_drafts_where_nobody_gets_a_signal(engine: Engine) {
    let o = stage(engine, None).await;
    let lead = complete(&o).await;
    let draft = o.app.store.draft_of(lead).await.unwrap().unwrap();
    assert_eq!(subjects(&o, "obra@ejemplo.es"), ["Presupuesto por revisar"]);
    assert_eq!(subjects(&o, "ana@ejemplo.es"), Vec::<String>::new());
    let viewer = embudo_store::inbox::Viewer {
        who: embudo_domain::UserId(uuid::Uuid::nil()),
        empresas: vec![o.empresa.id],
    };
    let rows = o.app.store.inbox_rows(&viewer, vec![lead]).await.unwrap();
    assert_eq!(rows[0].etapa, Etapa::PorRevisar);
    // Submitting the form again does not restore a discarded draft.
    let seen = embudo_store::drafts::SeenDraft { id: draft.id, lead, revision: draft.revision };
    o.app.quotes().discard(seen, &Actor::command()).await.unwrap();
    finish(&o, lead).await;
    assert_eq!(o.app.store.draft_of(lead).await.unwrap(), None);
}

async fn it_signals_where_somebody_does(engine: Engine) {
    let o = Stage::signals(engine, |_| {}).await;
    let lead = complete(&o).await;
    assert_eq!(o.receiver.received().len(), 1, "one signal");
    assert_eq!(o.events(lead, EventKind::PerfilComplete).await, [(true, false)]);
    assert_eq!(o.app.store.draft_of(lead).await.unwrap(), None);
}

async fn it_may_send_the_quote(engine: Engine) {
    let o = stage(engine, Some(FormEnd::Quote)).await;
    let lead = complete(&o).await;
    assert_eq!(o.app.store.presupuestos(lead).await.unwrap().len(), 1);
    assert_eq!(subjects(&o, "obra@ejemplo.es"), ["Formulario completo"]);
    assert_eq!(subjects(&o, "ana@ejemplo.es").len(), 1);
    // If the company reviews its quotes, the draft waits for a person.
    let o = stage(engine, Some(FormEnd::Quote)).await;
    let settings = Settings { review: true, form_end: Some(FormEnd::Quote), ..Settings::default() };
    o.app.store.save_settings(o.empresa.id, settings).await.unwrap();
    let lead = complete(&o).await;
    assert!(o.app.store.draft_of(lead).await.unwrap().is_some());
    assert_eq!(o.app.store.presupuestos(lead).await.unwrap(), vec![]);
}

async fn it_may_do_nothing(engine: Engine) {
    let o = stage(engine, Some(FormEnd::Nothing)).await;
    let lead = complete(&o).await;
    assert_eq!(o.app.store.draft_of(lead).await.unwrap(), None);
    assert_eq!(o.app.store.presupuestos(lead).await.unwrap(), vec![]);
    assert_eq!(subjects(&o, "obra@ejemplo.es"), ["Formulario completo"]);
}

async fn an_open_draft_is_left_and_the_form_told_of(engine: Engine) {
    let o = stage(engine, Some(FormEnd::Draft)).await;
    let body = json!({ "nombre": "Ana García", "telefono": "612345678", "email": "ana@ejemplo.es", "tipoReforma": "bano" });
    let lead = o.sign_up(NewLead::read(body.to_string().as_bytes()).unwrap()).await;
    let draft = o.app.quotes().open(lead, Beginning::Scratch, &Actor::command()).await.unwrap();
    finish(&o, lead).await;
    assert_eq!(o.app.store.draft_of(lead).await.unwrap(), Some(draft));
    assert_eq!(subjects(&o, "obra@ejemplo.es"), ["Formulario completo"], "and not half done");
}
