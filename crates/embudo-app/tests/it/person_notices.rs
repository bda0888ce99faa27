//! Notices by mail to people: as each person chose, once, and only as long as they belong to the company.

use embudo_app::{Actor, NewPerson, OpenSession, Origin, WithLinks};
use embudo_delivery::Links;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::contact::Email;
use embudo_domain::empresa::Empresa;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::notice::{NoticeChoice, NoticeTopic};
use embudo_domain::role::{Membership, Role};
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{AuditId, EmpresaId, SessionId};
use embudo_store::empresas::EmpresaPatch;
use embudo_store::inbox::Viewer;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::users::UserPatch;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Receiver, Setup, both_engines};
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use crate::stage::Stage;

const COMPANY_URL: &str = "https://leads.ejemplo.es";
const ALL: [NoticeTopic; 5] = NoticeTopic::ALL;

both_engines!(
    everybody_hears_what_they_chose_once,
    without_a_shared_address_people_are_told_all_the_same,
    nobody_is_asked_where_nobody_wants_it,
    who_wants_their_own_hears_of_no_others,
    who_left_or_changed_their_mind_gets_nothing,
    a_notice_that_is_tried_again_reaches_people_once,
    a_notice_that_is_sent_again_by_hand_is_for_the_address,
    an_undeliverable_notice_makes_no_notice,
    a_pause_of_the_mail_holds_them,
    what_may_not_be_opened_is_not_linked,
    a_worker_on_site_is_told_of_no_lead,
);

fn with_address(m: &mut Setup) {
    let links = Links::new(b"un secreto de sobra largo");
    m.outbound.links = Some(WithLinks { links, public_url: COMPANY_URL.into() });
}

/// A person of a company, with the notices that they chose in it.
async fn person(o: &Stage, name: &str, empresa: &Empresa, role: Role, topics: &[NoticeTopic]) -> User {
    let person = NewPerson {
        nombre: name.into(),
        email: Email::parse(&format!("{name}@ejemplo.es")).unwrap(),
        is_admin: false,
        memberships: vec![Membership { empresa: empresa.id, role }],
        password: None,
    };
    let user = o.app.access().create_person(person, &Actor::command()).await.unwrap();
    choose(
        o,
        &user,
        empresa,
        NoticeChoice { topics: topics.iter().copied().collect(), ..NoticeChoice::default() },
    )
    .await;
    user
}

async fn choose(o: &Stage, user: &User, empresa: &Empresa, choice: NoticeChoice) {
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
    let open = OpenSession { session, user: user.clone() };
    o.app.access().choose_notices(&open, empresa, choice, &Origin::default()).await.unwrap();
}

/// A company without an address for notices.
async fn unaddressed(engine: Engine) -> Stage {
    let o = Stage::mails(engine, with_address).await;
    o.wants(EmpresaPatch { email_avisos: Some(String::new()), ..EmpresaPatch::default() }).await;
    o
}

/// The recipients and subjects of all mails, sorted.
fn letters(o: &Stage) -> Vec<(String, String)> {
    let mut all: Vec<_> = o.mailbox.messages().iter().map(|m| (m.to[0].clone(), m.subject())).collect();
    all.sort();
    all
}

fn recipients(o: &Stage) -> Vec<String> {
    letters(o).into_iter().map(|(to, _)| to).collect()
}

fn entry(o: &Stage) -> AuditEntry {
    AuditEntry {
        id: AuditId(Uuid::new_v4()),
        at: o.app.now(),
        user: None,
        who: "Ana".into(),
        empresa: None,
        action: AuditAction::UserChanged,
        object: None,
        ip: None,
        before: None,
        after: None,
    }
}

async fn of_person(o: &Stage) -> Vec<JobState> {
    let filter = JobFilter { kind: Some(JobKind::PersonNotice), ..JobFilter::default() };
    o.jobs(filter).await.iter().map(|job| job.state).collect()
}

async fn everybody_hears_what_they_chose_once(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    let other = Empresa {
        id: EmpresaId(Uuid::now_v7()),
        nombre: "Baños Sol".into(),
        slug: "banos-sol".into(),
        por_defecto: false,
        ..o.empresa.clone()
    };
    o.app.store.create_empresa(other.clone(), o.app.now()).await.unwrap();
    person(&o, "leads", &o.empresa, Role::Comercial, &[NoticeTopic::Arrivals]).await;
    person(&o, "perfiles", &o.empresa, Role::Comercial, &[NoticeTopic::Perfil]).await;
    person(&o, "nada", &o.empresa, Role::Gestor, &[]).await;
    person(&o, "ajena", &other, Role::Gestor, &ALL).await;

    let lead = o.new_lead_with(json!({ "nombre": "Ana Gil" })).await;
    assert_eq!(o.pass(SignedDuration::ZERO).await, 2, "the notice, and the one person who chose it");
    o.pass(SignedDuration::from_hours(1)).await;
    let about = |to: &str, what: &str| (format!("{to}@ejemplo.es"), format!("{what}: Ana Gil"));
    assert_eq!(letters(&o), [about("leads", "Nuevo lead"), about("obra", "Nuevo lead")]);
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(
        letters(&o),
        [
            about("leads", "Nuevo lead"),
            about("obra", "Nuevo lead"),
            about("obra", "Perfil completo"),
            about("perfiles", "Perfil completo"),
        ]
    );
    let letter = o.mailbox.messages().into_iter().find(|m| m.to == ["leads@ejemplo.es"]).unwrap();
    let text = letter.part("text/plain").unwrap();
    assert!(text.contains(&format!("{COMPANY_URL}/panel/leads/{lead}\r\n")), "{text}");
    assert!(text.contains(&format!("{COMPANY_URL}/panel/cuenta#avisos")), "{text}");
    assert!(!letter.data.contains("obra@ejemplo.es"), "one mail, one address");
}

async fn without_a_shared_address_people_are_told_all_the_same(engine: Engine) {
    let o = unaddressed(engine).await;
    person(&o, "ana", &o.empresa, Role::Lectura, &[NoticeTopic::Arrivals]).await;
    person(&o, "bea", &o.empresa, Role::Gestor, &[NoticeTopic::Arrivals]).await;
    let lead = o.new_lead().await;
    assert_eq!(o.pass(SignedDuration::ZERO).await, 3);
    assert_eq!(recipients(&o), ["ana@ejemplo.es", "bea@ejemplo.es"]);
    assert_eq!(o.states().await, [JobState::Done; 3]);
    let events = o.record(lead).await.events;
    assert!(events.is_empty(), "who of the company reads of it is not the lead's history: {events:?}");
}

async fn nobody_is_asked_where_nobody_wants_it(engine: Engine) {
    let o = unaddressed(engine).await;
    person(&o, "ana", &o.empresa, Role::Gestor, &[NoticeTopic::Answers]).await;
    o.new_lead().await;
    assert_eq!(o.pass(SignedDuration::ZERO).await, 0);
    assert_eq!(o.states().await, [], "no job is made for what nobody wants");
}

async fn who_wants_their_own_hears_of_no_others(engine: Engine) {
    let o = unaddressed(engine).await;
    let user = person(&o, "ana", &o.empresa, Role::Comercial, &[]).await;
    person(&o, "bea", &o.empresa, Role::Comercial, &[NoticeTopic::Perfil]).await;
    let topics = ALL.into_iter().collect();
    choose(&o, &user, &o.empresa, NoticeChoice { topics, only_assigned: true, ..NoticeChoice::default() })
        .await;
    let (own, others) = (o.new_lead().await, o.new_lead().await);
    let viewer = Viewer { who: user.id, empresas: vec![o.empresa.id] };
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(recipients(&o), [""; 0], "a lead that has just come in is nobody's");
    o.app.store.assign(&viewer, vec![own], Some(user.id), entry(&o)).await.unwrap();
    for lead in [own, others] {
        o.ingest(lead, json!({ "perfilCompleto": true })).await;
    }
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(recipients(&o), ["ana@ejemplo.es", "bea@ejemplo.es", "bea@ejemplo.es"]);
}

/// The person leaves or changes their choice between the notice and its sending.
async fn who_left_or_changed_their_mind_gets_nothing(engine: Engine) {
    let o = unaddressed(engine).await;
    let stays = person(&o, "ana", &o.empresa, Role::Comercial, &ALL).await;
    let left = person(&o, "bea", &o.empresa, Role::Comercial, &ALL).await;
    let sent_away = person(&o, "eva", &o.empresa, Role::Comercial, &ALL).await;
    let quiet = person(&o, "sol", &o.empresa, Role::Comercial, &ALL).await;
    // The server is unavailable for a while, so that everybody's mail waits.
    o.mailbox.always(Treatment::Mail("451 4.3.0 ahora no"));
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(of_person(&o).await, [JobState::Pending; 4]);
    let memberships = UserPatch { memberships: Some(vec![]), ..UserPatch::default() };
    o.app.store.update_user(left.id, memberships, entry(&o)).await.unwrap();
    let inactive = UserPatch { is_active: Some(false), ..UserPatch::default() };
    o.app.store.update_user(sent_away.id, inactive, entry(&o)).await.unwrap();
    choose(&o, &quiet, &o.empresa, NoticeChoice::default()).await;
    o.mailbox.always(Treatment::Accepts);
    o.pass(SignedDuration::from_mins(1)).await;
    o.pass(SignedDuration::from_mins(1)).await;
    assert_eq!(recipients(&o), [stays.email.typed.as_str()]);
    let mut states = of_person(&o).await;
    states.sort();
    assert_eq!(states, [JobState::Done, JobState::Discarded, JobState::Discarded, JobState::Discarded]);
    // No person wants any notice, so no job is made.
    choose(&o, &stays, &o.empresa, NoticeChoice::default()).await;
    let before = o.states().await.len();
    o.new_lead().await;
    assert_eq!(o.states().await.len(), before);
}

async fn a_notice_that_is_tried_again_reaches_people_once(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    person(&o, "ana", &o.empresa, Role::Comercial, &ALL).await;
    o.mailbox.treatments([
        Treatment::Rcpt("451 4.7.1 try later"),
        Treatment::Accepts,
        Treatment::Rcpt("550 5.1.1 no such user"),
    ]);
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(recipients(&o), ["ana@ejemplo.es"], "the address is not there; the person is");
    o.pass(SignedDuration::from_secs(6)).await;
    let filter = || JobFilter { kind: Some(JobKind::EmpresaMail), ..JobFilter::default() };
    let notice = o.jobs(filter()).await.remove(0);
    assert_eq!(notice.state, JobState::Dead);
    // A person has the job retried from the beginning.
    o.app.store.retry(notice.id, o.app.now(), None).await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(recipients(&o), ["ana@ejemplo.es", "obra@ejemplo.es"]);
    assert_eq!(of_person(&o).await, [JobState::Done]);
}

async fn a_notice_that_is_sent_again_by_hand_is_for_the_address(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    person(&o, "ana", &o.empresa, Role::Comercial, &ALL).await;
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    for kind in [JobKind::EmpresaMail, JobKind::PersonNotice] {
        let job = o.jobs(JobFilter { kind: Some(kind), ..JobFilter::default() }).await.remove(0);
        assert!(o.app.outbox().repeat(&job, &Actor::command()).await.unwrap().is_some());
        o.pass(SignedDuration::ZERO).await;
    }
    assert_eq!(recipients(&o), ["ana@ejemplo.es", "ana@ejemplo.es", "obra@ejemplo.es", "obra@ejemplo.es"]);
}

async fn an_undeliverable_notice_makes_no_notice(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    person(&o, "ana", &o.empresa, Role::Comercial, &ALL).await;
    o.mailbox.always(Treatment::Rcpt("550 5.1.1 no such user"));
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    o.pass(SignedDuration::from_hours(1)).await;
    assert_eq!(o.states().await, [JobState::Dead; 2]);
}

async fn a_pause_of_the_mail_holds_them(engine: Engine) {
    let o = unaddressed(engine).await;
    person(&o, "ana", &o.empresa, Role::Comercial, &ALL).await;
    let mail = embudo_domain::job::Destination::Mail;
    o.app.outbox().pause(o.empresa.id, mail, &Actor::command()).await.unwrap();
    o.new_lead().await;
    assert_eq!(o.pass(SignedDuration::from_hours(1)).await, 0);
    o.app.outbox().resume(o.empresa.id, mail, &Actor::command()).await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(recipients(&o), ["ana@ejemplo.es"]);
}

/// Only managers see the outbox; other people are told whom to ask.
async fn what_may_not_be_opened_is_not_linked(engine: Engine) {
    let receiver = Receiver::start().await;
    receiver.always(Manner::state(410));
    let url = receiver.url().parse().unwrap();
    let o = Stage::mails(engine, |m| {
        with_address(m);
        m.outbound.perfil = Some(url);
    })
    .await;
    person(&o, "gestora", &o.empresa, Role::Gestor, &[NoticeTopic::Trouble]).await;
    person(&o, "comercial", &o.empresa, Role::Comercial, &[NoticeTopic::Trouble]).await;
    let lead = o.new_lead().await;
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    o.pass(SignedDuration::ZERO).await;
    for (who, may) in [("gestora@ejemplo.es", true), ("comercial@ejemplo.es", false)] {
        let own: Vec<_> = o.mailbox.messages().into_iter().filter(|m| m.to == [who]).collect();
        assert_eq!(own.len(), 1);
        let (text, html) = (own[0].part("text/plain").unwrap(), own[0].part("text/html").unwrap());
        assert_eq!((text.contains("/panel/envios/"), html.contains("/panel/envios/")), (may, may), "{text}");
        assert_eq!(text.contains("pide a quien lleva los envíos"), !may, "{text}");
        assert!(text.contains(&format!("/panel/leads/{lead}")) && !text.contains("embudo jobs"), "{text}");
    }
}

async fn a_worker_on_site_is_told_of_no_lead(engine: Engine) {
    let o = unaddressed(engine).await;
    let worker = person(&o, "paco", &o.empresa, Role::Obra, &ALL).await;
    let on_devices = ALL.into_iter().collect();
    choose(&o, &worker, &o.empresa, NoticeChoice { topics: on_devices, on_devices, only_assigned: false })
        .await;
    let before = o.states().await.len();
    o.new_lead().await;
    assert_eq!(o.states().await.len(), before, "nothing is made for a worker on site alone");
    person(&o, "ana", &o.empresa, Role::Comercial, &ALL).await;
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(recipients(&o), ["ana@ejemplo.es"]);
}
