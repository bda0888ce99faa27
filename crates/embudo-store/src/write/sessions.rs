//! Sessions of signed-in browsers.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{EmpresaId, SessionId, Timestamp, UserId};

use super::{Engine, Load, Tx, audit, run, sql};
use crate::sessions::NewSession;
use crate::{Result, SessionStore, StoreError};

#[async_trait]
impl<E: Engine> SessionStore for E {
    async fn create_session(&self, new: NewSession) -> Result<()> {
        self.write(Load::SMALL, new, |tx, new| Box::pin(create(tx, new))).await
    }

    async fn touch_session(&self, id: SessionId, at: Timestamp) -> Result<()> {
        run(self, Load::SMALL, sql!("sesion/touch.sql", id: id.0, now: at)).await.map(drop)
    }

    async fn choose_empresa(&self, id: SessionId, empresa: EmpresaId) -> Result<()> {
        run(self, Load::SMALL, sql!("sesion/set_empresa.sql", id: id.0, empresa: empresa.0)).await.map(drop)
    }

    async fn end_session(&self, user: UserId, id: SessionId, audit: AuditEntry) -> Result<bool> {
        self.write(Load::SMALL, (user, id, audit), |tx, (user, id, audit)| {
            Box::pin(end(tx, *user, *id, audit))
        })
        .await
    }

    async fn end_other_sessions(&self, user: UserId, keep: SessionId, audit: AuditEntry) -> Result<u64> {
        let command = (user, keep, audit);
        self.write(Load::SMALL, command, |tx, (user, keep, audit)| {
            Box::pin(end_others(tx, *user, *keep, audit))
        })
        .await
    }

    async fn purge_access(&self, now: Timestamp, max: u32) -> Result<u64> {
        self.write(Load::SMALL, (now, max), |tx, (now, max)| Box::pin(purge(tx, *now, *max))).await
    }
}

/// Opens a session, replacing another one if the browser had one.
async fn create(tx: &Tx<'_>, new: &NewSession) -> Result<()> {
    let session = &new.session;
    if let Some(before) = new.replaces {
        let (usuario, sesion) = (session.user.0, session.id.0);
        tx.run(sql!("dispositivo/move.sql", usuario, sesion, huella: before)).await?;
        tx.run(sql!("dispositivo/leave.sql", usuario, huella: before)).await?;
        tx.run(sql!("sesion/replace.sql", huella: before)).await?;
    }
    let insert = sql!(
        "sesion/insert.sql",
        id: session.id.0,
        huella: new.token,
        usuario: session.user.0,
        empresa: session.empresa.map(|empresa| empresa.0),
        propio: session.own_device,
        a_medias: session.halfway,
        agente: &session.agent,
        ip: session.ip.map(|ip| ip.to_string()),
        creada_en: session.creada_en,
        usada_en: session.usada_en,
        expira_en: session.expira_en,
    );
    tx.run_or(insert, StoreError::UserNotFound).await?;
    audit::tell(tx, new.audit.as_ref()).await
}

async fn end(tx: &Tx<'_>, user: UserId, id: SessionId, entry: &AuditEntry) -> Result<bool> {
    if tx.run(sql!("sesion/delete.sql", usuario: user.0, id: id.0)).await? == 0 {
        return Ok(false);
    }
    tx.run(sql!("dispositivo/delete_session.sql", usuario: user.0, sesion: id.0)).await?;
    audit::tell(tx, entry).await?;
    Ok(true)
}

async fn end_others(tx: &Tx<'_>, user: UserId, keep: SessionId, entry: &AuditEntry) -> Result<u64> {
    let ended = end_all(tx, user, Some(keep)).await?;
    audit::tell(tx, entry).await?;
    Ok(ended)
}

/// Ends the sessions of a person, all or all but one, and removes their devices; returns how many sessions.
pub(super) async fn end_all(tx: &Tx<'_>, user: UserId, keep: Option<SessionId>) -> Result<u64> {
    let keep = keep.map(|id| id.0);
    tx.run(sql!("dispositivo/delete_all.sql", usuario: user.0, keep)).await?;
    tx.run(sql!("sesion/delete_all.sql", usuario: user.0, keep)).await
}

async fn purge(tx: &Tx<'_>, now: Timestamp, max: u32) -> Result<u64> {
    let sessions = tx.run(sql!("sesion/purge.sql", now, max)).await?;
    Ok(sessions + tx.run(sql!("recuperacion/purge.sql", now, max)).await?)
}
