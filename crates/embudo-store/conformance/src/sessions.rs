//! Sessions of signed-in browsers: found by the digest of their token, ended for good.

use std::sync::Arc;

use embudo_domain::session::Session;
use embudo_domain::{Digest, SessionId, UserId};
use embudo_store::Store;
use embudo_store::credentials::{LinkKind, NewReset};
use embudo_store::sessions::NewSession;
use uuid::Uuid;

use super::data::access::{a_session, a_user, entry, new_session};
use super::data::{empresa, t};

async fn found(store: &Arc<dyn Store>, token: &str) -> Option<Session> {
    store.session(Digest::of(token.as_bytes())).await.expect("read")
}

/// A session reads back whole, by its token and among its person's.
pub async fn a_session_reads_back(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    let mut new = new_session(user, "a");
    new.session.own_device = true;
    new.session.halfway = true;
    new.session.ip = None;
    let first = new.session.clone();
    store.create_session(new).await.expect("created");
    assert_eq!(found(&store, "a").await, Some(first.clone()));
    assert_eq!(found(&store, "b").await, None);
    let second = a_session(&store, user, "b").await;
    store.touch_session(second.id, t(9)).await.expect("written");
    let second = Session { usada_en: t(9), ..second };
    assert_eq!(store.sessions_of(user).await.expect("a list"), vec![second, first]);
    let nobody = UserId(Uuid::new_v4());
    assert_eq!(store.sessions_of(nobody).await.expect("a list"), vec![]);
    assert_fails!(store.create_session(new_session(nobody, "c")).await, UserNotFound);
}

/// A new session that replaces an old one leaves nothing of the old one.
pub async fn a_token_is_replaced(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    a_session(&store, user, "vieja").await;
    let replaces = Some(Digest::of(b"vieja"));
    let audit = Some(entry(Some(user), 1));
    store
        .create_session(NewSession { replaces, audit, ..new_session(user, "nueva") })
        .await
        .expect("created");
    assert_eq!(found(&store, "vieja").await, None);
    assert!(found(&store, "nueva").await.is_some());
    assert_eq!(store.audit_log(Default::default(), None, 10).await.expect("a log").len(), 2);
}

/// The time of last use only moves forward, and the company that the person looks at is kept.
pub async fn uses_and_choices_are_kept(store: Arc<dyn Store>) {
    let company = empresa("Una");
    store.create_empresa(company.clone(), t(0)).await.expect("created");
    let user = a_user(&store).await;
    let session = a_session(&store, user, "a").await;
    for (secs, kept) in [(60, 60), (30, 60), (90, 90)] {
        store.touch_session(session.id, t(secs)).await.expect("written");
        assert_eq!(found(&store, "a").await.expect("there").usada_en, t(kept));
    }
    store.choose_empresa(session.id, company.id).await.expect("written");
    assert_eq!(found(&store, "a").await.expect("there").empresa, Some(company.id));
}

/// People end their own sessions, one or all others, and no session of another person.
pub async fn sessions_are_ended_by_their_person(store: Arc<dyn Store>) {
    let (user, other) = (a_user(&store).await, a_user(&store).await);
    let (one, two) = (a_session(&store, user, "1").await, a_session(&store, user, "2").await);
    a_session(&store, user, "3").await;
    let foreign = a_session(&store, other, "4").await;
    let audit = || entry(Some(user), 1);
    assert!(!store.end_session(user, foreign.id, audit()).await.expect("an answer"));
    assert!(!store.end_session(user, SessionId(Uuid::new_v4()), audit()).await.expect("an answer"));
    assert!(store.end_session(user, two.id, audit()).await.expect("an answer"));
    assert_eq!(store.end_other_sessions(user, one.id, audit()).await.expect("an answer"), 1);
    for (token, stands) in [("1", true), ("2", false), ("3", false), ("4", true)] {
        assert_eq!(found(&store, token).await.is_some(), stands, "{token}");
    }
}

/// Expired sessions are deleted, in slices, and no others.
pub async fn the_purge_deletes_what_ended(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    for (token, end) in [("a", 10), ("b", 10), ("c", 10), ("d", 11)] {
        let mut new = new_session(user, token);
        new.session.expira_en = t(end);
        store.create_session(new).await.expect("created");
    }
    let digest = Digest::of(b"enlace");
    let reset = NewReset {
        digest,
        user,
        kind: LinkKind::Reset,
        expira_en: t(10),
        at: t(0),
        audit: entry(Some(user), 0),
    };
    store.create_reset(reset).await.expect("made");
    assert_eq!(store.purge_access(t(9), 100).await.expect("purged"), 0);
    assert_eq!(store.purge_access(t(10), 2).await.expect("purged"), 3);
    assert_eq!(store.purge_access(t(10), 2).await.expect("purged"), 1);
    assert_eq!(store.purge_access(t(10), 2).await.expect("purged"), 0);
    assert!(found(&store, "d").await.is_some());
}
