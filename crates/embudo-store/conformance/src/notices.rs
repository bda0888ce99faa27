//! Who gets which notices by mail: each person as they chose, while they belong to the company.

use std::sync::Arc;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::job::JobKind;
use embudo_domain::notice::{NoticeChoice, NoticeTopic, Recipient, SharedNotices, Topics};
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_domain::{EmpresaId, LeadId, UserId};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::empresas::EmpresaPatch;
use embudo_store::notices::{ChooseNotices, SetSharedNotices};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::users::UserPatch;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::{entry, new_user};
use super::data::outbox::{job, only_jobs, own};
use super::data::{ODD_TEXT, a_lead, empresa, record, t};

const BOTH: [NoticeTopic; 2] = [NoticeTopic::Arrivals, NoticeTopic::Trouble];

async fn company(store: &Arc<dyn Store>) -> EmpresaId {
    let new = empresa("Una");
    store.create_empresa(new.clone(), t(0)).await.expect("created");
    new.id
}

async fn person(store: &Arc<dyn Store>, nombre: &str, places: &[EmpresaId]) -> User {
    let mut new = new_user(nombre);
    new.user.memberships =
        places.iter().map(|empresa| Membership { empresa: *empresa, role: Role::Comercial }).collect();
    let user = new.user.clone();
    store.create_user(new).await.expect("created");
    user
}

fn chosen(user: UserId, empresa: EmpresaId, topics: &[NoticeTopic]) -> ChooseNotices {
    let choice = NoticeChoice { topics: topics.iter().copied().collect(), ..NoticeChoice::default() };
    ChooseNotices { user, empresa, choice, audit: entry(Some(user), 1) }
}

async fn choose(store: &Arc<dyn Store>, user: UserId, empresa: EmpresaId, topics: &[NoticeTopic]) {
    store.choose_notices(chosen(user, empresa, topics)).await.expect("chosen");
}

/// The topics that at least one person of the company wants, as stored.
async fn gathered(store: &Arc<dyn Store>, empresa: EmpresaId) -> Topics {
    let all = store.list_empresas().await.expect("a list");
    all.into_iter().find(|e| e.id == empresa).expect("it exists").personal_topics
}

async fn heard_by(store: &Arc<dyn Store>, empresa: EmpresaId) -> Vec<UserId> {
    store.recipients(empresa).await.expect("read").into_iter().map(|recipient| recipient.user).collect()
}

/// A choice reads back, by company and by person; the last one counts, and it is in the log.
pub async fn a_choice_reads_back(store: Arc<dyn Store>) {
    let (one, two) = (company(&store).await, company(&store).await);
    let user = person(&store, ODD_TEXT, &[one, two]).await;
    assert_eq!(store.recipients(one).await.expect("read"), vec![]);
    choose(&store, user.id, one, &BOTH).await;
    let on_devices = NoticeTopic::Messages.into();
    let choice = NoticeChoice { topics: NoticeTopic::Answers.into(), on_devices, only_assigned: true };
    let audit = AuditEntry { action: AuditAction::NoticesChosen, ..entry(Some(user.id), 2) };
    let again = ChooseNotices { user: user.id, empresa: one, choice, audit };
    store.choose_notices(again).await.expect("chosen again");
    let expected = Recipient {
        empresa: one,
        user: user.id,
        nombre: ODD_TEXT.into(),
        email: user.email.typed.clone(),
        role: Role::Comercial,
        choice,
    };
    assert_eq!(store.recipients(one).await.expect("read"), vec![expected.clone()]);
    assert_eq!(store.recipients(two).await.expect("read"), vec![]);
    assert_eq!(store.choices_of(user.id).await.expect("read"), vec![expected]);
    assert_eq!(gathered(&store, one).await, Topics::from(NoticeTopic::Answers).and(on_devices));
    assert_eq!(gathered(&store, two).await, Topics::NONE);
    let filter = AuditFilter { user: Some(user.id), ..Default::default() };
    let log = store.audit_log(filter, None, 9).await.expect("read");
    assert_eq!(log[0].action, AuditAction::NoticesChosen);
    let nobody = UserId(Uuid::new_v4());
    assert_fails!(store.choose_notices(chosen(nobody, one, &BOTH)).await, UserNotFound);
    let nowhere = EmpresaId(Uuid::new_v4());
    assert_fails!(store.choose_notices(chosen(user.id, nowhere, &BOTH)).await, UserNotFound);
}

/// A person who left, may not sign in, or works on site gets no notices and wants none; a person who comes back gets
/// what they chose. An administrator belongs to every company.
pub async fn who_is_gone_hears_nothing(store: Arc<dyn Store>) {
    let empresa = company(&store).await;
    let (ana, bea) = (person(&store, "Ana", &[empresa]).await, person(&store, "Bea", &[empresa]).await);
    choose(&store, bea.id, empresa, &[NoticeTopic::Perfil]).await;
    choose(&store, ana.id, empresa, &[NoticeTopic::Answers]).await;
    assert_eq!(heard_by(&store, empresa).await, [ana.id, bea.id], "by name");
    let change = async |patch| store.update_user(ana.id, patch, entry(None, 3)).await.expect("changed");
    let both: Topics = [NoticeTopic::Perfil, NoticeTopic::Answers].into_iter().collect();
    let stays = |memberships| UserPatch { memberships: Some(memberships), ..UserPatch::default() };
    let place = Membership { empresa, role: Role::Lectura };
    for (patch, is_there) in [
        (stays(vec![]), false),
        (UserPatch { is_admin: Some(true), ..UserPatch::default() }, true),
        (UserPatch { is_admin: Some(false), ..stays(vec![]) }, false),
        (stays(vec![place]), true),
        (UserPatch { is_active: Some(false), ..UserPatch::default() }, false),
        (UserPatch { is_active: Some(true), ..UserPatch::default() }, true),
    ] {
        if patch.is_admin == Some(false) {
            // The last administrator cannot go.
            let mut other = new_user("Otra");
            other.user.is_admin = true;
            store.create_user(other).await.expect("created");
        }
        change(patch.clone()).await;
        let expected = if is_there { vec![ana.id, bea.id] } else { vec![bea.id] };
        assert_eq!(heard_by(&store, empresa).await, expected, "{patch:?}");
        let topics = if is_there { both } else { NoticeTopic::Perfil.into() };
        assert_eq!(gathered(&store, empresa).await, topics, "{patch:?}");
        assert_eq!(store.choices_of(ana.id).await.expect("read").len(), usize::from(is_there));
    }
    change(stays(vec![Membership { empresa, role: Role::Obra }])).await;
    let topics: Topics = NoticeTopic::Perfil.into();
    assert_eq!(gathered(&store, empresa).await, topics, "a worker on site is told of no lead");
}

fn notice(topic: NoticeTopic, without_mail: bool) -> NewJob {
    let payload = NewPayload::Notice { topic, text: "{}".into(), without_mail };
    NewJob { payload, ..job(JobKind::EmpresaMail) }
}

/// A notice is made if the company's address gets this topic, or if a person wants it; otherwise none is made.
pub async fn a_notice_is_made_where_somebody_wants_it(store: Arc<dyn Store>) {
    let lead: LeadId = a_lead(&store).await;
    let empresa = record(&store, lead).await.lead.empresa.id;
    let user = person(&store, "Ana", &[empresa]).await.id;
    let made_where = async |without_mail| {
        let before = own(&store, lead).await.len();
        let all = NoticeTopic::ALL.into_iter().map(|topic| notice(topic, without_mail)).collect();
        store.record_event(only_jobs(lead, all, t(1))).await.expect("recorded");
        own(&store, lead).await.len() - before
    };
    let made = async || made_where(false).await;
    assert_eq!(made().await, 0);
    choose(&store, user, empresa, &BOTH).await;
    assert_eq!(made().await, 2);
    let before = SharedNotices { email: None, topics: Topics::ALL };
    let topics = [NoticeTopic::Arrivals, NoticeTopic::Perfil].into_iter().collect();
    let after = SharedNotices { email: Some("obra@ejemplo.es".into()), topics };
    let command = SetSharedNotices { empresa, before, after, audit: entry(None, 2) };
    assert!(store.set_shared_notices(command).await.expect("set"));
    assert_eq!(made().await, 3, "two for the person, two for the address, one of them for both");
    assert_eq!(made_where(true).await, 2, "nothing can be mailed to the address");
    choose(&store, user, empresa, &[]).await;
    assert_eq!(made().await, 2);
}

/// The address and its topics are set together, unless they changed since they were read.
pub async fn the_shared_address_is_set_unless_it_changed(store: Arc<dyn Store>) {
    let empresa = company(&store).await;
    let shared = async || {
        let all = store.list_empresas().await.expect("a list");
        all.into_iter().find(|e| e.id == empresa).expect("it exists").shared()
    };
    let first = SharedNotices { email: None, topics: Topics::ALL };
    assert_eq!(shared().await, first);
    let one = SharedNotices { email: Some(ODD_TEXT.into()), topics: NoticeTopic::Trouble.into() };
    let none = SharedNotices { email: None, topics: Topics::NONE };
    let set = async |before: &SharedNotices, after: &SharedNotices| {
        let (before, after) = (before.clone(), after.clone());
        let audit = AuditEntry { empresa: Some(empresa), ..entry(None, 1) };
        store.set_shared_notices(SetSharedNotices { empresa, before, after, audit }).await.expect("answered")
    };
    assert!(set(&first, &one).await);
    assert!(!set(&first, &none).await, "somebody was there before");
    assert_eq!(shared().await, one);
    assert!(set(&one, &none).await);
    assert_eq!(shared().await, none);
    // If notices are turned on in another way, the topics are as before.
    let patch = EmpresaPatch { notices: Some(true), ..Default::default() };
    let again = store.update_empresa(empresa, patch).await.expect("changed");
    assert_eq!(again.shared().topics, one.topics);
    let filter = AuditFilter { empresa: Some(empresa), ..Default::default() };
    assert_eq!(store.audit_log(filter, None, 9).await.expect("read").len(), 2, "what is refused is not told");
    let nowhere = EmpresaId(Uuid::new_v4());
    let command =
        SetSharedNotices { empresa: nowhere, before: none.clone(), after: none, audit: entry(None, 1) };
    assert_fails!(store.set_shared_notices(command).await, EmpresaNotFound);
}

/// Of choices that are made at the same time none is lost.
pub async fn choices_at_once_are_all_gathered(store: Arc<dyn Store>) {
    let empresa = company(&store).await;
    let mut people = Vec::new();
    for topic in NoticeTopic::ALL {
        people.push((person(&store, "Ana", &[empresa]).await.id, topic));
    }
    let mut racers = JoinSet::new();
    for (user, topic) in people {
        let store = store.clone();
        racers.spawn(async move { choose(&store, user, empresa, &[topic]).await });
    }
    racers.join_all().await;
    assert_eq!(gathered(&store, empresa).await, Topics::ALL);
}
