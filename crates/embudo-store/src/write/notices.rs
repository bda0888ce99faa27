//! Who gets which notices. People's choices change one at a time, under the lock of people, because a company's topics
//! are collected from all of its people.

use async_trait::async_trait;
use embudo_domain::{EmpresaId, UserId};

use super::{Engine, Load, Lock, Tx, audit, sql};
use crate::notices::{ChooseNotices, SetSharedNotices};
use crate::queries::{empresa, notice};
use crate::{NoticeStore, Result, StoreError};

#[async_trait]
impl<E: Engine> NoticeStore for E {
    async fn choose_notices(&self, command: ChooseNotices) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(choose(tx, command))).await
    }

    async fn set_shared_notices(&self, command: SetSharedNotices) -> Result<bool> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(set_shared(tx, command))).await
    }
}

/// Writes a person's choice.
async fn choose(tx: &Tx<'_>, command: &ChooseNotices) -> Result<()> {
    tx.lock(Lock::People).await?;
    let upsert = sql!(
        "aviso_persona/upsert.sql",
        empresa: command.empresa.0,
        usuario: command.user.0,
        elegidos: command.choice.topics.to_string(),
        en_dispositivos: command.choice.on_devices.to_string(),
        solo_asignados: command.choice.only_assigned,
    );
    tx.run_or(upsert, StoreError::UserNotFound).await?;
    gather(tx, command.empresa).await?;
    audit::tell(tx, &command.audit).await
}

/// Writes what a company's own address gets.
async fn set_shared(tx: &Tx<'_>, command: &SetSharedNotices) -> Result<bool> {
    tx.lock(Lock::Empresas).await?;
    let found = tx.first(empresa::get(command.empresa)).await?.ok_or(StoreError::EmpresaNotFound)?;
    if found.shared() != command.before {
        return Ok(false);
    }
    let (is_on, topics) = command.columns(found.topics);
    let set = sql!(
        "empresa/set_avisos.sql",
        id: command.empresa.0,
        email_avisos: &command.after.email,
        avisos: is_on,
        avisos_elegidos: topics.to_string(),
    );
    tx.run(set).await?;
    audit::tell(tx, &command.audit).await?;
    Ok(true)
}

/// Collects the topics again for the companies of a person who joined, left or changed role. The caller holds
/// [`Lock::People`].
pub(super) async fn gather_for(tx: &Tx<'_>, user: UserId) -> Result<()> {
    for empresa in tx.rows(notice::chosen_by(user)).await? {
        gather(tx, empresa).await?;
    }
    Ok(())
}

/// Stores the topics that at least one person of a company wants. The caller holds [`Lock::People`].
async fn gather(tx: &Tx<'_>, empresa: EmpresaId) -> Result<()> {
    let topics = notice::union(&tx.rows(notice::recipients(empresa)).await?);
    tx.run(sql!("empresa/set_personas.sql", id: empresa.0, elegidos: topics.to_string())).await.map(drop)
}
