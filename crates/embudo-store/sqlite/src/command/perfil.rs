//! Partial updates of a lead's profile.

use std::sync::LazyLock;

use embudo_store::Done;
use embudo_store::columns::{fill, untyped};
use embudo_store::lead_writes::UpdatePerfil;
use rusqlite::{Connection, named_params};

use super::{execute_on_lead, once, record_state};
use crate::failure::Step;
use crate::rows::{CellParam, perfil_params};

static UPDATE: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/update_perfil.sql"), untyped));

/// Writes the fields sent, keeps the others.
pub(crate) fn update(connection: &Connection, command: &UpdatePerfil) -> Step<Done> {
    let (lead, at, p) = (command.lead, command.at, &command.perfil);
    let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(connection, command.idempotency.as_ref(), || {
        let cells = p.cells().map(CellParam);
        let fixed = named_params! {":lead": lead.0, ":now": at.as_microsecond()};
        let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&cells)).collect();
        execute_on_lead(connection, &UPDATE, &params[..])?;
        if command.knows_area() {
            let know = include_str!("../../../sql/lead_obra/know_area.sql");
            connection.prepare_cached(know)?.execute(named_params! {":lead": lead.0})?;
        }
        record_state(connection, lead, estado_wa, p.bot_step.as_deref(), at)
    })
}
