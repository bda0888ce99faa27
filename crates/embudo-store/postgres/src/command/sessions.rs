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
use crate::statement::{OnPool, params, sql};

/// Opens a session in the place of another.
pub(crate) async fn create(pool: &Pool, new: &NewSession) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(before) = new.replaces {
        tx.execute(sql!("sesion/replace.sql"), params! { huella: before.0.as_slice() }).await?;
    }
    let session = &new.session;
    let values = params! {
        id: session.id.0,
        huella: new.token.0.as_slice(),
        usuario: session.user.0,
        empresa: session.empresa.map(|empresa| empresa.0),
        propio: session.own_device,
        a_medias: session.halfway,
        agente: session.agent,
        ip: session.ip.map(|ip| ip.to_string()),
        creada_en: Instant::from(session.creada_en),
        usada_en: Instant::from(session.usada_en),
        expira_en: Instant::from(session.expira_en),
    };
    if tx.execute(sql!("sesion/insert.sql"), values).await? == 0 {
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
    client.execute(sql!("sesion/touch.sql"), params! { id: id.0, now: Instant::from(at) }).await?;
    Ok(())
}

/// Writes down which company the person looks at.
pub(crate) async fn choose_empresa(pool: &Pool, id: SessionId, empresa: EmpresaId) -> Step<()> {
    let client = pool.get().await?;
    client.execute(sql!("sesion/set_empresa.sql"), params! { id: id.0, empresa: empresa.0 }).await?;
    Ok(())
}

/// Ends one session of a person.
pub(crate) async fn end(pool: &Pool, user: UserId, id: SessionId, entry: &AuditEntry) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if tx.execute(sql!("sesion/delete.sql"), params! { usuario: user.0, id: id.0 }).await? == 0 {
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
    tx.execute(sql!("sesion/delete_all.sql"), params! { usuario: user.0, keep: keep.map(|id| id.0) }).await
}

/// Deletes what ended by its time.
pub(crate) async fn purge(pool: &Pool, now: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let ended = params! { now: Instant::from(now), max: i64::from(max) };
    let sessions = client.execute(sql!("sesion/purge.sql"), ended).await?;
    Ok(sessions + client.execute(sql!("recuperacion/purge.sql"), ended).await?)
}
