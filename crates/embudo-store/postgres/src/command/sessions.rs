//! Signed-in browsers.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::audit::AuditEntry;
use embudo_domain::{EmpresaId, SessionId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::sessions::NewSession;

use super::alone::commit;
use super::audit;
use crate::failure::Step;
use crate::rows::Instant;

/// Opens a session in the place of another.
pub(crate) async fn create(pool: &Pool, new: &NewSession) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(before) = new.replaces {
        let replace = tx.prepare_cached(include_str!("../../sql/sesion/replace.sql")).await?;
        tx.execute(&replace, &[&before.0.as_slice()]).await?;
    }
    let session = &new.session;
    let insert = tx.prepare_cached(include_str!("../../sql/sesion/insert.sql")).await?;
    let written = tx
        .execute(
            &insert,
            &[
                &session.id.0,
                &new.token.0.as_slice(),
                &session.user.0,
                &session.empresa.map(|empresa| empresa.0),
                &session.own_device,
                &session.halfway,
                &session.agent,
                &session.ip.map(|ip| ip.to_string()),
                &Instant::from(session.creada_en),
                &Instant::from(session.usada_en),
                &Instant::from(session.expira_en),
            ],
        )
        .await?;
    if written == 0 {
        return Err(StoreError::UserNotFound.into());
    }
    if let Some(entry) = &new.audit {
        audit::record_in(&tx, entry).await?;
    }
    commit(tx).await
}

/// Writes down that a session was used.
pub(crate) async fn touch(pool: &Pool, id: SessionId, at: Timestamp) -> Step<()> {
    let client = pool.get().await?;
    let touch = client.prepare_cached(include_str!("../../sql/sesion/touch.sql")).await?;
    client.execute(&touch, &[&id.0, &Instant::from(at)]).await?;
    Ok(())
}

/// Writes down which company the person looks at.
pub(crate) async fn choose_empresa(pool: &Pool, id: SessionId, empresa: EmpresaId) -> Step<()> {
    let client = pool.get().await?;
    let choose = client.prepare_cached(include_str!("../../sql/sesion/set_empresa.sql")).await?;
    client.execute(&choose, &[&id.0, &empresa.0]).await?;
    Ok(())
}

/// Ends one session of a person.
pub(crate) async fn end(pool: &Pool, user: UserId, id: SessionId, entry: &AuditEntry) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let delete = tx.prepare_cached(include_str!("../../sql/sesion/delete.sql")).await?;
    if tx.execute(&delete, &[&user.0, &id.0]).await? == 0 {
        return Ok(false);
    }
    audit::record_in(&tx, entry).await?;
    commit(tx).await?;
    Ok(true)
}

/// Ends all sessions of a person but one.
pub(crate) async fn end_others(pool: &Pool, user: UserId, keep: SessionId, entry: &AuditEntry) -> Step<u64> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let ended = delete_all(&tx, user, Some(keep)).await?;
    audit::record_in(&tx, entry).await?;
    commit(tx).await?;
    Ok(ended)
}

pub(super) async fn delete_all(tx: &Transaction<'_>, user: UserId, keep: Option<SessionId>) -> Step<u64> {
    let delete = tx.prepare_cached(include_str!("../../sql/sesion/delete_all.sql")).await?;
    Ok(tx.execute(&delete, &[&user.0, &keep.map(|id| id.0)]).await?)
}

/// Deletes what ended by its time.
pub(crate) async fn purge(pool: &Pool, now: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let mut deleted = 0;
    for sql in [include_str!("../../sql/sesion/purge.sql"), include_str!("../../sql/recuperacion/purge.sql")]
    {
        let purge = client.prepare_cached(sql).await?;
        deleted += client.execute(&purge, &[&Instant::from(now), &i64::from(max)]).await?;
    }
    Ok(deleted)
}
