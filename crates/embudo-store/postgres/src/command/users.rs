//! People who sign in. One change at a time, so that there is one first person and always an active administrator.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::role::Membership;
use embudo_store::StoreError;
use embudo_store::queries::access;
use embudo_store::users::{NewUser, UserPatch};

use super::alone::commit;
use super::{audit, credentials, sessions};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;

/// Held while it changes who may do what; any number that nobody else in the database uses.
const LOCK: i64 = 0x656d_6275_646f_0006;

pub(super) async fn lock(tx: &Transaction<'_>) -> Step<()> {
    let statement = tx.prepare_cached(include_str!("../../sql/usuario/lock.sql")).await?;
    tx.execute(&statement, &[&LOCK]).await?;
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
    let statement = tx.prepare_cached(include_str!("../../sql/usuario/insert.sql")).await?;
    let written = tx
        .execute(
            &statement,
            &[
                &user.id.0,
                &user.email.typed,
                &user.email.normal,
                &user.nombre,
                &new.password,
                &user.is_admin,
                &user.is_active,
                &Instant::from(user.creado_en),
            ],
        )
        .await?;
    if written == 0 {
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
    let update = tx.prepare_cached(include_str!("../../sql/usuario/update.sql")).await?;
    tx.execute(&update, &[&id.0, nombre, &is_admin, &is_active]).await?;
    if let Some(memberships) = &patch.memberships {
        let delete = tx.prepare_cached(include_str!("../../sql/pertenencia/delete.sql")).await?;
        tx.execute(&delete, &[&id.0]).await?;
        join(&tx, id, memberships).await?;
    }
    if !is_active {
        sessions::delete_all(&tx, id, None).await?;
        credentials::delete_reset(&tx, id).await?;
    }
    audit::record_in(&tx, entry).await?;
    commit(tx).await
}

async fn join(tx: &Transaction<'_>, user: UserId, memberships: &[Membership]) -> Step<()> {
    let insert = tx.prepare_cached(include_str!("../../sql/pertenencia/insert.sql")).await?;
    for Membership { empresa, role } in memberships {
        if tx.execute(&insert, &[&user.0, &empresa.0, &role.as_str()]).await? == 0 {
            return Err(StoreError::EmpresaNotFound.into());
        }
    }
    Ok(())
}
