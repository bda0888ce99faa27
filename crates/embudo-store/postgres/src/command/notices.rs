//! Who is told what by mail. Choices change one at a time, with the people: what a company's people want is gathered from all of them.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::{EmpresaId, UserId};
use embudo_store::StoreError;
use embudo_store::notices::{ChooseNotices, SetSharedNotices};
use embudo_store::queries::{empresa as companies, notice};

use super::alone::commit;
use super::{audit, empresa, users};
use crate::failure::Step;
use crate::query::run_in;
use crate::statement::{OnPool, params, sql};

/// Writes a person's choice.
pub(crate) async fn choose(pool: &Pool, command: &ChooseNotices) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    users::lock(&tx).await?;
    let params = params! {
        empresa: command.empresa.0,
        usuario: command.user.0,
        elegidos: command.choice.topics.to_string(),
        solo_asignados: command.choice.only_assigned,
    };
    if tx.execute(sql!("aviso_persona/upsert.sql"), params).await? == 0 {
        return Err(StoreError::UserNotFound.into());
    }
    gather(&tx, command.empresa).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

/// Writes what a company's own address gets.
pub(crate) async fn set_shared(pool: &Pool, command: &SetSharedNotices) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    empresa::lock(&tx).await?;
    let found = run_in(&tx, &companies::get(command.empresa)).await?.pop();
    let found = found.ok_or(StoreError::EmpresaNotFound)?;
    if found.shared() != command.before {
        return Ok(false);
    }
    let (is_on, topics) = command.written(found.topics);
    let params = params! {
        id: command.empresa.0,
        email_avisos: command.after.email,
        avisos: is_on,
        avisos_elegidos: topics.to_string(),
    };
    tx.execute(sql!("empresa/set_avisos.sql"), params).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(true)
}

/// After somebody came, went or changed role; people are locked.
pub(super) async fn gather_for(tx: &Transaction<'_>, user: UserId) -> Step<()> {
    for empresa in run_in(tx, &notice::chosen_by(user)).await? {
        gather(tx, empresa).await?;
    }
    Ok(())
}

/// Writes down what somebody of a company wants; people are locked.
async fn gather(tx: &Transaction<'_>, empresa: EmpresaId) -> Step<()> {
    let topics = notice::union(&run_in(tx, &notice::recipients(empresa)).await?);
    let params = params! { id: empresa.0, elegidos: topics.to_string() };
    tx.execute(sql!("empresa/set_personas.sql"), params).await.map(drop)
}
