//! How people prove who they are.

use async_trait::async_trait;
use embudo_domain::{Digest, UserId};

use super::{Engine, Load, Lock, Tx, audit, run, sessions, sql, visits};
use crate::credentials::{LinkKind, NewReset, SessionsEnd, SetPassword, SetTotp, UseReset};
use crate::queries::{Statement, access};
use crate::{CredentialStore, Result, StoreError};

#[async_trait]
impl<E: Engine> CredentialStore for E {
    async fn set_password(&self, command: SetPassword) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(set_password(tx, command))).await
    }

    async fn set_totp(&self, command: SetTotp) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(set_totp(tx, command))).await
    }

    async fn spend_step(&self, user: UserId, step: i64) -> Result<bool> {
        let spend = sql!("totp/spend.sql", usuario: user.0, paso: step);
        Ok(run(self, Load::SMALL, spend).await? == 1)
    }

    async fn spend_code(&self, user: UserId, code: Digest) -> Result<bool> {
        let spend = sql!("totp_codigo/spend.sql", usuario: user.0, huella: code);
        Ok(run(self, Load::SMALL, spend).await? == 1)
    }

    async fn create_reset(&self, command: NewReset) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(create_reset(tx, command))).await
    }

    async fn use_reset(&self, command: UseReset) -> Result<Option<UserId>> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(use_reset(tx, command))).await
    }
}

/// Writes a password; ends other sessions and the links to choose a password.
async fn set_password(tx: &Tx<'_>, command: &SetPassword) -> Result<()> {
    write_password(tx, command.user, &command.password).await?;
    sessions::end_all(tx, command.user, command.keep).await?;
    tx.run(delete_links(command.user)).await?;
    if command.keep.is_none() {
        tx.run(visits::end_feed(command.user)).await?;
    }
    audit::tell(tx, &command.audit).await
}

async fn write_password(tx: &Tx<'_>, user: UserId, password: &str) -> Result<()> {
    let set = sql!("usuario/set_clave.sql", id: user.0, clave: password);
    tx.run_or(set, StoreError::UserNotFound).await
}

/// Writes or removes the second factor and its codes.
async fn set_totp(tx: &Tx<'_>, command: &SetTotp) -> Result<()> {
    let user = command.user.0;
    tx.first(access::user(command.user)).await?.ok_or(StoreError::UserNotFound)?;
    match &command.totp {
        Some(totp) => {
            let secreto = totp.secret.as_slice();
            let set = sql!("totp/set.sql", usuario: user, secreto, paso: totp.last_step);
            tx.run_or(set, StoreError::UserNotFound).await?;
        }
        None => drop(tx.run(sql!("totp/delete.sql", usuario: user)).await?),
    }
    tx.run(sql!("totp_codigo/delete.sql", usuario: user)).await?;
    for code in &command.codes {
        tx.run(sql!("totp_codigo/insert.sql", usuario: user, huella: *code)).await?;
    }
    match command.ends {
        SessionsEnd::None => {}
        SessionsEnd::AllBut(keep) => drop(sessions::end_all(tx, command.user, Some(keep)).await?),
        SessionsEnd::All => drop(sessions::end_all(tx, command.user, None).await?),
    }
    audit::tell(tx, &command.audit).await
}

/// Makes a link to choose a password with. The lock of people lets one call run at a time, because a person has at most
/// one link of each kind.
async fn create_reset(tx: &Tx<'_>, command: &NewReset) -> Result<()> {
    tx.lock(Lock::People).await?;
    let (usuario, invitacion) = (command.user.0, command.kind == LinkKind::Invitation);
    tx.run(sql!("recuperacion/delete_kind.sql", usuario, invitacion)).await?;
    let insert = sql!(
        "recuperacion/insert.sql",
        huella: command.digest,
        usuario,
        invitacion,
        now: command.at,
        expira_en: command.expira_en,
    );
    tx.run_or(insert, StoreError::UserNotFound).await?;
    audit::tell(tx, &command.audit).await
}

/// Chooses a password with a link. If two calls use the same link, the later one waits for the row and finds it
/// deleted.
async fn use_reset(tx: &Tx<'_>, command: &UseReset) -> Result<Option<UserId>> {
    let Some(user) = tx.first(access::reset_user(command.digest, command.at)).await? else {
        return Ok(None);
    };
    if tx.run(delete_links(user)).await? == 0 {
        return Ok(None);
    }
    write_password(tx, user, &command.password).await?;
    sessions::end_all(tx, user, None).await?;
    tx.run(visits::end_feed(user)).await?;
    audit::tell(tx, &command.audit).await?;
    Ok(Some(user))
}

/// Ends the links of a person.
pub(super) fn delete_links(user: UserId) -> Statement {
    sql!("recuperacion/delete.sql", usuario: user.0)
}
