//! People who sign in: exactly one first person, no e-mail twice, always at least one administrator.

use std::sync::Arc;

use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_domain::{Digest, EmpresaId, UserId};
use embudo_store::Store;
use embudo_store::credentials::{LinkKind, NewReset};
use embudo_store::users::{NewUser, UserPatch};
use uuid::Uuid;

use super::data::access::{a_session, a_user, entry, new_user};
use super::data::{ODD_TEXT, empresa, t};

async fn two_companies(store: &Arc<dyn Store>) -> [EmpresaId; 2] {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    let mut ids = [one.id, two.id];
    store.create_empresa(one, t(0)).await.expect("created");
    store.create_empresa(two, t(0)).await.expect("created");
    ids.sort();
    ids
}

/// A person reads back as created, by id and by e-mail, with companies in the order of their ids.
pub async fn a_person_reads_back(store: Arc<dyn Store>) {
    let [one, two] = two_companies(&store).await;
    let mut new = new_user(ODD_TEXT);
    new.user.memberships = vec![
        Membership { empresa: two, role: Role::Lectura },
        Membership { empresa: one, role: Role::Gestor },
    ];
    let mut expected = new.user.clone();
    expected.memberships.reverse();
    store.create_user(new).await.expect("created");
    assert_eq!(store.user(expected.id).await.expect("read"), Some(expected.clone()));
    let by_email = store.user_by_email(expected.email.normal.clone()).await.expect("read");
    assert_eq!(by_email, Some(expected.clone()));
    assert_eq!(store.list_users().await.expect("a list"), vec![expected]);
    assert_eq!(store.user(UserId(Uuid::new_v4())).await.expect("read"), None);
    assert_eq!(store.user_by_email("nadie@ejemplo.es".into()).await.expect("read"), None);
}

/// Everybody is listed by name; the list shows who has no password yet.
pub async fn they_are_listed_by_name(store: Arc<dyn Store>) {
    for nombre in ["zoe", "Ana", "Álvaro"] {
        store.create_user(NewUser { password: None, ..new_user(nombre) }).await.expect("created");
    }
    let all = store.list_users().await.expect("a list");
    assert_eq!(all.iter().map(|u| u.nombre.as_str()).collect::<Vec<_>>(), ["Ana", "zoe", "Álvaro"]);
    assert!(all.iter().all(|u| !u.has_password));
}

/// An e-mail belongs to one person; a refused command leaves nothing.
pub async fn an_email_belongs_to_one_person(store: Arc<dyn Store>) {
    let first = new_user("Ana");
    let mut second = new_user("Otra");
    second.user.email = first.user.email.clone();
    store.create_user(first).await.expect("created");
    assert_fails!(store.create_user(second.clone()).await, EmailTaken);
    assert_eq!(store.user(second.user.id).await.expect("read"), None);
    assert_eq!(store.audit_log(Default::default(), None, 10).await.expect("a log").len(), 1);
}

/// If a company does not exist, the whole person is refused.
pub async fn an_unknown_company_is_refused(store: Arc<dyn Store>) {
    let nowhere = vec![Membership { empresa: EmpresaId(Uuid::new_v4()), role: Role::Gestor }];
    let mut new = new_user("Ana");
    new.user.memberships = nowhere.clone();
    assert_fails!(store.create_user(new).await, EmpresaNotFound);
    assert!(!store.any_user().await.expect("an answer"));
    let id = a_user(&store).await;
    let patch = UserPatch { memberships: Some(nowhere), ..UserPatch::default() };
    assert_fails!(store.update_user(id, patch, entry(None, 1)).await, EmpresaNotFound);
}

/// The first person is created once, by the first request.
pub async fn the_first_person_is_one(store: Arc<dyn Store>) {
    assert!(!store.any_user().await.expect("an answer"));
    let racers = (0..8).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.create_first_user(new_user(&format!("Ana {n}"))).await })
    });
    let mut won = 0;
    for racer in racers.collect::<Vec<_>>() {
        won += u32::from(racer.await.expect("no panic").expect("an answer"));
    }
    assert_eq!(won, 1);
    assert_eq!(store.list_users().await.expect("a list").len(), 1);
    assert!(store.any_user().await.expect("an answer"));
    assert!(!store.create_first_user(new_user("Otra")).await.expect("an answer"));
}

/// A change keeps the fields that it does not name, replaces all companies, and is in the audit log.
pub async fn a_change_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    let [one, two] = two_companies(&store).await;
    let mut new = new_user("Ana");
    new.user.memberships = vec![Membership { empresa: one, role: Role::Gestor }];
    let before = new.user.clone();
    store.create_user(new).await.expect("created");
    let patch = UserPatch { nombre: Some("Ana García".into()), ..UserPatch::default() };
    store.update_user(before.id, patch, entry(None, 1)).await.expect("changed");
    let renamed = User { nombre: "Ana García".into(), ..before };
    assert_eq!(store.user(renamed.id).await.expect("read"), Some(renamed.clone()));

    let elsewhere = vec![Membership { empresa: two, role: Role::Lectura }];
    let patch =
        UserPatch { is_admin: Some(true), memberships: Some(elsewhere.clone()), ..UserPatch::default() };
    store.update_user(renamed.id, patch, entry(None, 2)).await.expect("changed");
    let moved = User { is_admin: true, memberships: elsewhere, ..renamed };
    assert_eq!(store.user(moved.id).await.expect("read"), Some(moved));
    assert_eq!(store.audit_log(Default::default(), None, 10).await.expect("a log").len(), 3);
    let nobody = store.update_user(UserId(Uuid::new_v4()), UserPatch::default(), entry(None, 3)).await;
    assert_fails!(nobody, UserNotFound);
}

/// There is always an administrator: the last one who may sign in can neither step down nor leave.
pub async fn an_administrator_is_always_left(store: Arc<dyn Store>) {
    let (mut one, mut two) = (new_user("Una"), new_user("Dos"));
    one.user.is_admin = true;
    two.user.is_admin = true;
    let (first, second) = (one.user.id, two.user.id);
    store.create_user(one).await.expect("created");
    let down = || UserPatch { is_admin: Some(false), ..UserPatch::default() };
    let away = || UserPatch { is_active: Some(false), ..UserPatch::default() };
    assert_fails!(store.update_user(first, down(), entry(None, 1)).await, LastAdmin);
    assert_fails!(store.update_user(first, away(), entry(None, 1)).await, LastAdmin);
    store.create_user(two).await.expect("created");
    store.update_user(first, away(), entry(None, 2)).await.expect("another is left");
    assert_fails!(store.update_user(second, down(), entry(None, 3)).await, LastAdmin);
    store
        .update_user(first, down(), entry(None, 4))
        .await
        .expect("who is away is no administrator that counts");
}

/// If two administrators remove each other at once, one stays.
pub async fn administrators_never_both_go(store: Arc<dyn Store>) {
    let mut ids = Vec::new();
    for nombre in ["Una", "Dos"] {
        let mut new = new_user(nombre);
        new.user.is_admin = true;
        ids.push(new.user.id);
        store.create_user(new).await.expect("created");
    }
    let racers = ids.iter().map(|id| {
        let (store, id) = (Arc::clone(&store), *id);
        let patch = UserPatch { is_active: Some(false), ..UserPatch::default() };
        tokio::spawn(async move { store.update_user(id, patch, entry(None, 1)).await.is_ok() })
    });
    let mut gone = 0;
    for racer in racers.collect::<Vec<_>>() {
        gone += u32::from(racer.await.expect("no panic"));
    }
    assert_eq!(gone, 1);
}

/// A person who may not sign in any more loses sessions and links, and gets no new ones.
pub async fn who_is_sent_away_loses_everything(store: Arc<dyn Store>) {
    let id = a_user(&store).await;
    let other = a_user(&store).await;
    a_session(&store, id, "a").await;
    a_session(&store, other, "b").await;
    let digest = Digest::of(b"enlace");
    let reset = NewReset {
        digest,
        user: id,
        kind: LinkKind::Reset,
        expira_en: t(60),
        at: t(0),
        audit: entry(None, 0),
    };
    store.create_reset(reset).await.expect("made");
    let away = UserPatch { is_active: Some(false), ..UserPatch::default() };
    store.update_user(id, away, entry(None, 1)).await.expect("changed");
    assert_eq!(store.session(Digest::of(b"a")).await.expect("read"), None);
    assert!(store.session(Digest::of(b"b")).await.expect("read").is_some());
    assert_eq!(store.reset_user(digest, t(1)).await.expect("read"), None);
    let new = super::data::access::new_session(id, "c");
    assert_fails!(store.create_session(new).await, UserNotFound);
}
