//! Leads themselves: created, and their contact data corrected.

use std::sync::LazyLock;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contacto::{Email, Telefono};
use embudo_domain::lead::ContactoPatch;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::columns::{fill, untyped};
use embudo_store::command::{CreateLead, UpdateContacto};
use embudo_store::query::texto_busqueda;
use embudo_store::{Hecho, StoreError};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{execute, execute_on_lead, once, record_estado, trabajo};
use crate::failure::Step;
use crate::query::{exists, first};
use crate::rows::{CellParam, Columns};

/// Creates a lead with its campaign ids, consents and first states.
pub(crate) fn create(conexion: &Connection, command: &CreateLead) -> Step<Hecho> {
    once(conexion, command.idempotencia.as_ref(), || {
        insert(conexion, command)?;
        for (nombre, valor) in &command.utm {
            execute(conexion, include_str!("../../sql/utm/insert.sql"), (command.id.0, nombre, valor))?;
        }
        consentimientos(conexion, command.id, &command.consentimientos, command.en)?;
        let p = &command.perfil;
        let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
        record_estado(conexion, command.id, estado_wa, p.bot_step.as_deref(), command.en)?;
        trabajo::insert_all(conexion, command.id, &command.trabajos, command.en).map(drop)
    })
}

/// Appends consents.
fn consentimientos(
    conexion: &Connection,
    lead: LeadId,
    consentimientos: &[Consentimiento],
    en: Timestamp,
) -> Step<()> {
    for c in consentimientos {
        execute_on_lead(
            conexion,
            include_str!("../../sql/consentimiento/insert.sql"),
            (
                lead.0,
                &c.finalidad,
                &c.canal,
                &c.texto_version,
                &c.fuente,
                c.otorgado,
                c.otorgado_en.unwrap_or(en).as_microsecond(),
                en.as_microsecond(),
            ),
        )?;
    }
    Ok(())
}

/// Appends consents to the ledger of a lead that may not exist.
pub(crate) fn record_consentimientos(
    conexion: &Connection,
    lead: LeadId,
    nuevos: &[Consentimiento],
    en: Timestamp,
) -> Step<()> {
    if !exists(conexion, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    consentimientos(conexion, lead, nuevos, en)
}

static CREATE: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/create.sql"), 11, untyped));

fn insert(conexion: &Connection, command: &CreateLead) -> Step<()> {
    let (empresa, en) = (command.empresa.map(|e| e.0), command.en.as_microsecond());
    let fixed: [&dyn ToSql; 10] = [
        &command.id.0,
        &empresa,
        &en,
        &command.nombre,
        &command.telefono.tecleado,
        &command.telefono.e164,
        &command.email.tecleado,
        &command.email.normal,
        &command.provincia,
        &command.busqueda,
    ];
    let cells = command.perfil.cells().map(CellParam);
    let parameters = fixed.into_iter().chain(cells.iter().map(|cell| cell as &dyn ToSql));
    let rows = execute(conexion, &CREATE, params_from_iter(parameters))?;
    match rows {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Contact data as it stands, or as it will stand.
struct Contacto {
    nombre: String,
    telefono: Telefono,
    email: Email,
    provincia: Option<String>,
}

impl Contacto {
    fn with(self, patch: ContactoPatch) -> Self {
        Self {
            nombre: patch.nombre.unwrap_or(self.nombre),
            telefono: patch.telefono.unwrap_or(self.telefono),
            email: patch.email.unwrap_or(self.email),
            provincia: patch.provincia.or(self.provincia),
        }
    }
}

/// Corrects contact data and what the lead is found by.
pub(crate) fn update_contacto(conexion: &Connection, command: UpdateContacto) -> Step<()> {
    let sql = include_str!("../../sql/lead/lock_contacto.sql");
    let before = first(conexion, sql, (command.lead.0,), |row| {
        let mut c = Columns::of("lead", row);
        Ok(Contacto {
            nombre: c.take()?,
            telefono: Telefono { tecleado: c.take()?, e164: c.take()? },
            email: Email { tecleado: c.take()?, normal: c.take()? },
            provincia: c.take()?,
        })
    })?;
    let after = before.ok_or(StoreError::LeadNotFound)?.with(command.patch);
    let (telefono, email) = (&after.telefono, &after.email);
    let busqueda = texto_busqueda(&after.nombre, &email.tecleado, &telefono.e164, after.provincia.as_deref());
    execute_on_lead(
        conexion,
        include_str!("../../sql/lead/update_contacto.sql"),
        (
            command.lead.0,
            command.en.as_microsecond(),
            &after.nombre,
            &telefono.tecleado,
            &telefono.e164,
            &email.tecleado,
            &email.normal,
            &after.provincia,
            busqueda,
        ),
    )
}
