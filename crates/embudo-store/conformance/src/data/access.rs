//! People and what they do.

use std::sync::Arc;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{AuditId, Digest, SessionId, UserId};
use embudo_store::Store;
use embudo_store::sessions::NewSession;
use embudo_store::users::NewUser;
use uuid::Uuid;

use super::{email, t};

/// A person with an e-mail of their own and a password.
pub fn new_user(nombre: &str) -> NewUser {
    let id = Uuid::new_v4();
    let user = User {
        id: UserId(id),
        email: email(&format!("{}@Ejemplo.es", id.simple())),
        nombre: nombre.to_owned(),
        is_admin: false,
        is_active: true,
        has_password: true,
        has_totp: false,
        creado_en: t(0),
        memberships: Vec::new(),
    };
    NewUser { audit: entry(Some(user.id), 0), user, password: Some("$argon2id$x".to_owned()) }
}

/// A person who exists in the store.
pub async fn a_user(store: &Arc<dyn Store>) -> UserId {
    let new = new_user("Ana");
    let id = new.user.id;
    store.create_user(new).await.expect("created");
    id
}

/// A line of the audit log.
pub fn entry(user: Option<UserId>, secs: i64) -> AuditEntry {
    AuditEntry {
        id: AuditId(Uuid::new_v4()),
        at: t(secs),
        user,
        who: "Ana".to_owned(),
        empresa: None,
        action: AuditAction::UserChanged,
        object: None,
        ip: None,
        before: None,
        after: None,
    }
}

/// A session that lasts an hour, with the digest of its token.
pub fn new_session(user: UserId, token: &str) -> NewSession {
    let session = Session {
        id: SessionId(Uuid::new_v4()),
        user,
        empresa: None,
        own_device: false,
        halfway: false,
        agent: "Firefox en Linux".to_owned(),
        ip: Some("192.0.2.7".parse().expect("an address")),
        creada_en: t(0),
        usada_en: t(0),
        expira_en: t(3_600),
    };
    NewSession { session, token: Digest::of(token.as_bytes()), replaces: None, audit: None }
}

/// A session that exists in the store.
pub async fn a_session(store: &Arc<dyn Store>, user: UserId, token: &str) -> Session {
    let new = new_session(user, token);
    let session = new.session.clone();
    store.create_session(new).await.expect("created");
    session
}
