//! What a person corrects of a lead.

use std::sync::LazyLock;

use embudo_store::columns::{fill, untyped};
use embudo_store::leads::search_text;
use embudo_store::sheet::{EditLead, Edited, new_states};
use rusqlite::{Connection, named_params};

use super::{audit, execute_on_lead, obra};
use crate::failure::Step;
use crate::query::record;
use crate::rows::{CellParam, perfil_params};

static EDIT: LazyLock<String> = LazyLock::new(|| fill(include_str!("../../sql/lead/edit.sql"), untyped));

/// Writes what was changed, unless somebody else changed the same.
pub(crate) fn edit(connection: &Connection, command: &EditLead) -> Step<Edited> {
    let now = record::whole_lead(connection, command.lead)?;
    let (facts, entry) = match command.decide(&now) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    let (telefono, email) = (&facts.telefono, &facts.email);
    let search = search_text(&facts.nombre, &email.typed, &telefono.e164, facts.provincia.as_deref());
    let at = command.at.as_microsecond();
    let fixed = named_params! {
        ":lead": command.lead.0,
        ":now": at,
        ":nombre": facts.nombre,
        ":telefono": telefono.typed,
        ":telefono_e164": telefono.e164,
        ":email": email.typed,
        ":email_normal": email.normal,
        ":provincia": facts.provincia,
        ":busqueda": search,
    };
    let cells = facts.perfil.cells().map(CellParam);
    let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&cells)).collect();
    execute_on_lead(connection, &EDIT, &params[..])?;
    if facts.obra != now.obra {
        obra::put(connection, command.lead, &facts.obra)?;
    }
    for (field, value) in new_states(&facts, &now) {
        let sql = include_str!("../../sql/estado_historia/insert.sql");
        let values = named_params! {":lead": command.lead.0, ":campo": field, ":valor": value, ":now": at};
        execute_on_lead(connection, sql, values)?;
    }
    audit::record(connection, &entry)?;
    Ok(Edited::Saved)
}
