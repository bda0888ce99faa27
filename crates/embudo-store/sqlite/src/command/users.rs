//! People who sign in. There is always an active administrator, once there is anybody.

use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::role::Membership;
use embudo_store::StoreError;
use embudo_store::queries::access;
use embudo_store::users::{NewUser, UserPatch};
use rusqlite::{Connection, named_params};

use super::{audit, credentials, execute, notices, sessions};
use crate::failure::Step;
use crate::query::run_first;

/// Creates the first person, if there is none.
pub(crate) fn create_first(connection: &Connection, new: &NewUser) -> Step<bool> {
    if run_first(connection, &access::any_user())? == Some(true) {
        return Ok(false);
    }
    create(connection, new).map(|()| true)
}

/// Creates a person.
pub(crate) fn create(connection: &Connection, new: &NewUser) -> Step<()> {
    let user = &new.user;
    let written = execute(
        connection,
        include_str!("../../sql/usuario/insert.sql"),
        named_params! {
            ":id": user.id.0,
            ":email": user.email.typed,
            ":email_normal": user.email.normal,
            ":nombre": user.nombre,
            ":clave": new.password,
            ":administrador": user.is_admin,
            ":activo": user.is_active,
            ":now": user.creado_en.as_microsecond(),
        },
    )?;
    if written == 0 {
        return Err(StoreError::EmailTaken.into());
    }
    join(connection, user.id, &user.memberships)?;
    audit::record(connection, &new.audit)
}

/// Changes a person.
pub(crate) fn update(connection: &Connection, id: UserId, patch: &UserPatch, entry: &AuditEntry) -> Step<()> {
    let before = run_first(connection, &access::user(id))?.ok_or(StoreError::UserNotFound)?;
    let is_admin = patch.is_admin.unwrap_or(before.is_admin);
    let is_active = patch.is_active.unwrap_or(before.is_active);
    let steps_down = before.is_admin && before.is_active && !(is_admin && is_active);
    if steps_down && run_first(connection, &access::other_admin(id))? != Some(true) {
        return Err(StoreError::LastAdmin.into());
    }
    execute(
        connection,
        include_str!("../../sql/usuario/update.sql"),
        named_params! {
            ":id": id.0,
            ":nombre": patch.nombre.as_ref().unwrap_or(&before.nombre),
            ":administrador": is_admin,
            ":activo": is_active,
        },
    )?;
    if let Some(memberships) = &patch.memberships {
        execute(
            connection,
            include_str!("../../sql/pertenencia/delete.sql"),
            named_params! {":usuario": id.0},
        )?;
        join(connection, id, memberships)?;
    }
    if !is_active {
        sessions::delete_all(connection, id, None)?;
        credentials::delete_links(connection, id)?;
    }
    notices::gather_for(connection, id)?;
    audit::record(connection, entry)
}

fn join(connection: &Connection, user: UserId, memberships: &[Membership]) -> Step<()> {
    for Membership { empresa, role } in memberships {
        let sql = include_str!("../../sql/pertenencia/insert.sql");
        let values = named_params! {":usuario": user.0, ":empresa": empresa.0, ":rol": role.as_str()};
        if execute(connection, sql, values)? == 0 {
            return Err(StoreError::EmpresaNotFound.into());
        }
    }
    Ok(())
}
