//! People who sign in. One change at a time, so that there is one first person and always an active administrator.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::role::Membership;
use embudo_store::StoreError;
use embudo_store::queries::access;
use embudo_store::users::{NewUser, UserPatch};

use super::alone::commit;
use super::{audit, credentials, notices, sessions};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Held while it changes who may do what; any number that nobody else in the database uses.
const LOCK: i64 = 0x656d_6275_646f_0006;

pub(super) async fn lock(tx: &Transaction<'_>) -> Step<()> {
    tx.execute(sql!("usuario/lock.sql"), params! { lock: LOCK }).await?;
    Ok(())
}

/// Creates the first person, if there is none.
pub(crate) async fn create_first(pool: &Pool, new: &NewUser) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock(&tx).await?;
    if run_in(&tx, &access::any_user()).await?.pop() == Some(true) {
        return Ok(false);
    }
    insert(&tx, new).await?;
    commit(tx).await?;
    Ok(true)
}

/// Creates a person.
pub(crate) async fn create(pool: &Pool, new: &NewUser) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    insert(&tx, new).await?;
    commit(tx).await
}

async fn insert(tx: &Transaction<'_>, new: &NewUser) -> Step<()> {
    let user = &new.user;
    let values = params! {
        id: user.id.0,
        email: user.email.typed,
        email_normal: user.email.normal,
        nombre: user.nombre,
        clave: new.password,
        administrador: user.is_admin,
        activo: user.is_active,
        now: Instant::from(user.creado_en),
    };
    if tx.execute(sql!("usuario/insert.sql"), values).await? == 0 {
        return Err(StoreError::EmailTaken.into());
    }
    join(tx, user.id, &user.memberships).await?;
    audit::record_in(tx, &new.audit).await
}

/// Changes a person.
pub(crate) async fn update(pool: &Pool, id: UserId, patch: &UserPatch, entry: &AuditEntry) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock(&tx).await?;
    let before = run_in(&tx, &access::user(id)).await?.pop().ok_or(StoreError::UserNotFound)?;
    let is_admin = patch.is_admin.unwrap_or(before.is_admin);
    let is_active = patch.is_active.unwrap_or(before.is_active);
    let steps_down = before.is_admin && before.is_active && !(is_admin && is_active);
    if steps_down && run_in(&tx, &access::other_admin(id)).await?.pop() != Some(true) {
        return Err(StoreError::LastAdmin.into());
    }
    let nombre = patch.nombre.as_ref().unwrap_or(&before.nombre);
    let values = params! { id: id.0, nombre, administrador: is_admin, activo: is_active };
    tx.execute(sql!("usuario/update.sql"), values).await?;
    if let Some(memberships) = &patch.memberships {
        tx.execute(sql!("pertenencia/delete.sql"), params! { usuario: id.0 }).await?;
        join(&tx, id, memberships).await?;
    }
    if !is_active {
        sessions::delete_all(&tx, id, None).await?;
        credentials::delete_links(&tx, id).await?;
    }
    notices::gather_for(&tx, id).await?;
    audit::record_in(&tx, entry).await?;
    commit(tx).await
}

async fn join(tx: &Transaction<'_>, user: UserId, memberships: &[Membership]) -> Step<()> {
    for Membership { empresa, role } in memberships {
        let values = params! { usuario: user.0, empresa: empresa.0, rol: role.as_str() };
        if tx.execute(sql!("pertenencia/insert.sql"), values).await? == 0 {
            return Err(StoreError::EmpresaNotFound.into());
        }
    }
    Ok(())
}
