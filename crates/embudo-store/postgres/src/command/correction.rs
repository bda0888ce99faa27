//! What a person changes or takes back after having said it: answers, and the notes of the form.

use deadpool_postgres::Pool;
use embudo_store::StoreError;
use embudo_store::lead_writes::{Answer, ClearPerfil, SetNota};

use super::alone::commit;
use super::event;
use super::rights::wrote;
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Takes answers back.
pub(crate) async fn clear_perfil(pool: &Pool, command: &ClearPerfil) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let taken = |answer| command.answers.contains(&answer);
    let answers = params! {
        lead: command.lead.0,
        m2_suelo: taken(Answer::M2Suelo),
        estructural: taken(Answer::Estructural),
        presupuesto: taken(Answer::Presupuesto),
        taste_text: taken(Answer::TasteText),
        now: Instant::from(command.at),
    };
    if tx.execute(sql!("lead/clear_perfil.sql"), answers).await? == 0 {
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
    wrote(&tx, &[command.lead], command.at).await?;
    match &command.text {
        Some(texto) => {
            let (zona, now) = (command.zona.as_str(), Instant::from(command.at));
            tx.execute(sql!("nota/set.sql"), params! { lead, id, empresa, texto, zona, now }).await?
        }
        None => tx.execute(sql!("nota/delete.sql"), params! { lead, id }).await?,
    };
    commit(tx).await
}
