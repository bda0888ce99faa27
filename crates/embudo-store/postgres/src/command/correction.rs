//! What a person changes or takes back after having said it: answers, and the notes of the form.

use deadpool_postgres::Pool;
use embudo_store::StoreError;
use embudo_store::lead_writes::{Answer, ClearPerfil, SetNota};

use super::alone::commit;
use super::event;
use crate::failure::Step;
use crate::rows::Instant;

/// Takes answers back.
pub(crate) async fn clear_perfil(pool: &Pool, command: &ClearPerfil) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let taken = |answer| command.answers.contains(&answer);
    let statement = tx.prepare_cached(include_str!("../../sql/lead/clear_perfil.sql")).await?;
    let changed = tx
        .execute(
            &statement,
            &[
                &command.lead.0,
                &taken(Answer::M2Suelo),
                &taken(Answer::Estructural),
                &taken(Answer::Presupuesto),
                &taken(Answer::TasteText),
                &Instant::from(command.at),
            ],
        )
        .await?;
    if changed == 0 {
        return Err(StoreError::LeadNotFound.into());
    }
    commit(tx).await
}

/// Writes a note in place of what stood under its id, or removes it.
pub(crate) async fn set_nota(pool: &Pool, command: &SetNota) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (lead, id) = (command.lead.0, command.id.0);
    let empresa = event::empresa_of(&tx, command.lead).await?;
    match &command.text {
        Some(text) => {
            let statement = tx.prepare_cached(include_str!("../../sql/nota/set.sql")).await?;
            let at = Instant::from(command.at);
            tx.execute(&statement, &[&lead, &id, &empresa, text, &command.zona.as_str(), &at]).await?;
        }
        None => {
            let statement = tx.prepare_cached(include_str!("../../sql/nota/delete.sql")).await?;
            tx.execute(&statement, &[&lead, &id]).await?;
        }
    }
    commit(tx).await
}
