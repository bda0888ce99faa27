//! What a person changes or takes back after having said it: answers, and the notes of the form.

use embudo_store::lead_writes::{Answer, ClearPerfil, SetNota};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::rights::wrote;
use super::{execute, execute_on_lead};
use crate::failure::Step;
use crate::query::run_first;

/// Takes answers back.
pub(crate) fn clear_perfil(connection: &Connection, command: &ClearPerfil) -> Step<()> {
    let taken = |answer| command.answers.contains(&answer);
    execute_on_lead(
        connection,
        include_str!("../../sql/lead/clear_perfil.sql"),
        named_params! {
            ":lead": command.lead.0,
            ":now": command.at.as_microsecond(),
            ":m2_suelo": taken(Answer::M2Suelo),
            ":estructural": taken(Answer::Estructural),
            ":presupuesto": taken(Answer::Presupuesto),
            ":taste_text": taken(Answer::TasteText),
        },
    )
}

/// Writes a note in place of what stood under its id, or removes it.
pub(crate) fn set_nota(connection: &Connection, command: &SetNota) -> Step<()> {
    let (lead, id) = (command.lead.0, command.id.0);
    if run_first(connection, &queries::lead::exists(command.lead))? != Some(true) {
        return Err(StoreError::LeadNotFound.into());
    }
    wrote(connection, &[command.lead], command.at)?;
    let Some(text) = &command.text else {
        return execute(connection, include_str!("../../sql/nota/delete.sql"), (lead, id)).map(drop);
    };
    if execute(
        connection,
        include_str!("../../sql/nota/set.sql"),
        named_params! {":lead": lead, ":id": id, ":texto": text},
    )? > 0
    {
        return Ok(());
    }
    execute_on_lead(
        connection,
        include_str!("../../sql/nota/insert.sql"),
        named_params! {
            ":lead": lead,
            ":id": id,
            ":texto": text,
            ":zona": command.zona.as_str(),
            ":now": command.at.as_microsecond(),
        },
    )
}
