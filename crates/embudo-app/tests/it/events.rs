//! Events for a company's own workflows (contract §4): each is sent once and signed, and none is made without a
//! receiver.

use embudo_app::{Actor, ClientAnswer, ClientChange, ClientWord, Conflicts, NewPerson, NewVisita, Tell};
use embudo_delivery::webhook::Options;
use embudo_delivery::{Secrets, Webhooks};
use embudo_domain::contact::Email;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::lead::NewLead;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::role::{Membership, Role};
use embudo_domain::visita::{Visita, VisitaState};
use embudo_domain::{Body, LeadId, Timestamp};
use embudo_store::CallKey;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::presupuestos::AnswerResult;
use embudo_store::visits::VisitaChange;
use embudo_testkit::receiver::{Manner, Received};
use embudo_testkit::{Engine, Receiver, both_engines};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::stage::{DAY, Stage};

both_engines!(
    every_event_comes_once_signed_and_without_personal_data,
    what_is_repeated_tells_nothing_new,
    nothing_is_written_where_nobody_receives_it,
    an_event_is_retried_under_its_id_and_its_end_bothers_nobody,
);

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOUR: &str = "2026-11-20T10:00:00Z";
/// Personal data of the people in these tests, which no event may contain.
const PERSONAL: [&str; 6] = ["Ana", "612345678", "ejemplo", "Mayor", "portero", "caro"];

/// A stage with a receiver of events.
struct Told {
    o: Stage,
    receiver: Receiver,
}

impl Told {
    async fn at(engine: Engine) -> Self {
        let receiver = Receiver::start().await;
        let o = Stage::client_mails(engine, |m| {
            m.outbound.events = Some(receiver.url().parse().unwrap());
            let options = Options { secrets: Secrets::read(SECRET).unwrap(), ..Options::default() };
            m.outbound.webhooks = Webhooks::new(options).unwrap();
        })
        .await;
        Self { o, receiver }
    }

    /// The events that arrived since, sorted by time and topic.
    async fn events(&self, seen: &mut usize) -> Vec<Value> {
        self.o.app.worker().run_jobs().await.unwrap();
        let all = self.receiver.received();
        let mut new: Vec<Value> = all[*seen..].iter().map(checked).collect();
        *seen = all.len();
        new.sort_by_key(|event| (event["creadoEn"].to_string(), event["tipo"].to_string()));
        new
    }
}

/// The body of a call. First checks its signature, its id, that it has exactly the documented fields, and that it
/// contains no personal data.
fn checked(received: &Received) -> Value {
    let id = received.header("webhook-id").unwrap();
    let second: i64 = received.header("webhook-timestamp").unwrap().parse().unwrap();
    let mut signer = Secrets::read(SECRET).unwrap().signer(id, second);
    signer.update(&received.body);
    assert_eq!(received.header("webhook-signature"), signer.header().as_deref());
    let body = received.json();
    let fields: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = ["id", "tipo", "creadoEn", "tenant", "leadId", "datos"];
    expected.sort_unstable();
    let mut sorted = fields.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(body["id"], id);
    let text = body.to_string();
    assert!(PERSONAL.iter().all(|word| !text.contains(word)), "{text}");
    body
}

fn topics(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["tipo"].as_str().unwrap()).collect()
}

/// The data that a binding quote needs.
fn known() -> Value {
    json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" })
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn quoted(o: &Stage, lead: LeadId) -> Presupuesto {
    assert!(o.finalizar(lead).await.presupuesto);
    o.app.store.presupuestos(lead).await.unwrap().remove(0)
}

fn accepts(quote: &Presupuesto) -> ClientAnswer {
    let total = quote.document.impuesto.total;
    let word = ClientWord::Accepts { options: Vec::new(), total, declared: true, early_start: false };
    ClientAnswer { word, ip: None }
}

async fn visit(o: &Stage, lead: LeadId) -> Visita {
    let person = NewPerson {
        nombre: "Eva".into(),
        email: Email::parse("eva@ejemplo.es").unwrap(),
        is_admin: false,
        memberships: vec![Membership { empresa: o.empresa.id, role: Role::Comercial }],
        password: None,
    };
    let eva = o.app.access().create_person(person, &Actor::command()).await.unwrap();
    o.app.visits().prepare(NewVisita {
        lead,
        empresa: o.empresa.id,
        minutes: 60,
        address: "Calle Mayor 1".into(),
        people: vec![eva.id],
        notes: "Llamar al portero".into(),
    })
}

async fn keep(o: &Stage, before: Option<&Visita>, after: Visita) -> Visita {
    let (visits, actor) = (o.app.visits(), Actor::command());
    match visits.keep(before, after, Conflicts::Override, Tell::Everybody, &actor).await.unwrap() {
        VisitaChange::Saved(visita) => visita,
        other => panic!("{other:?}"),
    }
}

async fn every_event_comes_once_signed_and_without_personal_data(engine: Engine) {
    let told = Told::at(engine).await;
    let (o, mut seen) = (&told.o, 0);
    let lead = o.new_lead_with(known()).await;
    let created = told.events(&mut seen).await;
    assert_eq!(topics(&created), ["lead.creado"]);
    assert_eq!(
        (&created[0]["leadId"], &created[0]["tenant"], &created[0]["datos"]),
        (&json!(lead), &json!(o.empresa.id), &json!({}))
    );
    o.app.forms().ask_for_call(lead, "1").await.unwrap();
    assert_eq!(topics(&told.events(&mut seen).await), ["llamada.pedida"]);

    let quote = quoted(o, lead).await;
    let amounts = json!({ "numero": quote.number, "totalCents": quote.document.impuesto.total });
    let sent = told.events(&mut seen).await;
    assert_eq!((topics(&sent), &sent[0]["datos"]), (vec!["presupuesto.enviado"], &amounts));
    let word = ClientWord::Declines { reason: Some("Es caro para Ana".into()) };
    o.app.quotes().answer(&quote, ClientAnswer { word, ip: None }).await.unwrap();
    let rejected = told.events(&mut seen).await;
    assert_eq!((topics(&rejected), &rejected[0]["datos"]), (vec!["presupuesto.rechazado"], &amounts));
    let other = o.new_lead_with(known()).await;
    let quote = quoted(o, other).await;
    assert_eq!(o.app.quotes().answer(&quote, accepts(&quote)).await.unwrap(), AnswerResult::Done);
    let mut accepted = told.events(&mut seen).await;
    accepted.sort_by_key(|event| event["tipo"].to_string());
    assert_eq!(topics(&accepted), ["lead.creado", "presupuesto.aceptado", "presupuesto.enviado"]);
    assert_eq!(accepted[1]["datos"]["totalCents"], json!(quote.document.impuesto.total));

    let visita = visit(o, lead).await;
    let visita = keep(o, None, visita.propose(&[at(HOUR)], o.app.now()).unwrap()).await;
    assert_eq!(told.events(&mut seen).await, Vec::<Value>::new(), "nothing is agreed");
    let visits = o.app.visits();
    let ClientChange::Done(visita) = visits.client_picks(&visita, at(HOUR), None).await.unwrap() else {
        panic!()
    };
    let agreed = told.events(&mut seen).await;
    let when = |start: &str| json!({ "visitaId": visita.id, "inicio": start, "minutos": 60 });
    assert_eq!((topics(&agreed), &agreed[0]["datos"]), (vec!["visita.acordada"], &when(HOUR)));
    visits.client_picks(&visita, at(HOUR), None).await.unwrap();
    let mut elsewhere = visita.clone().details_changed(o.app.now());
    elsewhere.address = "Calle Mayor 2".into();
    let visita = keep(o, Some(&visita), elsewhere).await;
    assert_eq!(told.events(&mut seen).await, Vec::<Value>::new(), "the hour is the same");
    let later = "2026-11-20T12:00:00Z";
    let visita = keep(o, Some(&visita), visita.clone().agree(at(later), o.app.now()).unwrap()).await;
    let moved = told.events(&mut seen).await;
    assert_eq!((topics(&moved), &moved[0]["datos"]), (vec!["visita.movida"], &when(later)));
    o.clock.advance(DAY * 7);
    let end = |visita: &Visita, state| visita.clone().end_as(state, o.app.now()).unwrap();
    let visita = keep(o, Some(&visita), end(&visita, VisitaState::NoPresentado)).await;
    assert!(!topics(&told.events(&mut seen).await).contains(&"visita.hecha"), "nobody was there");
    keep(o, Some(&visita), end(&visita, VisitaState::Realizada)).await;
    assert_eq!(topics(&told.events(&mut seen).await), ["visita.hecha"]);
}

async fn what_is_repeated_tells_nothing_new(engine: Engine) {
    let told = Told::at(engine).await;
    let (o, mut seen) = (&told.o, 0);
    let body =
        json!({ "nombre": "Ana García", "telefono": "612 34 56 78", "email": "ana@ejemplo.es" }).to_string();
    let key = || CallKey {
        scope: "POST /api/leads".into(),
        key: "una".into(),
        cuerpo_sha256: [1; 32],
        life: SignedDuration::from_hours(1),
    };
    for _ in 0..3 {
        o.app.leads().create(NewLead::read(body.as_bytes()).unwrap(), Some(key())).await.unwrap();
    }
    assert_eq!(topics(&told.events(&mut seen).await), ["lead.creado"]);
    let (ticket, secret) = o.form_page();
    for _ in 0..2 {
        o.app.forms().sign_up(ticket, &secret, NewLead::read(body.as_bytes()).unwrap()).await.unwrap();
    }
    assert_eq!(topics(&told.events(&mut seen).await), ["lead.creado"]);
    o.app.leads().import(NewLead::read(body.as_bytes()).unwrap()).await.unwrap();
    assert_eq!(told.events(&mut seen).await, Vec::<Value>::new(), "it was known elsewhere");

    let lead = o.new_lead_with(known()).await;
    for _ in 0..2 {
        o.app.forms().ask_for_call(lead, "1").await.unwrap();
    }
    let quote = quoted(o, lead).await;
    quoted(o, lead).await;
    for expected in [AnswerResult::Done, AnswerResult::Repeated] {
        assert_eq!(o.app.quotes().answer(&quote, accepts(&quote)).await.unwrap(), expected);
    }
    let mut all = told.events(&mut seen).await;
    all.sort_by_key(|event| event["tipo"].to_string());
    let expected = ["lead.creado", "llamada.pedida", "presupuesto.aceptado", "presupuesto.enviado"];
    assert_eq!(topics(&all), expected, "the same quote, sent again, is no news");
    let ids: std::collections::BTreeSet<String> = all.iter().map(|event| event["id"].to_string()).collect();
    assert_eq!(ids.len(), all.len());
}

async fn nothing_is_written_where_nobody_receives_it(o: Stage) {
    let lead = o.new_lead_with(known()).await;
    o.app.forms().ask_for_call(lead, "1").await.unwrap();
    let quote = quoted(&o, lead).await;
    assert_eq!(o.app.quotes().answer(&quote, accepts(&quote)).await.unwrap(), AnswerResult::Done);
    let visita = visit(&o, lead).await;
    keep(&o, None, visita.agree(at(HOUR), o.app.now()).unwrap()).await;
    let filter = JobFilter { kind: Some(JobKind::Event), ..JobFilter::default() };
    assert_eq!(o.jobs(filter).await, []);
}

async fn an_event_is_retried_under_its_id_and_its_end_bothers_nobody(engine: Engine) {
    let told = Told::at(engine).await;
    let o = &told.o;
    o.wants(embudo_store::empresas::EmpresaPatch { notices: Some(true), ..Default::default() }).await;
    told.receiver.manners([Manner::state(500), Manner::state(410)]);
    let lead = o.new_lead().await;
    o.app.worker().run_jobs().await.unwrap();
    o.pass(SignedDuration::from_secs(10)).await;
    let received = told.receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(checked(&received[0])["id"], checked(&received[1])["id"]);
    let filter = JobFilter { kind: Some(JobKind::Event), ..JobFilter::default() };
    let jobs = o.jobs(filter).await;
    assert_eq!(jobs.iter().map(|job| job.state).collect::<Vec<_>>(), [JobState::Dead]);
    let notices = JobFilter { kind: Some(JobKind::EmpresaMail), ..JobFilter::default() };
    assert_eq!(o.jobs(notices).await.len(), 1, "of the new lead, none of the event");
    assert!(o.record(lead).await.events.iter().all(|event| event.ok), "history knows nothing of it");
}
