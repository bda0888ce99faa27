//! The creation of leads.

use std::sync::LazyLock;

use embudo_store::columns::{fill, untyped};
use embudo_store::leads::CreateLead;
use embudo_store::queries;
use embudo_store::write::leads::consentimiento;
use embudo_store::write::obra::put as put_obra;
use embudo_store::{Done, StoreError};
use rusqlite::{Connection, named_params};

use super::{etapa, execute, job, once, record_state};
use crate::failure::Step;
use crate::query::{run, run_first};
use crate::rows::{CellParam, perfil_params};

/// Creates a lead with its campaign ids, consents and first states.
pub(crate) fn create(connection: &Connection, command: &CreateLead) -> Step<Done> {
    once(connection, command.idempotency.as_ref(), || {
        if run_first(connection, &queries::rights::erasure(command.id))?.is_some() {
            return Err(StoreError::LeadNotFound.into());
        }
        insert(connection, command)?;
        etapa::insert(connection, command.id, command.at)?;
        if !command.obra.is_empty() {
            run(connection, &put_obra(command.id, &command.obra))?;
        }
        for (nombre, value) in &command.utm {
            execute(
                connection,
                include_str!("../../sql/utm/insert.sql"),
                named_params! {":lead": command.id.0, ":nombre": nombre, ":valor": value},
            )?;
        }
        for consent in &command.consentimientos {
            run(connection, &consentimiento(command.id, consent, command.at))?;
        }
        let p = &command.perfil;
        let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
        record_state(connection, command.id, estado_wa, p.bot_step.as_deref(), command.at)?;
        job::insert_all(connection, command.id, &command.jobs, command.at).map(drop)
    })
}

static CREATE: LazyLock<String> = LazyLock::new(|| fill(include_str!("../../sql/lead/insert.sql"), untyped));

fn insert(connection: &Connection, command: &CreateLead) -> Step<()> {
    let fixed = named_params! {
        ":id": command.id.0,
        ":empresa": command.empresa.map(|e| e.0),
        ":now": command.at.as_microsecond(),
        ":nombre": command.nombre,
        ":telefono": command.telefono.typed,
        ":telefono_e164": command.telefono.e164,
        ":email": command.email.typed,
        ":email_normal": command.email.normal,
        ":provincia": command.provincia,
        ":busqueda": command.search,
        ":importado": command.imported,
    };
    let cells = command.perfil.cells().map(CellParam);
    let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&cells)).collect();
    match execute(connection, &CREATE, &params[..])? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}
