//! Leads: their creation and the correction of their contact data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::columns::fill;
use embudo_store::leads::search_text;
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::{Done, StoreError};

use tokio_postgres::types::ToSql;

use super::alone::commit;
use super::job::{self, WithJobs};
use super::{event, idempotency};
use crate::failure::Step;
use crate::rows::{self, CellParam, Instant, type_name};

/// Creates a lead.
pub(crate) async fn create(pool: &Pool, command: &CreateLead) -> Step<WithJobs> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(key) = &command.idempotency
        && let Some(before) = idempotency::take(&tx, key).await?
    {
        return Ok(WithJobs::nothing(before));
    }
    insert(&tx, command).await?;
    // Nobody else sees the lead yet, so its jobs need no lock.
    let loose = job::insert(&tx, command.id, &command.jobs, command.at).await?;
    commit(tx).await?;
    Ok(WithJobs { done: Done::Now, loose })
}

static INSERT: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/insert.sql"), 22, type_name));

async fn insert(tx: &Transaction<'_>, c: &CreateLead) -> Step<()> {
    let p = &c.perfil;
    let at = Instant::from(c.at);
    // Of a name that stands twice the last value counts, as in a JSON object.
    let utm: BTreeMap<&str, &str> = c.utm.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let (u_names, u_values): (Vec<&str>, Vec<&str>) = utm.into_iter().unzip();
    let k = &c.consentimientos;
    let k_purposes: Vec<&str> = k.iter().map(|k| k.purpose.as_str()).collect();
    let k_channels: Vec<Option<&str>> = k.iter().map(|k| k.channel.as_deref()).collect();
    let k_versions: Vec<&str> = k.iter().map(|k| k.texto_version.as_str()).collect();
    let k_fuentes: Vec<Option<&str>> = k.iter().map(|k| k.source.as_deref()).collect();
    let k_granted: Vec<bool> = k.iter().map(|k| k.granted).collect();
    let k_times: Vec<Instant> = k.iter().map(|k| k.otorgado_en.unwrap_or(c.at).into()).collect();
    let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    let mut history: Vec<(&str, &str)> = Vec::new();
    history.extend(estado_wa.map(|state| ("estado_wa", state)));
    history.extend(p.bot_step.as_deref().map(|step| ("bot_step", step)));
    let (h_campos, h_values): (Vec<&str>, Vec<&str>) = history.into_iter().unzip();

    let (empresa, new) = (c.empresa.map(|e| e.0), Etapa::Nuevo.as_str());
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![
        &c.id.0,
        &empresa,
        &c.nombre,
        &c.telefono.typed,
        &c.telefono.e164,
        &c.email.typed,
        &c.email.normal,
        &c.provincia,
        &c.search,
        &at,
        &u_names,
        &u_values,
        &k_purposes,
        &k_channels,
        &k_versions,
        &k_fuentes,
        &k_granted,
        &k_times,
        &h_campos,
        &h_values,
        &new,
    ];
    let cells = p.cells().map(|cell| cell.map(CellParam));
    parameters.extend(cells.iter().map(|cell| cell as &(dyn ToSql + Sync)));
    let statement = tx.prepare_cached(&INSERT).await?;
    let row = tx.query_opt(&statement, &parameters).await?;
    row.ok_or(StoreError::EmpresaNotFound)?;
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
    let purposes: Vec<&str> = new_ones.iter().map(|k| k.purpose.as_str()).collect();
    let channels: Vec<Option<&str>> = new_ones.iter().map(|k| k.channel.as_deref()).collect();
    let versions: Vec<&str> = new_ones.iter().map(|k| k.texto_version.as_str()).collect();
    let fuentes: Vec<Option<&str>> = new_ones.iter().map(|k| k.source.as_deref()).collect();
    let granted: Vec<bool> = new_ones.iter().map(|k| k.granted).collect();
    let times: Vec<Instant> = new_ones.iter().map(|k| k.otorgado_en.unwrap_or(at).into()).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/consentimiento/insert.sql")).await?;
    tx.execute(
        &insert,
        &[&lead.0, &empresa, &Instant::from(at), &purposes, &channels, &versions, &fuentes, &granted, &times],
    )
    .await?;
    commit(tx).await
}

/// Corrects contact data, and the search text with it.
pub(crate) async fn update_contact(pool: &Pool, command: &UpdateContact) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let get = tx.prepare_cached(include_str!("../../sql/lead/lock_contacto.sql")).await?;
    let row = tx.query_opt(&get, &[&command.lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
    let (nombre, telefono, email, provincia) = rows::contact(&row)?;
    let patch = command.patch.clone();
    let nombre = patch.nombre.unwrap_or(nombre);
    let telefono = patch.telefono.unwrap_or(telefono);
    let email = patch.email.unwrap_or(email);
    let provincia = patch.provincia.or(provincia);
    let search = search_text(&nombre, &email.typed, &telefono.e164, provincia.as_deref());
    let update = tx.prepare_cached(include_str!("../../sql/lead/update_contacto.sql")).await?;
    tx.execute(
        &update,
        &[
            &command.lead.0,
            &nombre,
            &telefono.typed,
            &telefono.e164,
            &email.typed,
            &email.normal,
            &provincia,
            &search,
            &Instant::from(command.at),
        ],
    )
    .await?;
    commit(tx).await
}
