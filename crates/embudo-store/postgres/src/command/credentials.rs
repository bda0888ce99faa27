//! How people show who they are.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::{Digest, UserId};
use embudo_store::StoreError;
use embudo_store::credentials::{LinkKind, NewReset, SessionsEnd, SetPassword, SetTotp, UseReset};
use embudo_store::queries::access;

use super::alone::commit;
use super::{audit, sessions, users, visit};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, Params, Sql, params, sql};

/// Runs one statement on a person's row: no row means that there is no such person.
async fn execute_on_user(tx: &Transaction<'_>, sql: &Sql, values: &Params<'_>) -> Step<()> {
    match tx.execute(sql, values).await? {
        0 => Err(StoreError::UserNotFound.into()),
        _ => Ok(()),
    }
}

/// Writes a password; other sessions and the link to choose one end.
pub(crate) async fn set_password(pool: &Pool, command: &SetPassword) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    write_password(&tx, command.user, &command.password).await?;
    sessions::delete_all(&tx, command.user, command.keep).await?;
    delete_links(&tx, command.user).await?;
    if command.keep.is_none() {
        visit::end_feed(&tx, command.user).await?;
    }
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

async fn write_password(tx: &Transaction<'_>, user: UserId, password: &String) -> Step<()> {
    execute_on_user(tx, sql!("usuario/set_clave.sql"), params! { id: user.0, clave: password }).await
}

/// Writes or removes the second factor and its codes.
pub(crate) async fn set_totp(pool: &Pool, command: &SetTotp) -> Step<()> {
    let user = command.user.0;
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if run_in(&tx, &access::user(command.user)).await?.is_empty() {
        return Err(StoreError::UserNotFound.into());
    }
    match &command.totp {
        Some(totp) => {
            let values = params! { usuario: user, secreto: totp.secret, paso: totp.last_step };
            execute_on_user(&tx, sql!("totp/set.sql"), values).await?;
        }
        None => {
            tx.execute(sql!("totp/delete.sql"), params! { usuario: user }).await?;
        }
    }
    tx.execute(sql!("totp_codigo/delete.sql"), params! { usuario: user }).await?;
    for code in &command.codes {
        let values = params! { usuario: user, huella: code.0.as_slice() };
        tx.execute(sql!("totp_codigo/insert.sql"), values).await?;
    }
    match command.ends {
        SessionsEnd::None => {}
        SessionsEnd::AllBut(keep) => drop(sessions::delete_all(&tx, command.user, Some(keep)).await?),
        SessionsEnd::All => drop(sessions::delete_all(&tx, command.user, None).await?),
    }
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

/// Uses up the codes of a period.
pub(crate) async fn spend_step(pool: &Pool, user: UserId, step: i64) -> Step<bool> {
    let client = pool.get().await?;
    Ok(client.execute(sql!("totp/spend.sql"), params! { usuario: user.0, paso: step }).await? == 1)
}

/// Uses up a recovery code.
pub(crate) async fn spend_code(pool: &Pool, user: UserId, code: Digest) -> Step<bool> {
    let client = pool.get().await?;
    let values = params! { usuario: user.0, huella: code.0.as_slice() };
    Ok(client.execute(sql!("totp_codigo/spend.sql"), values).await? == 1)
}

/// Makes a link to choose a password with. One at a time, because a person has one of a kind.
pub(crate) async fn create_reset(pool: &Pool, command: &NewReset) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    users::lock(&tx).await?;
    let invitacion = command.kind == LinkKind::Invitation;
    let former = params! { usuario: command.user.0, invitacion: invitacion };
    tx.execute(sql!("recuperacion/delete_kind.sql"), former).await?;
    let values = params! {
        huella: command.digest.0.as_slice(),
        usuario: command.user.0,
        invitacion: invitacion,
        now: Instant::from(command.at),
        expira_en: Instant::from(command.expira_en),
    };
    execute_on_user(&tx, sql!("recuperacion/insert.sql"), values).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

/// Chooses a password with a link. Of two at once the later waits for the link's row and finds it gone.
pub(crate) async fn use_reset(pool: &Pool, command: &UseReset) -> Step<Option<UserId>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let Some(user) = run_in(&tx, &access::reset_user(command.digest, command.at)).await?.pop() else {
        return Ok(None);
    };
    if delete_links(&tx, user).await? == 0 {
        return Ok(None);
    }
    write_password(&tx, user, &command.password).await?;
    sessions::delete_all(&tx, user, None).await?;
    visit::end_feed(&tx, user).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(Some(user))
}

/// Ends the links of a person; how many.
pub(super) async fn delete_links(tx: &Transaction<'_>, user: UserId) -> Step<u64> {
    tx.execute(sql!("recuperacion/delete.sql"), params! { usuario: user.0 }).await
}
