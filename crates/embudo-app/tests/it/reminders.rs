//! Reminders to clients: off by default, each sent once, in the daytime, and none after the client did something.

use embudo_app::{Actor, ClientAnswer, ClientWord, WithLinks};
use embudo_delivery::Links;
use embudo_domain::Body as _;
use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::intento::Intento;
use embudo_domain::job::{Destination, Job, JobKind, JobState};
use embudo_domain::lead::NewLead;
use embudo_domain::reminders::{ReminderSettings, ReminderStep};
use embudo_domain::rights::RightAsked;
use embudo_domain::settings::Settings;
use embudo_domain::{IntentoId, Timestamp, TurnoId, UserId};
use embudo_store::inbox::Viewer;
use embudo_store::lead_writes::{AppendTurno, RecordEvent, RecordIntento};
use embudo_store::outbox_admin::JobFilter;
use embudo_store::pauses::SetPause;
use embudo_store::presupuestos::AnswerResult;
use embudo_testkit::mailbox::{Message, Treatment};
use embudo_testkit::{Engine, Setup, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::stage::{DAY, Stage};

both_engines!(
    nothing_goes_unless_the_company_wants_it,
    an_unanswered_quote_is_reminded_of_once_each_time,
    any_answer_ends_the_reminders,
    nobody_is_reminded_of_what_did_not_arrive,
    nobody_is_reminded_who_does_not_want_it,
    what_is_planned_stops_when_it_is_switched_off,
    what_waited_too_long_is_not_sent,
    at_night_nothing_goes,
    several_processes_plan_one,
    a_form_that_was_left_is_taken_up_again,
    a_form_that_went_on_is_left_alone,
    a_form_is_left_alone_where_its_person_went_on_with_another,
    steps_that_are_edited_neither_repeat_nor_swallow_one,
);

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const CLIENT: &str = "ana@ejemplo.es";

fn with_address(m: &mut Setup) {
    let links = Links::new(b"un secreto de sobra largo");
    m.outbound.links = Some(WithLinks { links, public_url: "https://leads.ejemplo.es".into() });
}

async fn stage(engine: Engine) -> Stage {
    let o = Stage::client_mails(engine, with_address).await;
    switch(&o, Some(o.app.now())).await;
    o.clock.advance(SignedDuration::from_secs(2));
    o
}

/// Switches all reminders on from this moment, or off, with reminders after three and after seven days.
async fn switch(o: &Stage, now: Option<Timestamp>) {
    let before = o.app.store.settings(o.empresa.id).await.unwrap();
    let step = |days, text: &str| ReminderStep { days, text: text.into() };
    let steps = vec![step(3, "¿Lo has visto?\n\nUn <b>saludo</b>."), step(7, "Por última vez.")];
    let reminders = ReminderSettings {
        quotes: before.reminders.quotes.set(now, steps),
        form: before.reminders.form.set(now, 24, "Sigue, por favor.".into()),
    };
    o.app.store.save_settings(o.empresa.id, Settings { reminders, ..before }).await.unwrap();
}

/// A lead with a quote that can be accepted.
async fn quoted(o: &Stage) -> LeadId {
    quoted_with(
        o,
        json!({ "tipoReforma": "bano", "m2Suelo": 6, "calidadGlobal": "media", "provincia": "Madrid" }),
    )
    .await
}

async fn quoted_with(o: &Stage, facts: serde_json::Value) -> LeadId {
    let lead = o.new_lead_with(facts).await;
    assert!(o.finalizar(lead).await.mail_accepted);
    lead
}

/// Lets time pass, plans and sends reminders; returns how many were planned.
async fn remind(o: &Stage, time: SignedDuration) -> usize {
    o.clock.advance(time);
    let planned = o.app.housekeeping().plan_reminders().await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    planned
}

/// The reminders that a client got, without the mail of the quote itself.
fn reminders(o: &Stage) -> Vec<Message> {
    let own = o.mailbox.messages().into_iter().filter(|m| m.to == [CLIENT]);
    let is_other = |m: &Message| m.subject().starts_with("Tu presupuesto") || m.subject().contains("aceptad");
    own.filter(|m| !is_other(m)).collect()
}

async fn planned(o: &Stage) -> Vec<Job> {
    o.jobs(JobFilter { kind: Some(JobKind::Reminder), ..JobFilter::default() }).await
}

async fn says(o: &Stage, lead: LeadId, rol: Rol) {
    let turno = Turno {
        rol,
        mensaje: "Lo pienso".into(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    let id = TurnoId(uuid::Uuid::now_v7());
    o.app
        .store
        .append_turno(AppendTurno { id, lead, turno, at: o.app.now(), idempotency: None })
        .await
        .unwrap();
}

/// A person of the company tries to call the client.
async fn calls(o: &Stage, lead: LeadId, result: &str) {
    call_ends(o, lead, json!({ "resultado": result })).await;
}

async fn call_ends(o: &Stage, lead: LeadId, end: serde_json::Value) {
    let mut body = json!({ "canal": "llamada", "numeroIntento": 1 });
    body.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
    let intento = Intento::read(body.to_string().as_bytes()).unwrap();
    let id = IntentoId(uuid::Uuid::now_v7());
    let command = RecordIntento { id, lead, intento, at: o.app.now(), idempotency: None };
    o.app.store.record_intento(command).await.unwrap();
}

async fn nothing_goes_unless_the_company_wants_it(engine: Engine) {
    let o = Stage::client_mails(engine, with_address).await;
    quoted(&o).await;
    assert_eq!(remind(&o, DAY * 3).await, 0);
    // After switching on, there are no reminders about quotes that were sent before.
    switch(&o, Some(o.app.now())).await;
    for _ in 0..8 {
        assert_eq!(remind(&o, DAY).await, 0);
    }
    // A server without its own address has no links.
    let o = Stage::client_mails(engine, |_| {}).await;
    switch(&o, Some(o.app.now())).await;
    o.clock.advance(SignedDuration::from_secs(2));
    quoted(&o).await;
    assert_eq!(remind(&o, DAY * 3).await, 0);
}

async fn an_unanswered_quote_is_reminded_of_once_each_time(engine: Engine) {
    let o = stage(engine).await;
    let lead = quoted(&o).await;
    let quote = o.app.store.presupuestos(lead).await.unwrap().remove(0);
    assert_eq!(remind(&o, DAY * 3 - HOUR).await, 0, "too early");
    assert_eq!(remind(&o, HOUR).await, 1);
    says(&o, lead, Rol::Assistant).await;
    let mut counts = Vec::new();
    for _ in 0..10 {
        remind(&o, DAY).await;
        counts.push(reminders(&o).len());
    }
    assert_eq!(counts, [1, 1, 1, 2, 2, 2, 2, 2, 2, 2]);
    let mails = reminders(&o);
    let url = o.app.quotes().page_url(quote.id).unwrap();
    assert_eq!(
        mails[0].subject(),
        format!("Recordatorio: tu presupuesto de reforma de baño, {}", quote.number)
    );
    let text = mails[0].part("text/plain").unwrap().replace("\r\n", "\n");
    assert!(text.starts_with("Hola, Ana:\n\n¿Lo has visto?\n\nUn <b>saludo</b>.\n\n"), "{text}");
    assert!(text.contains(&format!("\n{url}\n")) && text.contains("válido hasta el"), "{text}");
    assert!(text.contains("No quiero más recordatorios:\nhttps://leads.ejemplo.es/r/"), "{text}");
    let html = mails[0].part("text/html").unwrap();
    assert!(html.contains("Un &lt;b&gt;saludo&lt;/b&gt;.") && html.contains("Ver el presupuesto"), "{html}");
    let head = mails[0].data.replace("\r\n ", " ");
    assert!(head.contains("List-Unsubscribe: <https://leads.ejemplo.es/r/"), "{head}");
    assert!(head.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{head}");
    assert!(mails[1].part("text/plain").unwrap().contains("Por última vez."));
    assert_eq!(o.events(lead, EventKind::Reminder).await, [(true, false), (true, false)]);
    assert_eq!(planned(&o).await.iter().filter(|job| job.state == JobState::Done).count(), 2);
}

async fn any_answer_ends_the_reminders(engine: Engine) {
    let o = stage(engine).await;
    let mut leads = Vec::new();
    for _ in 0..14 {
        leads.push(quoted(&o).await);
    }
    let visited = quoted_with(&o, json!({ "tipoReforma": "bano" })).await;
    o.clock.advance(HOUR);
    let [accepted, declined] = [leads[0], leads[1]];
    let quote = o.app.store.presupuestos(accepted).await.unwrap().remove(0);
    let total = quote.document.impuesto.total;
    let word = ClientWord::Accepts { options: Vec::new(), total, declared: true, early_start: false };
    o.app.quotes().answer(&quote, ClientAnswer { word, ip: None }).await.unwrap();
    let quote = o.app.store.presupuestos(declined).await.unwrap().remove(0);
    let word = ClientWord::Declines { reason: None };
    o.app.quotes().answer(&quote, ClientAnswer { word, ip: None }).await.unwrap();
    let quote = o.app.store.presupuestos(visited).await.unwrap().remove(0);
    assert_eq!(o.app.quotes().ask_visit(&quote, None).await.unwrap(), AnswerResult::Done);
    says(&o, leads[2], Rol::User).await;
    let viewer = Viewer { who: UserId(uuid::Uuid::nil()), empresas: vec![o.empresa.id] };
    let entry = || o.app.access().audit(&Actor::command(), AuditAction::LeadsArchived);
    o.app.store.archive(&viewer, vec![leads[3]], "lejos".into(), o.app.now(), entry()).await.unwrap();
    o.app.forms().ask_for_call(leads[6], "1").await.unwrap();
    // A request about personal data, a question by messaging, and calls in which somebody spoke with the client.
    let quote = o.app.store.presupuestos(leads[7]).await.unwrap().remove(0);
    assert!(o.app.rights().ask(&quote, RightAsked::Erasure).await.unwrap());
    o.app.leads().start_mensajeria(leads[8], None).await.unwrap();
    calls(&o, leads[9], "exitoso").await;
    calls(&o, leads[10], "rechaza").await;
    call_ends(&o, leads[13], json!({ "completado": true })).await;
    calls(&o, leads[5], "no_contesta").await;
    // Two leads of one person, who refused reminders with the other lead.
    o.app.store.unite(&viewer, leads[11], leads[12], o.app.now(), entry()).await.unwrap();
    o.app.forms().refuse_reminders(&o.record(leads[12]).await).await.unwrap();
    // These two leads are one person, who has a newer quote with the other lead.
    o.app.store.unite(&viewer, leads[4], leads[5], o.app.now(), entry()).await.unwrap();
    let newer = o.ingest(
        leads[5],
        json!({ "items": [{ "tipo": "texto", "texto": "Con mampara" }], "finalizar": true }),
    );
    newer.await;
    assert_eq!(remind(&o, DAY * 3 - HOUR).await, 0, "the newer one is an hour younger");
    assert_eq!(remind(&o, HOUR).await, 1);
    assert_eq!(planned(&o).await[0].lead, leads[5]);
    assert_eq!(reminders(&o).len(), 1);
}

async fn nobody_is_reminded_of_what_did_not_arrive(engine: Engine) {
    let o = stage(engine).await;
    o.mailbox.treatments([Treatment::Rcpt("550 5.1.1 no such user")]);
    let lead = o.new_lead_with(json!({ "tipoReforma": "bano" })).await;
    assert!(!o.finalizar(lead).await.mail_accepted);
    assert_eq!(remind(&o, DAY * 3).await, 0);
    let number = o.app.store.presupuestos(lead).await.unwrap()[0].number.to_string();
    let at = o.app.now();
    let event = Event {
        kind: EventKind::DeliveredByHand,
        simulated: false,
        ok: true,
        detail: Some(number),
        creado_en: at,
    };
    let command = RecordEvent { lead, event: Some(event), jobs: Vec::new(), at, idempotency: None };
    o.app.store.record_event(command).await.unwrap();
    assert_eq!(remind(&o, HOUR).await, 1, "somebody gave it by hand");
}

async fn nobody_is_reminded_who_does_not_want_it(engine: Engine) {
    let o = stage(engine).await;
    let (refused, withdrawn, no_offers) = (quoted(&o).await, quoted(&o).await, quoted(&o).await);
    let record = o.record(refused).await;
    for _ in 0..2 {
        o.app.forms().refuse_reminders(&o.record(refused).await).await.unwrap();
    }
    assert_eq!(o.record(refused).await.consentimientos.len(), record.consentimientos.len() + 1, "said once");
    let offers = |granted| Consentimiento {
        purpose: "comercial".into(),
        channel: Some("email".into()),
        texto_version: "1".into(),
        source: None,
        granted,
        otorgado_en: None,
    };
    o.app.forms().record_consentimientos(withdrawn, vec![offers(true), offers(false)]).await.unwrap();
    o.app.forms().record_consentimientos(no_offers, vec![offers(false)]).await.unwrap();
    assert_eq!(remind(&o, DAY * 3).await, 1);
    assert_eq!(planned(&o).await[0].lead, no_offers);
    // The client refuses between planning and sending.
    o.clock.advance(DAY * 4);
    assert_eq!(o.app.housekeeping().plan_reminders().await.unwrap(), 1);
    o.app.forms().refuse_reminders(&o.record(no_offers).await).await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!((reminders(&o).len(), planned(&o).await[0].state), (1, JobState::Discarded));
}

async fn what_is_planned_stops_when_it_is_switched_off(engine: Engine) {
    let o = stage(engine).await;
    quoted(&o).await;
    o.clock.advance(DAY * 3);
    assert_eq!(o.app.housekeeping().plan_reminders().await.unwrap(), 1);
    switch(&o, None).await;
    o.pass(SignedDuration::ZERO).await;
    let job = planned(&o).await.remove(0);
    assert_eq!((job.state, reminders(&o).len()), (JobState::Discarded, 0));
    assert_eq!(job.ultimo_error.as_deref(), Some("los recordatorios de presupuestos están apagados"));
    // After switching on again, there are still no reminders about quotes that were sent before.
    switch(&o, Some(o.app.now())).await;
    for _ in 0..6 {
        assert_eq!(remind(&o, DAY).await, 0);
    }
}

async fn what_waited_too_long_is_not_sent(engine: Engine) {
    let o = stage(engine).await;
    quoted(&o).await;
    let entry = || o.app.access().audit(&Actor::command(), AuditAction::DestinationPaused);
    let pause =
        SetPause { empresa: o.empresa.id, kinds: Destination::Mail.kinds(), at: o.app.now(), audit: entry() };
    o.app.store.pause(pause.clone()).await.unwrap();
    assert_eq!(remind(&o, DAY * 3).await, 1);
    assert_eq!(reminders(&o).len(), 0, "mail is paused");
    o.clock.advance(DAY * 3);
    o.app.store.resume(SetPause { at: o.app.now(), audit: entry(), ..pause }).await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!((reminders(&o).len(), planned(&o).await[0].state), (0, JobState::Discarded));
    // A server that was off for a week sends the reminder that is due now, but not the one that it missed.
    let o = stage(engine).await;
    quoted(&o).await;
    assert_eq!(remind(&o, DAY * 8).await, 1);
    assert!(reminders(&o)[0].part("text/plain").unwrap().contains("Por última vez."));
    assert_eq!(remind(&o, DAY).await, 0);
}

/// When the clock starts, it is 11:30 h in Madrid.
async fn at_night_nothing_goes(engine: Engine) {
    let o = stage(engine).await;
    quoted(&o).await;
    assert_eq!(remind(&o, DAY * 3 + HOUR * 9).await, 0, "20:30 h");
    o.clock.advance(HOUR * 14);
    assert_eq!(o.app.housekeeping().plan_reminders().await.unwrap(), 1, "10:30 h");
    o.pass(HOUR * 10).await;
    assert_eq!((reminders(&o).len(), planned(&o).await[0].state), (0, JobState::Pending), "20:30 h");
    o.pass(HOUR * 13).await;
    assert_eq!(reminders(&o).len(), 0, "9:30 h");
    o.pass(HOUR * 2).await;
    assert_eq!(reminders(&o).len(), 1, "11:30 h");
}

async fn several_processes_plan_one(engine: Engine) {
    let o = stage(engine).await;
    quoted(&o).await;
    o.clock.advance(DAY * 3);
    let (one, two) = (o.app.housekeeping(), o.app.housekeeping());
    let (a, b, c) = tokio::join!(one.plan_reminders(), two.plan_reminders(), one.plan_reminders());
    assert_eq!(a.unwrap() + b.unwrap() + c.unwrap(), 1);
    o.pass(SignedDuration::ZERO).await;
    assert_eq!((planned(&o).await.len(), reminders(&o).len()), (1, 1));
}

/// The lead of a person who gave contact data in the form.
async fn begins(o: &Stage) -> LeadId {
    begins_as(o, "612345678", CLIENT).await
}

async fn begins_as(o: &Stage, telefono: &str, email: &str) -> LeadId {
    let body = json!({ "nombre": "Ana García", "telefono": telefono, "email": email, "tipoReforma": "bano",
        "canalOrigen": "formulario_web",
        "consentimientos": [{ "finalidad": "informacion_privacidad", "textoVersion": "1", "fuente": "formulario_web" }] });
    o.sign_up(NewLead::read(body.to_string().as_bytes()).unwrap()).await
}

async fn a_form_that_was_left_is_taken_up_again(engine: Engine) {
    let o = stage(engine).await;
    let lead = begins(&o).await;
    assert_eq!(remind(&o, HOUR * 23).await, 0);
    for _ in 0..4 {
        remind(&o, HOUR * 6).await;
    }
    let mails = reminders(&o);
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].subject(), "Tu solicitud a Reformas Peña se quedó a medias");
    let text = mails[0].part("text/plain").unwrap().replace("\r\n", "\n");
    assert!(text.contains("Sigue, por favor."), "{text}");
    let start = "https://leads.ejemplo.es/f/reformas-pena/";
    let pass = text.lines().find_map(|line| line.strip_prefix(start)).expect("a link");
    assert_eq!(o.app.form_passes().read_form(pass), Ok(lead));
    o.clock.advance(DAY * 31);
    assert!(o.app.form_passes().read_form(pass).is_err(), "it ends");
}

async fn a_form_that_went_on_is_left_alone(engine: Engine) {
    let o = stage(engine).await;
    let complete = begins_as(&o, "612345601", "eva@ejemplo.es").await;
    o.app.forms().completed(complete).await.unwrap();
    let spoke = begins_as(&o, "612345602", "luis@ejemplo.es").await;
    says(&o, spoke, Rol::User).await;
    let called = begins_as(&o, "612345603", "mar@ejemplo.es").await;
    calls(&o, called, "rechaza").await;
    o.new_lead_with(json!({ "canalOrigen": "formulario_web" })).await;
    o.clock.advance(SignedDuration::from_secs(60));
    let meanwhile = begins(&o).await;
    o.clock.advance(DAY);
    assert_eq!(o.app.housekeeping().plan_reminders().await.unwrap(), 1);
    assert_eq!(planned(&o).await[0].lead, meanwhile);
    o.app.forms().completed(meanwhile).await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(reminders(&o).len(), 0);
    // The form was begun long before the server was running.
    begins(&o).await;
    assert_eq!(remind(&o, DAY * 4).await, 0);
}

async fn a_form_is_left_alone_where_its_person_went_on_with_another(engine: Engine) {
    let o = stage(engine).await;
    // Two forms were begun: a reminder only about the newer one, matched by telephone or by e-mail.
    begins_as(&o, "612345678", "otra@ejemplo.es").await;
    begins_as(&o, "612345679", CLIENT).await;
    o.clock.advance(SignedDuration::from_secs(60));
    let newer = begins(&o).await;
    assert_eq!(remind(&o, DAY).await, 1);
    assert_eq!(planned(&o).await[0].lead, newer);
    // Two forms were begun, and the first one was completed.
    let first = begins_as(&o, "612345690", "eva@ejemplo.es").await;
    o.clock.advance(SignedDuration::from_secs(60));
    begins_as(&o, "612345690", "eva@ejemplo.es").await;
    o.app.forms().completed(first).await.unwrap();
    assert_eq!(remind(&o, DAY).await, 0);
}

async fn steps_that_are_edited_neither_repeat_nor_swallow_one(engine: Engine) {
    let o = stage(engine).await;
    quoted(&o).await;
    assert_eq!(remind(&o, DAY * 3).await, 1);
    // A reminder is inserted before the existing one. The existing one is second now, and was already sent.
    let set = async |days: &[u16]| {
        let before = o.app.store.settings(o.empresa.id).await.unwrap();
        let step = |days: &u16| ReminderStep { days: *days, text: format!("A los {days}.") };
        let quotes = before.reminders.quotes.set(Some(o.app.now()), days.iter().map(step).collect());
        let reminders = ReminderSettings { quotes, ..before.reminders };
        o.app.store.save_settings(o.empresa.id, Settings { reminders, ..before }).await.unwrap();
    };
    set(&[1, 3, 7]).await;
    assert_eq!(remind(&o, DAY).await, 0, "the one after three days was sent");
    // The first reminder is removed. The one after seven days is now the first, and is still sent.
    set(&[7]).await;
    assert_eq!(remind(&o, DAY * 3).await, 1);
    assert!(reminders(&o)[1].part("text/plain").unwrap().contains("A los 7."));
}
