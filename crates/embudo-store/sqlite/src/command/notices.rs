//! Who is told what by mail.

use embudo_domain::{EmpresaId, UserId};
use embudo_store::StoreError;
use embudo_store::notices::{ChooseNotices, SetSharedNotices};
use embudo_store::queries::{empresa, notice};
use rusqlite::{Connection, named_params};

use super::{audit, execute};
use crate::failure::Step;
use crate::query::{run, run_first};

/// Writes a person's choice.
pub(crate) fn choose(connection: &Connection, command: &ChooseNotices) -> Step<()> {
    let written = execute(
        connection,
        include_str!("../../sql/aviso_persona/upsert.sql"),
        named_params! {
            ":empresa": command.empresa.0,
            ":usuario": command.user.0,
            ":elegidos": command.choice.topics.to_string(),
            ":solo_asignados": command.choice.only_assigned,
        },
    )?;
    if written == 0 {
        return Err(StoreError::UserNotFound.into());
    }
    gather(connection, command.empresa)?;
    audit::record(connection, &command.audit)
}

/// Writes what a company's own address gets.
pub(crate) fn set_shared(connection: &Connection, command: &SetSharedNotices) -> Step<bool> {
    let found = run_first(connection, &empresa::get(command.empresa))?;
    let found = found.ok_or(StoreError::EmpresaNotFound)?;
    if found.shared() != command.before {
        return Ok(false);
    }
    let (is_on, topics) = command.written(found.topics);
    execute(
        connection,
        include_str!("../../sql/empresa/set_avisos.sql"),
        named_params! {
            ":id": command.empresa.0,
            ":email_avisos": command.after.email,
            ":avisos": is_on,
            ":avisos_elegidos": topics.to_string(),
        },
    )?;
    audit::record(connection, &command.audit).map(|()| true)
}

/// After somebody came, went or changed role.
pub(super) fn gather_for(connection: &Connection, user: UserId) -> Step<()> {
    for empresa in run(connection, &notice::chosen_by(user))? {
        gather(connection, empresa)?;
    }
    Ok(())
}

/// Writes down what somebody of a company wants.
fn gather(connection: &Connection, empresa: EmpresaId) -> Step<()> {
    let topics = notice::union(&run(connection, &notice::recipients(empresa))?);
    let sql = include_str!("../../sql/empresa/set_personas.sql");
    execute(connection, sql, named_params! {":id": empresa.0, ":elegidos": topics.to_string()}).map(drop)
}
