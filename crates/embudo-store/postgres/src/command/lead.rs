//! Leads: their creation and the correction of their contact data.

use std::collections::BTreeMap;

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::columns::fill;
use embudo_store::leads::search_text;
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::queries::rights;
use embudo_store::{Done, StoreError};

use super::alone::{commit, commit_again};
use super::job::{self, WithJobs};
use super::{column, event, idempotency, obra};
use crate::failure::Step;
use crate::named::Named;
use crate::query::run_in;
use crate::rows::{self, CellParam, Instant, perfil_params, type_name};
use crate::statement::{OnPool, Sql, params, sql};

/// Creates a lead.
pub(crate) async fn create(pool: &Pool, command: &CreateLead) -> Step<WithJobs> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(key) = &command.idempotency
        && let Some(before) = idempotency::take(&tx, key).await?
    {
        commit_again(tx).await?;
        return Ok(WithJobs::nothing(before));
    }
    insert(&tx, command).await?;
    // Asked after the insertion: one that waited for an erasure sees it only now.
    if !run_in(&tx, &rights::erasure(command.id)).await?.is_empty() {
        return Err(StoreError::LeadNotFound.into());
    }
    if !command.obra.is_empty() {
        obra::put(&tx, command.id, &command.obra).await?;
    }
    // Nobody else sees the lead yet, so its jobs need no lock.
    let loose = job::insert(&tx, command.id, &command.jobs, command.at).await?;
    commit(tx).await?;
    Ok(WithJobs { done: Done::Now, loose })
}

static INSERT: Sql =
    Sql::new(|| Named::parse(fill(include_str!("../../sql/lead/insert.sql"), type_name).leak()));

async fn insert(tx: &Transaction<'_>, c: &CreateLead) -> Step<()> {
    let p = &c.perfil;
    // Of a name that stands twice the last value counts, as in a JSON object.
    let utm: BTreeMap<&str, &str> = c.utm.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let (u_names, u_values): (Vec<&str>, Vec<&str>) = utm.into_iter().unzip();
    let mut history: Vec<(&str, &str)> = Vec::new();
    history.extend(p.estado_wa.map(|state| ("estado_wa", state.as_str())));
    history.extend(p.bot_step.as_deref().map(|step| ("bot_step", step)));
    let k = &c.consentimientos;
    let fixed = params! {
        id: c.id.0,
        empresa: c.empresa.map(|e| e.0),
        nombre: c.nombre,
        telefono: c.telefono.typed,
        telefono_e164: c.telefono.e164,
        email: c.email.typed,
        email_normal: c.email.normal,
        provincia: c.provincia,
        busqueda: c.search,
        now: Instant::from(c.at),
        u_nombre: u_names,
        u_valor: u_values,
        c_finalidad: column(k, |k| k.purpose.as_str()),
        c_canal: column(k, |k| k.channel.as_deref()),
        c_texto_version: column(k, |k| k.texto_version.as_str()),
        c_fuente: column(k, |k| k.source.as_deref()),
        c_otorgado: column(k, |k| k.granted),
        c_otorgado_en: column(k, |k| Instant::from(k.otorgado_en.unwrap_or(c.at))),
        h_campo: column(&history, |(field, _)| *field),
        h_valor: column(&history, |(_, value)| *value),
        etapa: Etapa::Nuevo.as_str(),
    };
    let cells = p.cells().map(|cell| cell.map(CellParam));
    let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&cells)).collect();
    tx.row_opt(&INSERT, &params).await?.ok_or(StoreError::EmpresaNotFound)?;
    Ok(())
}

/// Appends consents to a lead's ledger.
pub(crate) async fn record_consentimientos(
    pool: &Pool,
    lead: LeadId,
    new_ones: &[Consentimiento],
    at: Timestamp,
) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let empresa = event::empresa_of(&tx, lead).await?;
    let params = params! {
        lead: lead.0,
        empresa,
        now: Instant::from(at),
        finalidad: column(new_ones, |k| k.purpose.as_str()),
        canal: column(new_ones, |k| k.channel.as_deref()),
        texto_version: column(new_ones, |k| k.texto_version.as_str()),
        fuente: column(new_ones, |k| k.source.as_deref()),
        otorgado: column(new_ones, |k| k.granted),
        otorgado_en: column(new_ones, |k| Instant::from(k.otorgado_en.unwrap_or(at))),
    };
    tx.execute(sql!("consentimiento/insert.sql"), params).await?;
    commit(tx).await
}

/// Corrects contact data, and the search text with it.
pub(crate) async fn update_contact(pool: &Pool, command: &UpdateContact) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let row = tx.row_opt(sql!("lead/lock_contacto.sql"), params! { lead: command.lead.0 }).await?;
    let (nombre, telefono, email, provincia) = rows::contact(&row.ok_or(StoreError::LeadNotFound)?)?;
    let patch = command.patch.clone();
    let nombre = patch.nombre.unwrap_or(nombre);
    let telefono = patch.telefono.unwrap_or(telefono);
    let email_before = email.normal.clone();
    let email = patch.email.unwrap_or(email);
    if let Some(through) = command.through.filter(|_| email.normal != email_before) {
        for statement in rights::revoke_others(command.lead, through, command.at) {
            run_in(&tx, &statement).await?;
        }
    }
    let provincia = patch.provincia.or(provincia);
    let search = search_text(&nombre, &email.typed, &telefono.e164, provincia.as_deref());
    let params = params! {
        lead: command.lead.0,
        nombre,
        telefono: telefono.typed,
        telefono_e164: telefono.e164,
        email: email.typed,
        email_normal: email.normal,
        provincia,
        busqueda: search,
        now: Instant::from(command.at),
    };
    tx.execute(sql!("lead/update_contacto.sql"), params).await?;
    obra::update(&tx, command.lead, &command.obra).await?;
    commit(tx).await
}
