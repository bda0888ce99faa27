//! How people show who they are.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::{Digest, UserId};
use embudo_store::StoreError;
use embudo_store::credentials::{NewReset, SetPassword, SetTotp, UseReset};
use embudo_store::queries::access;
use tokio_postgres::types::ToSql;

use super::alone::commit;
use super::{audit, sessions, users};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;

/// Runs one statement inside a transaction; how many rows it changed.
async fn execute(tx: &Transaction<'_>, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Step<u64> {
    let statement = tx.prepare_cached(sql).await?;
    Ok(tx.execute(&statement, values).await?)
}

/// Runs one statement on a person's row: no row means that there is no such person.
async fn execute_on_user(tx: &Transaction<'_>, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Step<()> {
    match execute(tx, sql, values).await? {
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
    delete_reset(&tx, command.user).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

async fn write_password(tx: &Transaction<'_>, user: UserId, password: &String) -> Step<()> {
    execute_on_user(tx, include_str!("../../sql/usuario/set_clave.sql"), &[&user.0, password]).await
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
            let sql = include_str!("../../sql/totp/set.sql");
            execute_on_user(&tx, sql, &[&user, &totp.secret, &totp.last_step]).await?;
        }
        None => {
            execute(&tx, include_str!("../../sql/totp/delete.sql"), &[&user]).await?;
        }
    }
    execute(&tx, include_str!("../../sql/totp_codigo/delete.sql"), &[&user]).await?;
    for code in &command.codes {
        let sql = include_str!("../../sql/totp_codigo/insert.sql");
        execute(&tx, sql, &[&user, &code.0.as_slice()]).await?;
    }
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

/// Uses up the codes of a period.
pub(crate) async fn spend_step(pool: &Pool, user: UserId, step: i64) -> Step<bool> {
    let client = pool.get().await?;
    let spend = client.prepare_cached(include_str!("../../sql/totp/spend.sql")).await?;
    Ok(client.execute(&spend, &[&user.0, &step]).await? == 1)
}

/// Uses up a recovery code.
pub(crate) async fn spend_code(pool: &Pool, user: UserId, code: Digest) -> Step<bool> {
    let client = pool.get().await?;
    let spend = client.prepare_cached(include_str!("../../sql/totp_codigo/spend.sql")).await?;
    Ok(client.execute(&spend, &[&user.0, &code.0.as_slice()]).await? == 1)
}

/// Makes a link to choose a password with. One at a time, because a person has one.
pub(crate) async fn create_reset(pool: &Pool, command: &NewReset) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    users::lock(&tx).await?;
    delete_reset(&tx, command.user).await?;
    let (at, expira_en) = (Instant::from(command.at), Instant::from(command.expira_en));
    let sql = include_str!("../../sql/recuperacion/insert.sql");
    execute_on_user(&tx, sql, &[&command.digest.0.as_slice(), &command.user.0, &at, &expira_en]).await?;
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
    if delete_reset(&tx, user).await? == 0 {
        return Ok(None);
    }
    write_password(&tx, user, &command.password).await?;
    sessions::delete_all(&tx, user, None).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(Some(user))
}

/// Ends the links of a person; how many.
pub(super) async fn delete_reset(tx: &Transaction<'_>, user: UserId) -> Step<u64> {
    execute(tx, include_str!("../../sql/recuperacion/delete.sql"), &[&user.0]).await
}
