//! Passwords, second factors and links to choose a password with: each can be used as often as it should.

use std::sync::Arc;

use embudo_domain::{Digest, UserId};
use embudo_store::Store;
use embudo_store::credentials::{
    LinkKind, NewReset, SessionsEnd, SetPassword, SetTotp, StoredCredentials, StoredTotp, UseReset,
};
use uuid::Uuid;

use super::data::access::{a_session, a_user, entry};
use super::data::t;

fn nobody() -> UserId {
    UserId(Uuid::new_v4())
}

fn reset(user: UserId, link: &str) -> NewReset {
    let digest = Digest::of(link.as_bytes());
    NewReset { digest, user, kind: LinkKind::Reset, expira_en: t(60), at: t(0), audit: entry(Some(user), 0) }
}

fn use_of(link: &str, password: &str, secs: i64) -> UseReset {
    let digest = Digest::of(link.as_bytes());
    UseReset { digest, password: password.to_owned(), at: t(secs), audit: entry(None, secs) }
}

/// A password is kept as it was given; a new one ends the other sessions and the reset link.
pub async fn a_new_password_ends_the_rest(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    let kept = a_session(&store, user, "esta").await;
    a_session(&store, user, "otra").await;
    let stranger = a_user(&store).await;
    a_session(&store, stranger, "ajena").await;
    store.create_reset(reset(user, "enlace")).await.expect("made");
    let command = SetPassword {
        user,
        password: "$argon2id$nueva".into(),
        keep: Some(kept.id),
        audit: entry(Some(user), 1),
    };
    store.set_password(command.clone()).await.expect("written");
    assert_eq!(store.credentials(user).await.expect("read").password.as_deref(), Some("$argon2id$nueva"));
    for (token, stands) in [("esta", true), ("otra", false), ("ajena", true)] {
        let found = store.session(Digest::of(token.as_bytes())).await.expect("read");
        assert_eq!(found.is_some(), stands, "{token}");
    }
    assert_eq!(store.reset_user(Digest::of(b"enlace"), t(1)).await.expect("read"), None);
    store
        .set_password(SetPassword { keep: None, audit: entry(Some(user), 2), ..command.clone() })
        .await
        .expect("written");
    assert_eq!(store.session(Digest::of(b"esta")).await.expect("read"), None);
    assert_fails!(store.set_password(SetPassword { user: nobody(), ..command }).await, UserNotFound);
}

/// A second factor reads back, is replaced and removed with its codes.
pub async fn a_second_factor_comes_and_goes(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    let codes: Vec<Digest> = (0..10_u8).map(|n| Digest::of(&[n])).collect();
    let totp = StoredTotp { secret: vec![7; 20], last_step: 41 };
    let command = SetTotp {
        user,
        totp: Some(totp.clone()),
        codes,
        ends: SessionsEnd::None,
        audit: entry(Some(user), 1),
    };
    store.set_totp(command.clone()).await.expect("written");
    let kept = store.credentials(user).await.expect("read");
    assert_eq!((kept.totp, kept.codes), (Some(totp), 10));
    assert!(store.user(user).await.expect("read").expect("there").has_totp);

    let other = StoredTotp { secret: vec![8; 20], last_step: 50 };
    let again = SetTotp {
        totp: Some(other.clone()),
        codes: vec![Digest::of(b"x")],
        audit: entry(Some(user), 2),
        ..command.clone()
    };
    store.set_totp(again).await.expect("written");
    let kept = store.credentials(user).await.expect("read");
    assert_eq!((kept.totp, kept.codes), (Some(other), 1));

    store
        .set_totp(SetTotp { totp: None, codes: Vec::new(), audit: entry(Some(user), 3), ..command.clone() })
        .await
        .expect("written");
    let kept = store.credentials(user).await.expect("read");
    assert_eq!((kept.totp, kept.codes), (None, 0));
    assert!(!store.user(user).await.expect("read").expect("there").has_totp);
    assert_fails!(store.set_totp(SetTotp { user: nobody(), ..command }).await, UserNotFound);
    assert_eq!(store.credentials(nobody()).await.expect("read"), StoredCredentials::default());
}

/// Setting or removing a second factor ends the given sessions.
pub async fn a_second_factor_ends_sessions(store: Arc<dyn Store>) {
    let (user, other) = (a_user(&store).await, a_user(&store).await);
    let kept = a_session(&store, user, "esta").await;
    a_session(&store, user, "otra").await;
    a_session(&store, other, "ajena").await;
    let stands =
        async |token: &str| store.session(Digest::of(token.as_bytes())).await.expect("read").is_some();
    let command = |ends| SetTotp { user, totp: None, codes: Vec::new(), ends, audit: entry(Some(user), 1) };
    store.set_totp(command(SessionsEnd::None)).await.expect("written");
    assert!(stands("esta").await && stands("otra").await);
    store.set_totp(command(SessionsEnd::AllBut(kept.id))).await.expect("written");
    assert!(stands("esta").await && !stands("otra").await);
    store.set_totp(command(SessionsEnd::All)).await.expect("written");
    assert!(!stands("esta").await && stands("ajena").await);
}

/// Asking for a new password ends no invitation; using one of the links ends both.
pub async fn an_invitation_outlives_a_reset(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    let invited = NewReset { kind: LinkKind::Invitation, ..reset(user, "invitación") };
    store.create_reset(invited).await.expect("made");
    store.create_reset(reset(user, "pedido")).await.expect("made");
    let opens = async |link: &str| store.reset_user(Digest::of(link.as_bytes()), t(1)).await.expect("read");
    assert_eq!((opens("invitación").await, opens("pedido").await), (Some(user), Some(user)));
    let again = NewReset { kind: LinkKind::Invitation, ..reset(user, "otra") };
    store.create_reset(again).await.expect("made");
    assert_eq!((opens("invitación").await, opens("pedido").await), (None, Some(user)));
    assert_eq!(store.use_reset(use_of("otra", "x", 1)).await.expect("an answer"), Some(user));
    assert_eq!((opens("otra").await, opens("pedido").await), (None, None));
}

/// The codes of a period count once, also when several people use one at the same time, and no code of an earlier
/// period counts afterwards.
pub async fn a_period_is_spent_once(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    assert!(!store.spend_step(user, 5).await.expect("an answer"), "there is no second factor");
    let totp = Some(StoredTotp { secret: vec![7; 20], last_step: 41 });
    let command =
        SetTotp { user, totp, codes: Vec::new(), ends: SessionsEnd::None, audit: entry(Some(user), 1) };
    store.set_totp(command).await.expect("written");
    assert!(!store.spend_step(user, 41).await.expect("an answer"));
    let racers = (0..8).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.spend_step(user, 42).await })
    });
    let mut won = 0;
    for racer in racers.collect::<Vec<_>>() {
        won += u32::from(racer.await.expect("no panic").expect("an answer"));
    }
    assert_eq!(won, 1);
    assert!(!store.spend_step(user, 40).await.expect("an answer"));
    assert!(store.spend_step(user, 43).await.expect("an answer"));
}

/// A recovery code counts once, and for its person alone.
pub async fn a_recovery_code_is_spent_once(store: Arc<dyn Store>) {
    let (user, other) = (a_user(&store).await, a_user(&store).await);
    let totp = Some(StoredTotp { secret: vec![7; 20], last_step: 0 });
    let codes = vec![Digest::of(b"a"), Digest::of(b"b")];
    let command = SetTotp { user, totp, codes, ends: SessionsEnd::None, audit: entry(Some(user), 1) };
    store.set_totp(command).await.expect("written");
    assert!(!store.spend_code(other, Digest::of(b"a")).await.expect("an answer"));
    assert!(store.spend_code(user, Digest::of(b"a")).await.expect("an answer"));
    assert!(!store.spend_code(user, Digest::of(b"a")).await.expect("an answer"));
    assert_eq!(store.credentials(user).await.expect("read").codes, 1);
}

/// A link can be used once and until it expires, ends every session, and is replaced by a newer one.
pub async fn a_link_is_used_once(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    a_session(&store, user, "a").await;
    store.create_reset(reset(user, "vieja")).await.expect("made");
    store.create_reset(reset(user, "nueva")).await.expect("made");
    assert_eq!(store.reset_user(Digest::of(b"vieja"), t(1)).await.expect("read"), None);
    assert_eq!(store.reset_user(Digest::of(b"nueva"), t(59)).await.expect("read"), Some(user));
    assert_eq!(store.reset_user(Digest::of(b"nueva"), t(60)).await.expect("read"), None);
    assert_eq!(store.use_reset(use_of("nueva", "x", 60)).await.expect("an answer"), None);
    let used = store.use_reset(use_of("nueva", "$argon2id$otra", 1)).await.expect("an answer");
    assert_eq!(used, Some(user));
    assert_eq!(store.credentials(user).await.expect("read").password.as_deref(), Some("$argon2id$otra"));
    assert_eq!(store.session(Digest::of(b"a")).await.expect("read"), None);
    assert_eq!(store.use_reset(use_of("nueva", "x", 1)).await.expect("an answer"), None);
    assert_fails!(store.create_reset(reset(nobody(), "x")).await, UserNotFound);
}

/// Of several people who use a link at once, one chooses the password.
pub async fn racers_use_a_link_once(store: Arc<dyn Store>) {
    let user = a_user(&store).await;
    store.create_reset(reset(user, "enlace")).await.expect("made");
    let racers = (0..8).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.use_reset(use_of("enlace", &format!("clave {n}"), 1)).await })
    });
    let mut won = 0;
    for racer in racers.collect::<Vec<_>>() {
        won += u32::from(racer.await.expect("no panic").expect("an answer").is_some());
    }
    assert_eq!(won, 1);
}
