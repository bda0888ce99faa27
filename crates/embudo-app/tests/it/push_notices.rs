//! Notices on devices: what a push service receives, who can read it, and what its answers mean.

use embudo_app::{Actor, NewPerson, OpenSession, Origin, WithLinks};
use embudo_delivery::Links;
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::lead::NewLead;
use embudo_domain::next_action::ANSWER_WITHIN;
use embudo_domain::notice::{NoticeChoice, NoticeTopic, Topics};
use embudo_domain::push::PushDevice;
use embudo_domain::role::{Membership, Role};
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{Body, LeadId, SessionId, TurnoId};
use embudo_store::inbox::Viewer;
use embudo_store::lead_writes::AppendTurno;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::push::Subscribe;
use embudo_store::replies::TakeOver;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, PushBrowser, PushService, Setup, both_engines};
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use crate::stage::{DAY, Stage};

const COMPANY_URL: &str = "https://leads.ejemplo.es";

both_engines!(
    a_device_is_told_and_nobody_else_can_read_it,
    mail_and_devices_are_chosen_apart,
    a_browser_that_is_gone_is_forgotten,
    a_service_that_is_away_is_asked_again_for_a_day,
    a_private_address_is_refused,
    who_changed_their_mind_is_not_told,
    without_mail_a_form_that_went_on_is_told_once,
    a_client_who_waits_is_told_of_once,
);

/// Without mail, notices only go to devices.
async fn unmailed(engine: Engine, service: &PushService) -> Stage {
    Stage::signals(engine, |m| with_service(m, service)).await
}

fn with_service(m: &mut Setup, service: &PushService) {
    m.outbound.fetches = service.guard();
    m.outbound.links =
        Some(WithLinks { links: Links::new(b"un secreto de sobra largo"), public_url: COMPANY_URL.into() });
}

async fn person(o: &Stage, name: &str) -> OpenSession {
    let person = NewPerson {
        nombre: name.into(),
        email: Email::parse(&format!("{name}@ejemplo.es")).unwrap(),
        is_admin: false,
        memberships: vec![Membership { empresa: o.empresa.id, role: Role::Comercial }],
        password: None,
    };
    let user: User = o.app.access().create_person(person, &Actor::command()).await.unwrap();
    let session = Session {
        id: SessionId(Uuid::new_v4()),
        user: user.id,
        empresa: None,
        own_device: false,
        halfway: false,
        agent: String::new(),
        ip: None,
        creada_en: o.app.now(),
        usada_en: o.app.now(),
        expira_en: o.app.now(),
    };
    OpenSession { session, user }
}

/// Switches notices on in a browser; returns the reason if this is not allowed.
async fn switch_on(o: &Stage, open: &OpenSession, browser: &PushBrowser) -> Result<(), String> {
    let origin = Origin { agent: "Firefox/140 Android".into(), ip: None };
    let empresas = vec![o.empresa.id];
    let done = o.app.access().switch_device_on(open, empresas, browser.target(), &origin).await.unwrap();
    done.map_err(|refused| refused.to_string())
}

async fn choose(o: &Stage, open: &OpenSession, topics: Topics, on_devices: Topics) {
    let choice = NoticeChoice { topics, on_devices, only_assigned: false };
    o.app.access().choose_notices(open, &o.empresa, choice, &Origin::default()).await.unwrap();
}

async fn devices(o: &Stage, open: &OpenSession) -> usize {
    o.app.store.devices_of(open.user.id).await.unwrap().len()
}

/// The states of the jobs for devices, newest first.
async fn states(o: &Stage) -> Vec<JobState> {
    let filter = JobFilter { kind: Some(JobKind::PushNotice), ..JobFilter::default() };
    // Without mail, the notice itself is a job of this kind too.
    let of_device = |job: &&Job| job.payload.contains("dispositivo");
    o.jobs(filter).await.iter().filter(of_device).map(|job| job.state).collect()
}

/// Projects what was written, as a running process does by itself.
async fn projected(o: &Stage) {
    let store = &o.app.store;
    let taken = store.touches().take();
    store.project(taken.leads.into_iter().collect()).await.unwrap();
}

async fn a_device_is_told_and_nobody_else_can_read_it(engine: Engine) {
    let service = PushService::start().await;
    let o = unmailed(engine, &service).await;
    let ana = person(&o, "ana").await;
    let (phone, laptop) = (service.browser("movil"), service.browser("mesa"));
    for browser in [&phone, &laptop] {
        assert_eq!(switch_on(&o, &ana, browser).await, Ok(()));
    }
    let lead = o.new_lead_with(json!({ "nombre": "Ana Gil", "telefono": "612 34 56 78" })).await;
    assert_eq!(o.pass(SignedDuration::ZERO).await, 3, "the notice, and both devices");
    assert_eq!(states(&o).await, [JobState::Done; 2]);
    let received = service.last_for(&phone).expect("it came");
    assert_eq!((received.method.as_str(), received.header("ttl")), ("POST", Some("86400")));
    assert_eq!(received.header("urgency"), Some("high"));
    let (claims, key) = service.claims(&received);
    assert_eq!(key, o.app.access().push_key().await.unwrap(), "the key that browsers subscribe with");
    let origin = format!("https://{}", service.receiver.address);
    assert_eq!((claims["aud"].as_str(), claims["sub"].as_str()), (Some(origin.as_str()), Some(COMPANY_URL)));
    let exp = claims["exp"].as_i64().unwrap() - o.app.now().as_second();
    assert!((1..=24 * 60 * 60).contains(&exp), "{exp}");
    let bytes = String::from_utf8_lossy(&received.body).into_owned();
    assert!(!bytes.contains("Ana Gil"), "the service reads nothing");
    let expected = json!({
        "titulo": "Nuevo lead",
        "texto": "Ana Gil",
        "ruta": format!("/panel/leads/{lead}"),
        "marca": lead.to_string(),
    });
    assert_eq!(phone.read(&received), expected);
    let second = service.last_for(&laptop).expect("it came");
    assert_ne!(received.body, second.body);
    assert_eq!(laptop.read(&second), expected);
    assert!(
        o.record(lead).await.events.is_empty(),
        "who of the company hears of it is not the lead's history"
    );
    let used = o.app.store.devices_of(ana.user.id).await.unwrap();
    assert!(used.iter().all(|device| device.usado_en.is_some()));
    assert_eq!(o.pass(DAY).await, 0, "once each");
}

async fn mail_and_devices_are_chosen_apart(engine: Engine) {
    let service = PushService::start().await;
    let o = Stage::mails(engine, |m| with_service(m, &service)).await;
    let (ana, bea) = (person(&o, "ana").await, person(&o, "bea").await);
    let phone = service.browser("movil");
    switch_on(&o, &ana, &phone).await.unwrap();
    choose(&o, &ana, NoticeTopic::Perfil.into(), NoticeTopic::Arrivals.into()).await;
    choose(&o, &bea, NoticeTopic::Arrivals.into(), NoticeTopic::Arrivals.into()).await;
    let lead = o.new_lead().await;
    assert_eq!(o.pass(SignedDuration::ZERO).await, 3, "the address, one mail, one device");
    let to: Vec<_> = o.mailbox.messages().iter().map(|m| m.to[0].clone()).collect();
    assert_eq!(to, ["obra@ejemplo.es", "bea@ejemplo.es"], "who has no device is told nowhere else");
    assert_eq!(service.receiver.received().len(), 1);
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(service.receiver.received().len(), 1);
    assert_eq!(o.mailbox.messages().last().unwrap().to, ["ana@ejemplo.es"]);
}

async fn a_browser_that_is_gone_is_forgotten(engine: Engine) {
    let service = PushService::start().await;
    let o = unmailed(engine, &service).await;
    let ana = person(&o, "ana").await;
    for (status, left) in [(410, 0), (404, 0), (403, 1)] {
        let browser = service.browser(&format!("de-{status}"));
        switch_on(&o, &ana, &browser).await.unwrap();
        service.receiver.manners([Manner::state(status)]);
        o.clock.advance(SignedDuration::from_secs(1));
        o.new_lead().await;
        o.pass(SignedDuration::ZERO).await;
        assert_eq!(devices(&o, &ana).await, left, "{status}");
        let expected = if left == 0 { JobState::Discarded } else { JobState::Dead };
        assert_eq!(states(&o).await[0], expected, "{status}");
    }
    assert_eq!(o.pass(DAY).await, 0, "and nothing is told of that");
}

async fn a_service_that_is_away_is_asked_again_for_a_day(engine: Engine) {
    let service = PushService::start().await;
    let o = unmailed(engine, &service).await;
    let ana = person(&o, "ana").await;
    let phone = service.browser("movil");
    switch_on(&o, &ana, &phone).await.unwrap();
    service.receiver.manners([Manner::state(503), Manner::retries(429, "120")]);
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(states(&o).await[0], JobState::Pending);
    o.pass(SignedDuration::from_secs(10)).await;
    o.pass(SignedDuration::from_secs(60)).await;
    assert_eq!(service.receiver.received().len(), 2, "it asked for two minutes");
    o.pass(SignedDuration::from_secs(120)).await;
    let last = service.last_for(&phone).unwrap();
    assert_eq!((service.receiver.received().len(), last.header("ttl")), (3, Some("86210")));
    assert_eq!(phone.read(&last)["titulo"], "Nuevo lead");

    service.receiver.always(Manner::state(503));
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    for _ in 0..12 {
        o.pass(SignedDuration::from_hours(6)).await;
    }
    assert_eq!(states(&o).await[0], JobState::Expired);
    assert_eq!(devices(&o, &ana).await, 1);
}

async fn a_private_address_is_refused(engine: Engine) {
    let service = PushService::start().await;
    // The egress guard with the shipped settings.
    let o = Stage::signals(engine, |_| {}).await;
    let ana = person(&o, "ana").await;
    let phone = service.browser("movil");
    assert!(switch_on(&o, &ana, &phone).await.is_err());
    assert_eq!(devices(&o, &ana).await, 0);
    // A device that was accepted earlier, or whose host name now resolves to another address.
    let open = unmailed(engine, &service).await;
    let owner = person(&open, "ana").await;
    switch_on(&open, &owner, &phone).await.unwrap();
    let mut kept = open.app.store.devices_of(owner.user.id).await.unwrap();
    let device = PushDevice { user: ana.user.id, ..kept.remove(0) };
    let audit = o.app.access().audit(&Actor::command(), AuditAction::DeviceSubscribed);
    let topics = Topics::FOR_DEVICES;
    let command = Subscribe { device, topics, empresas: vec![o.empresa.id], audit };
    o.app.store.subscribe(command).await.unwrap();
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    let filter = JobFilter { kind: Some(JobKind::PushNotice), ..JobFilter::default() };
    let jobs = o.jobs(filter).await;
    let job = jobs.iter().find(|job| job.payload.contains("dispositivo")).unwrap();
    assert!(job.ultimo_error.as_deref().unwrap().contains("No se envía a esa dirección"), "{job:?}");
    assert_eq!(service.receiver.received().len(), 0);
}

async fn who_changed_their_mind_is_not_told(engine: Engine) {
    let service = PushService::start().await;
    let o = unmailed(engine, &service).await;
    let (ana, bea) = (person(&o, "ana").await, person(&o, "bea").await);
    let (hers, other) = (service.browser("suyo"), service.browser("otro"));
    switch_on(&o, &ana, &hers).await.unwrap();
    switch_on(&o, &bea, &other).await.unwrap();
    service.receiver.always(Manner::state(503));
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    service.receiver.always(Manner::state(201));
    choose(&o, &ana, Topics::NONE, Topics::NONE).await;
    let device = o.app.store.devices_of(bea.user.id).await.unwrap().remove(0);
    assert!(o.app.access().switch_device_off(&bea, device.id, &Origin::default()).await.unwrap());
    assert!(!o.app.access().switch_device_off(&ana, device.id, &Origin::default()).await.unwrap());
    let before = service.receiver.received().len();
    o.pass(SignedDuration::from_hours(1)).await;
    assert_eq!(service.receiver.received().len(), before);
    assert_eq!(states(&o).await, [JobState::Discarded; 2]);
}

async fn without_mail_a_form_that_went_on_is_told_once(engine: Engine) {
    let service = PushService::start().await;
    let o = unmailed(engine, &service).await;
    let ana = person(&o, "ana").await;
    switch_on(&o, &ana, &service.browser("movil")).await.unwrap();
    let form = |name: &str| {
        let body = json!({ "nombre": name, "telefono": "612345678", "email": "a@ejemplo.es" });
        NewLead::read(body.to_string().as_bytes()).unwrap()
    };
    let told = || service.receiver.received().len();
    o.sign_up(form("Deja")).await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(told(), 0, "they may go on");
    o.pass(DAY).await;
    assert_eq!(told(), 1);
    let lead = o.sign_up(form("Sigue")).await;
    o.app.forms().completed(lead).await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(told(), 2);
    o.pass(DAY).await;
    assert_eq!(told(), 2, "what went on was not left");
}

async fn writes(o: &Stage, lead: LeadId) {
    let turno = Turno {
        rol: Rol::User,
        mensaje: "¿Hay alguien?".into(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    let id = TurnoId(Uuid::new_v4());
    let command = AppendTurno { id, lead, turno, at: o.app.now(), idempotency: None };
    o.app.store.append_turno(command).await.unwrap();
}

async fn a_client_who_waits_is_told_of_once(engine: Engine) {
    let service = PushService::start().await;
    let o = unmailed(engine, &service).await;
    let ana = person(&o, "ana").await;
    let phone = service.browser("movil");
    switch_on(&o, &ana, &phone).await.unwrap();
    choose(&o, &ana, Topics::NONE, NoticeTopic::Messages.into()).await;
    let (lead, attended) = (o.new_lead().await, o.new_lead_with(json!({ "nombre": "Bea Ruiz" })).await);
    let viewer = Viewer { who: ana.user.id, empresas: vec![o.empresa.id] };
    let audit = o.app.access().audit(&Actor::command(), AuditAction::LeadTakenOver);
    let over = TakeOver { lead: attended, seen: None, to: Some(ana.user.id), at: o.app.now(), audit };
    o.app.store.take_over(&viewer, over).await.unwrap();
    for lead in [lead, attended] {
        writes(&o, lead).await;
    }
    projected(&o).await;
    let housekeeping = o.app.housekeeping();
    assert_eq!(housekeeping.tell_of_messages().await.unwrap(), 1, "where a person answers, at once");
    assert_eq!(housekeeping.tell_of_messages().await.unwrap(), 0);
    o.pass(SignedDuration::ZERO).await;
    let received = service.last_for(&phone).unwrap();
    let told = phone.read(&received);
    assert_eq!(
        (told["titulo"].as_str(), told["texto"].as_str()),
        (Some("Mensaje de un cliente"), Some("Bea Ruiz"))
    );
    assert!(!told.to_string().contains("alguien"), "nothing of what they wrote");
    o.clock.advance(ANSWER_WITHIN);
    assert_eq!(housekeeping.tell_of_messages().await.unwrap(), 1, "where nobody answers, after a while");
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(service.receiver.received().len(), 2);
}
