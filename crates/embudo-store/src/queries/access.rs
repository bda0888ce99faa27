//! People, their sessions, and the audit log.

use embudo_domain::role::Membership;
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{Digest, Timestamp, UserId};

use super::Query;
use crate::audit::{AuditCursor, AuditFilter};
use crate::credentials::StoredCredentials;
use crate::rows;

pub fn any_user() -> Query<bool> {
    Query::new(include_str!("../../sql/usuario/any.sql"), |c| c.get("found"))
}

/// Everybody, in no order, without their companies.
pub fn users() -> Query<User> {
    Query::new(include_str!("../../sql/usuario/list.sql"), rows::user)
}

pub fn user(id: UserId) -> Query<User> {
    users().only("usuario.id = :id").bind("id", id.0)
}

pub fn user_by_email(normal: &str) -> Query<User> {
    users().only("usuario.email_normal = :email").bind("email", normal)
}

pub fn other_admin(id: UserId) -> Query<bool> {
    Query::new(include_str!("../../sql/usuario/other_admin.sql"), |c| c.get("found")).bind("id", id.0)
}

/// Everybody's companies, in no order.
pub fn memberships() -> Query<(UserId, Membership)> {
    Query::new(include_str!("../../sql/pertenencia/list.sql"), rows::membership)
}

pub fn memberships_of(id: UserId) -> Query<(UserId, Membership)> {
    memberships().only("usuario_id = :id").bind("id", id.0)
}

pub fn credentials(id: UserId) -> Query<StoredCredentials> {
    Query::new(include_str!("../../sql/usuario/credentials.sql"), rows::credentials).bind("id", id.0)
}

pub fn reset_user(digest: Digest, now: Timestamp) -> Query<UserId> {
    let text = include_str!("../../sql/recuperacion/get.sql");
    Query::new(text, |c| Ok(UserId(c.get("usuario_id")?))).bind("huella", digest).bind("now", now)
}

fn sessions() -> Query<Session> {
    Query::new(include_str!("../../sql/sesion/list.sql"), rows::session)
}

pub fn session(token: Digest) -> Query<Session> {
    sessions().only("huella = :huella").bind("huella", token)
}

/// A person's sessions, the last used first.
pub fn sessions_of(user: UserId) -> Query<Session> {
    sessions().only("usuario_id = :usuario").then("ORDER BY usada_en DESC, id").bind("usuario", user.0)
}

/// One page of the audit log, the newest first.
pub fn audit_log(
    filter: &AuditFilter,
    after: Option<AuditCursor>,
    limit: u32,
) -> Query<embudo_domain::audit::AuditEntry> {
    let mut page = Query::new(include_str!("../../sql/auditoria/list.sql"), rows::audit_entry)
        .only_if("usuario_id = :usuario", "usuario", filter.user.map(|user| user.0))
        .only_if("empresa_id = :empresa", "empresa", filter.empresa.map(|empresa| empresa.0));
    if let Some(AuditCursor { at, id }) = after {
        page = page.only("(en, id) < (:after, :after_id)").bind("after", at).bind("after_id", id.0);
    }
    page.then("ORDER BY en DESC, id DESC LIMIT :limit").bind("limit", limit)
}
