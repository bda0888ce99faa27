//! Partial updates of a lead's profile.

use std::sync::LazyLock;

use embudo_store::Done;
use embudo_store::columns::{fill, untyped};
use embudo_store::lead_writes::UpdatePerfil;
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{execute_on_lead, once, record_state};
use crate::failure::Step;
use crate::rows::CellParam;

static UPDATE: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/update_perfil.sql"), 3, untyped));

/// Writes the fields sent, keeps the others.
pub(crate) fn update(connection: &Connection, command: &UpdatePerfil) -> Step<Done> {
    let (lead, at, p) = (command.lead, command.at, &command.perfil);
    let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(connection, command.idempotency.as_ref(), || {
        let (micros, cells) = (at.as_microsecond(), p.cells().map(CellParam));
        let fixed: [&dyn ToSql; 2] = [&lead.0, &micros];
        let parameters = fixed.into_iter().chain(cells.iter().map(|cell| cell as &dyn ToSql));
        execute_on_lead(connection, &UPDATE, params_from_iter(parameters))?;
        record_state(connection, lead, estado_wa, p.bot_step.as_deref(), at)
    })
}
