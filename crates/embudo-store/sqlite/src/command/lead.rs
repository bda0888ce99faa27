//! Leads themselves: created, and their contact data corrected.

use std::sync::LazyLock;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::lead::ContactPatch;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::columns::{fill, untyped};
use embudo_store::leads::search_text;
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::queries;
use embudo_store::{Done, StoreError};
use rusqlite::{Connection, named_params};

use super::{etapa, execute, execute_on_lead, job, obra, once, record_state, rights};
use crate::failure::Step;
use crate::query::{first, run_first};
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
            obra::put(connection, command.id, &command.obra)?;
        }
        for (nombre, value) in &command.utm {
            execute(
                connection,
                include_str!("../../sql/utm/insert.sql"),
                named_params! {":lead": command.id.0, ":nombre": nombre, ":valor": value},
            )?;
        }
        consentimientos(connection, command.id, &command.consentimientos, command.at)?;
        let p = &command.perfil;
        let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
        record_state(connection, command.id, estado_wa, p.bot_step.as_deref(), command.at)?;
        job::insert_all(connection, command.id, &command.jobs, command.at).map(drop)
    })
}

/// Appends consents.
fn consentimientos(
    connection: &Connection,
    lead: LeadId,
    consentimientos: &[Consentimiento],
    at: Timestamp,
) -> Step<()> {
    for c in consentimientos {
        execute_on_lead(
            connection,
            include_str!("../../sql/consentimiento/insert.sql"),
            named_params! {
                ":lead": lead.0,
                ":finalidad": c.purpose,
                ":canal": c.channel,
                ":texto_version": c.texto_version,
                ":fuente": c.source,
                ":otorgado": c.granted,
                ":otorgado_en": c.otorgado_en.unwrap_or(at).as_microsecond(),
                ":now": at.as_microsecond(),
            },
        )?;
    }
    Ok(())
}

/// Appends consents to the ledger of a lead that may not exist.
pub(crate) fn record_consentimientos(
    connection: &Connection,
    lead: LeadId,
    new_ones: &[Consentimiento],
    at: Timestamp,
) -> Step<()> {
    if run_first(connection, &queries::lead::exists(lead))? != Some(true) {
        return Err(StoreError::LeadNotFound.into());
    }
    consentimientos(connection, lead, new_ones, at)
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
    };
    let cells = command.perfil.cells().map(CellParam);
    let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&cells)).collect();
    match execute(connection, &CREATE, &params[..])? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Contact data as it stands, or as it will stand.
struct Contact {
    nombre: String,
    telefono: Telefono,
    email: Email,
    provincia: Option<String>,
}

impl Contact {
    fn with(self, patch: ContactPatch) -> Self {
        Self {
            nombre: patch.nombre.unwrap_or(self.nombre),
            telefono: patch.telefono.unwrap_or(self.telefono),
            email: patch.email.unwrap_or(self.email),
            provincia: patch.provincia.or(self.provincia),
        }
    }
}

/// Corrects contact data and what the lead is found by.
pub(crate) fn update_contact(connection: &Connection, command: UpdateContact) -> Step<()> {
    let sql = include_str!("../../sql/lead/lock_contacto.sql");
    let before = first(connection, sql, (command.lead.0,), |c| {
        Ok(Contact {
            nombre: c.get("nombre")?,
            telefono: Telefono { typed: c.get("telefono")?, e164: c.get("telefono_e164")? },
            email: Email { typed: c.get("email")?, normal: c.get("email_normal")? },
            provincia: c.get("provincia")?,
        })
    })?;
    let before = before.ok_or(StoreError::LeadNotFound)?;
    let email_before = before.email.normal.clone();
    let after = before.with(command.patch);
    let (telefono, email) = (&after.telefono, &after.email);
    let search = search_text(&after.nombre, &email.typed, &telefono.e164, after.provincia.as_deref());
    if let Some(through) = command.through.filter(|_| after.email.normal != email_before) {
        rights::all(connection, &queries::rights::revoke_others(command.lead, through, command.at))?;
    }
    obra::update(connection, command.lead, &command.obra)?;
    execute_on_lead(
        connection,
        include_str!("../../sql/lead/update_contacto.sql"),
        named_params! {
            ":lead": command.lead.0,
            ":now": command.at.as_microsecond(),
            ":nombre": after.nombre,
            ":telefono": telefono.typed,
            ":telefono_e164": telefono.e164,
            ":email": email.typed,
            ":email_normal": email.normal,
            ":provincia": after.provincia,
            ":busqueda": search,
        },
    )
}
