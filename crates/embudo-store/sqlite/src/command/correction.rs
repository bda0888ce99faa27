//! What a person changes or takes back after having said it: answers, and the notes of the form.

use embudo_store::StoreError;
use embudo_store::command::{Answer, ClearPerfil, SetNota};
use rusqlite::Connection;

use super::{execute, execute_on_lead};
use crate::failure::Step;
use crate::query::exists;

/// Takes answers back.
pub(crate) fn clear_perfil(connection: &Connection, command: &ClearPerfil) -> Step<()> {
    let taken = |answer| command.answers.contains(&answer);
    execute_on_lead(
        connection,
        include_str!("../../sql/lead/clear_perfil.sql"),
        (
            command.lead.0,
            command.at.as_microsecond(),
            taken(Answer::M2Suelo),
            taken(Answer::Estructural),
            taken(Answer::Presupuesto),
            taken(Answer::TasteText),
        ),
    )
}

/// Writes a note in place of what stood under its id, or removes it.
pub(crate) fn set_nota(connection: &Connection, command: &SetNota) -> Step<()> {
    let (lead, id) = (command.lead.0, command.id.0);
    if !exists(connection, include_str!("../../sql/lead/exists.sql"), (lead,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    let Some(text) = &command.text else {
        return execute(connection, include_str!("../../sql/nota/delete.sql"), (lead, id)).map(drop);
    };
    if execute(connection, include_str!("../../sql/nota/update.sql"), (lead, id, text))? > 0 {
        return Ok(());
    }
    let values = (lead, id, text, command.zona.as_str(), command.at.as_microsecond());
    execute_on_lead(connection, include_str!("../../sql/nota/insert.sql"), values)
}
