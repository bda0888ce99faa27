//! People who sign in. One change at a time, so that there is exactly one first person and always an active
//! administrator.

use async_trait::async_trait;
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::role::Membership;

use super::{Engine, Load, Lock, Tx, audit, credentials, notices, sessions, sql};
use crate::queries::access;
use crate::users::{NewUser, UserPatch};
use crate::{Result, StoreError, UserStore};

#[async_trait]
impl<E: Engine> UserStore for E {
    async fn create_first_user(&self, new: NewUser) -> Result<bool> {
        self.write(Load::SMALL, new, |tx, new| Box::pin(create_first(tx, new))).await
    }

    async fn create_user(&self, new: NewUser) -> Result<()> {
        self.write(Load::SMALL, new, |tx, new| Box::pin(create(tx, new))).await
    }

    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()> {
        let command = (id, patch, audit);
        self.write(Load::SMALL, command, |tx, (id, patch, audit)| Box::pin(update(tx, *id, patch, audit)))
            .await
    }
}

async fn create_first(tx: &Tx<'_>, new: &NewUser) -> Result<bool> {
    tx.lock(Lock::People).await?;
    if tx.first(access::any_user()).await? == Some(true) {
        return Ok(false);
    }
    create(tx, new).await?;
    Ok(true)
}

async fn create(tx: &Tx<'_>, new: &NewUser) -> Result<()> {
    let user = &new.user;
    let insert = sql!(
        "usuario/insert.sql",
        id: user.id.0,
        email: &user.email.typed,
        email_normal: &user.email.normal,
        nombre: &user.nombre,
        clave: &new.password,
        administrador: user.is_admin,
        activo: user.is_active,
        now: user.creado_en,
    );
    tx.run_or(insert, StoreError::EmailTaken).await?;
    join(tx, user.id, &user.memberships).await?;
    audit::tell(tx, &new.audit).await
}

async fn update(tx: &Tx<'_>, id: UserId, patch: &UserPatch, entry: &AuditEntry) -> Result<()> {
    tx.lock(Lock::People).await?;
    let before = tx.first(access::user(id)).await?.ok_or(StoreError::UserNotFound)?;
    let is_admin = patch.is_admin.unwrap_or(before.is_admin);
    let is_active = patch.is_active.unwrap_or(before.is_active);
    let steps_down = before.is_admin && before.is_active && !(is_admin && is_active);
    if steps_down && tx.first(access::other_admin(id)).await? != Some(true) {
        return Err(StoreError::LastAdmin);
    }
    let nombre = patch.nombre.as_ref().unwrap_or(&before.nombre);
    tx.run(sql!("usuario/update.sql", id: id.0, nombre, administrador: is_admin, activo: is_active)).await?;
    if let Some(memberships) = &patch.memberships {
        tx.run(sql!("pertenencia/delete.sql", usuario: id.0)).await?;
        join(tx, id, memberships).await?;
    }
    if !is_active {
        sessions::end_all(tx, id, None).await?;
        tx.run(credentials::delete_links(id)).await?;
    }
    notices::gather_for(tx, id).await?;
    audit::tell(tx, entry).await
}

async fn join(tx: &Tx<'_>, user: UserId, memberships: &[Membership]) -> Result<()> {
    for Membership { empresa, role } in memberships {
        let insert = sql!("pertenencia/insert.sql", usuario: user.0, empresa: empresa.0, rol: role.as_str());
        tx.run_or(insert, StoreError::EmpresaNotFound).await?;
    }
    Ok(())
}
