//! Devices that get notices by web push: to whom they belong, how many there are, and when they are removed.

use std::sync::Arc;

use embudo_domain::audit::AuditAction;
use embudo_domain::conversacion::Rol;
use embudo_domain::next_action::ANSWER_WITHIN;
use embudo_domain::notice::{NoticeChoice, NoticeTopic, Topics};
use embudo_domain::push::{MAX_DEVICES, PushDevice, PushTarget};
use embudo_domain::role::{Membership, Role};
use embudo_domain::session::Session;
use embudo_domain::{Digest, EmpresaId, LeadId, PushId, SessionId, UserId};
use embudo_store::Store;
use embudo_store::credentials::SetPassword;
use embudo_store::notices::ChooseNotices;
use embudo_store::push::Subscribe;
use embudo_store::replies::TakeOver;
use embudo_store::sessions::NewSession;
use embudo_store::users::UserPatch;
use jiff::SignedDuration;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::{a_session, a_user, entry, new_session, new_user};
use super::data::inbox::{anyone, audit_entry, project};
use super::data::{ODD_TEXT, a_lead, empresa, other_lead, t, turno};

fn device(user: UserId, session: SessionId, at: i64) -> PushDevice {
    let id = PushId(Uuid::new_v4());
    let mut p256dh = [9; 65];
    p256dh[0] = 4;
    PushDevice {
        id,
        user,
        session,
        target: PushTarget { endpoint: format!("https://push.example/{id}"), p256dh, auth: [0; 16] },
        agent: ODD_TEXT.to_owned(),
        creado_en: t(at),
        usado_en: None,
    }
}

fn added(device: PushDevice, empresas: &[EmpresaId]) -> Subscribe {
    let audit = entry(Some(device.user), 1);
    Subscribe { device, topics: Topics::FOR_DEVICES, empresas: empresas.to_vec(), audit }
}

/// A device in a session of its own.
async fn a_device(store: &Arc<dyn Store>, user: UserId, token: &str) -> (PushDevice, Session) {
    let session = a_session(store, user, token).await;
    let new = device(user, session.id, 1);
    store.subscribe(added(new.clone(), &[])).await.expect("added");
    (new, session)
}

async fn of(store: &Arc<dyn Store>, user: UserId) -> Vec<PushId> {
    store.devices_of(user).await.expect("read").into_iter().map(|device| device.id).collect()
}

/// There is one key per installation, made for the first process that asks.
pub async fn the_key_is_kept_once(store: Arc<dyn Store>) {
    let mut tasks = JoinSet::new();
    for n in 0..8_u8 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.ensure_push_key(vec![n; 138]).await.expect("kept") });
    }
    let all = tasks.join_all().await;
    assert!(all.iter().all(|key| *key == all[0] && key.len() == 138), "{all:?}");
}

/// A device reads back, and is in the log.
pub async fn a_device_reads_back(store: Arc<dyn Store>) {
    let (user, other) = (a_user(&store).await, a_user(&store).await);
    let (first, session) = a_device(&store, user, "a").await;
    let second = device(user, session.id, 2);
    let mut command = added(second.clone(), &[]);
    command.audit.action = AuditAction::DeviceSubscribed;
    store.subscribe(command).await.expect("added");
    assert_eq!(store.devices_of(user).await.expect("read"), vec![second.clone(), first.clone()]);
    assert_eq!(store.device(first.id).await.expect("read"), Some(first.clone()));
    assert_eq!(of(&store, other).await, vec![]);
    store.touch_device(first.id, t(9)).await.expect("written");
    let used = PushDevice { usado_en: Some(t(9)), ..first.clone() };
    assert_eq!(store.device(first.id).await.expect("read"), Some(used));
    let log = store.audit_log(Default::default(), None, 9).await.expect("read");
    assert!(log.iter().any(|line| line.action == AuditAction::DeviceSubscribed));
    assert!(!store.unsubscribe(other, first.id, entry(Some(other), 3)).await.expect("answered"));
    assert!(store.unsubscribe(user, first.id, entry(Some(user), 3)).await.expect("answered"));
    store.forget_device(second.id).await.expect("forgotten");
    assert_eq!(of(&store, user).await, vec![]);
    assert_eq!(store.device(first.id).await.expect("read"), None);
    let nobody = device(UserId(Uuid::new_v4()), session.id, 1);
    assert_fails!(store.subscribe(added(nobody, &[])).await, UserNotFound);
}

/// A browser is one device and belongs to the person who switched it on last.
pub async fn an_endpoint_is_one_device(store: Arc<dyn Store>) {
    let (ana, bea) = (a_user(&store).await, a_user(&store).await);
    let (first, session) = a_device(&store, ana, "a").await;
    let again = PushDevice { target: first.target.clone(), ..device(ana, session.id, 2) };
    store.subscribe(added(again.clone(), &[])).await.expect("added");
    assert_eq!(of(&store, ana).await, [again.id]);
    let hers = PushDevice { target: first.target, ..device(bea, session.id, 3) };
    store.subscribe(added(hers.clone(), &[])).await.expect("added");
    assert_eq!((of(&store, ana).await, of(&store, bea).await), (vec![], vec![hers.id]));
}

/// The number of a person's devices is limited: the device that was used longest ago is removed.
pub async fn devices_are_bounded(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    let session = a_session(&store, user, "a").await;
    let mut all = Vec::new();
    for n in 0..i64::from(MAX_DEVICES) {
        let new = device(user, session.id, n);
        store.subscribe(added(new.clone(), &[])).await.expect("added");
        all.push(new.id);
    }
    store.touch_device(all[0], t(100)).await.expect("written");
    store.subscribe(added(device(user, session.id, 50), &[])).await.expect("added");
    let left = of(&store, user).await;
    assert_eq!(left.len(), MAX_DEVICES as usize);
    assert!(left.contains(&all[0]) && !left.contains(&all[1]));
    let mut tasks = JoinSet::new();
    for n in 0..4 {
        let (store, new) = (Arc::clone(&store), device(user, session.id, 60 + n));
        tasks.spawn(async move { store.subscribe(added(new, &[])).await.expect("added") });
    }
    tasks.join_all().await;
    assert_eq!(of(&store, user).await.len(), MAX_DEVICES as usize);
}

/// A device is removed when a person ends its session, but not when the session expires.
pub async fn a_device_goes_with_its_session(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    let (here, session) = a_device(&store, user, "aquí").await;
    let (away, other) = a_device(&store, user, "lejos").await;
    let (third, _) = a_device(&store, user, "otro").await;
    assert!(store.end_session(user, other.id, entry(Some(user), 2)).await.expect("ended"));
    assert_eq!(store.device(away.id).await.expect("read"), None);
    store.end_other_sessions(user, session.id, entry(Some(user), 2)).await.expect("ended");
    assert_eq!(store.device(third.id).await.expect("read"), None);
    store.purge_access(t(1_000_000), 9).await.expect("purged");
    assert_eq!(of(&store, user).await, [here.id], "it ran out");
    let reset = SetPassword { user, password: "$argon2id$y".into(), keep: None, audit: entry(Some(user), 3) };
    store.set_password(reset).await.expect("set");
    assert_eq!(of(&store, user).await, vec![]);
}

/// If the same person signs in again, the browser stays their device; if another person signs in to that browser, they
/// do not get the first person's notices.
pub async fn a_device_follows_its_browser(store: Arc<dyn Store>) {
    let (ana, bea) = (a_user(&store).await, a_user(&store).await);
    let (one, _) = a_device(&store, ana, "1").await;
    let again = NewSession { replaces: Some(Digest::of(b"1")), ..new_session(ana, "2") };
    let second = again.session.id;
    store.create_session(again).await.expect("created");
    assert_eq!(store.device(one.id).await.expect("read").map(|device| device.session), Some(second));
    let hers = NewSession { replaces: Some(Digest::of(b"2")), ..new_session(bea, "3") };
    store.create_session(hers).await.expect("created");
    assert_eq!((of(&store, ana).await, of(&store, bea).await), (vec![], vec![]));
}

/// A person who may not sign in any more gets no notices.
pub async fn who_is_sent_away_has_no_device(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    a_device(&store, user, "a").await;
    let patch = UserPatch { is_active: Some(false), ..UserPatch::default() };
    store.update_user(user, patch, entry(None, 2)).await.expect("changed");
    assert_eq!(of(&store, user).await, vec![]);
    let session = SessionId(Uuid::new_v4());
    assert_fails!(store.subscribe(added(device(user, session, 1), &[])).await, UserNotFound);
}

/// The first device sets what devices are notified about; a person who chose before keeps their choice, and mails stay
/// as they are.
pub async fn the_first_device_chooses(store: Arc<dyn Store>) {
    let company = empresa("Una");
    store.create_empresa(company.clone(), t(0)).await.expect("created");
    let mut new = new_user("Ana");
    let user = new.user.id;
    new.user.memberships = vec![Membership { empresa: company.id, role: Role::Comercial }];
    store.create_user(new).await.expect("created");
    let choose = async |on_devices| {
        let topics = NoticeTopic::Trouble.into();
        let choice = NoticeChoice { topics, on_devices, only_assigned: true };
        let command = ChooseNotices { user, empresa: company.id, choice, audit: entry(Some(user), 1) };
        store.choose_notices(command).await.expect("chosen");
    };
    let session = SessionId(Uuid::new_v4());
    let switch_on = async || {
        store.subscribe(added(device(user, session, 1), &[company.id])).await.expect("added");
        let gathered = store.list_empresas().await.expect("a list");
        let gathered = gathered.into_iter().find(|e| e.id == company.id).expect("it exists").personal_topics;
        (store.choices_of(user).await.expect("read")[0].choice, gathered)
    };
    choose(Topics::NONE).await;
    let trouble = Topics::from(NoticeTopic::Trouble);
    let first = NoticeChoice { topics: trouble, on_devices: Topics::FOR_DEVICES, only_assigned: true };
    assert_eq!(switch_on().await, (first, trouble.and(Topics::FOR_DEVICES)));
    let perfil = Topics::from(NoticeTopic::Perfil);
    choose(perfil).await;
    let chosen = NoticeChoice { on_devices: perfil, ..first };
    assert_eq!(switch_on().await, (chosen, trouble.and(perfil)));
    let nowhere = added(device(a_user(&store).await, session, 1), &[EmpresaId(Uuid::new_v4())]);
    assert_fails!(store.subscribe(nowhere).await, EmpresaNotFound);
}

/// A client who wrote waits for a person: at once if a person has taken over from the bot, else after a while.
pub async fn clients_who_wait_are_found(store: Arc<dyn Store>) {
    let (lead, attended) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let found = async |from, now| {
        let mut found = store.unanswered(from, now, 9).await.expect("read");
        found.sort();
        found
    };
    let sorted = |mut leads: Vec<(LeadId, _)>| {
        leads.sort();
        leads
    };
    for id in [lead, attended] {
        store.append_turno(turno(id, "hola", t(10))).await.expect("appended");
    }
    let over = TakeOver { lead: attended, seen: None, to: Some(viewer.who), at: t(5), audit: audit_entry() };
    store.take_over(&viewer, over).await.expect("answered");
    project(&store).await;
    let late = t(10) + ANSWER_WITHIN;
    assert_eq!(found(t(0), t(11)).await, vec![(attended, t(10))]);
    assert_eq!(found(t(10), late).await, vec![], "it was told before");
    assert_eq!(found(t(0), late).await, sorted(vec![(lead, t(10)), (attended, t(10))]));
    let day = SignedDuration::from_hours(24);
    assert_eq!(found(t(0), t(5) + day).await.len(), 2, "also where nobody attends any more");
    let mut answer = turno(lead, "dígame", t(20));
    answer.turno.rol = Rol::Assistant;
    store.append_turno(answer).await.expect("appended");
    project(&store).await;
    assert_eq!(found(t(0), late).await, vec![(attended, t(10))]);
}
