//! The creation of leads.

use std::collections::BTreeMap;

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::etapa::Etapa;
use embudo_store::columns::fill;
use embudo_store::leads::CreateLead;
use embudo_store::queries::rights;
use embudo_store::write::obra::put as put_obra;
use embudo_store::{Done, StoreError};

use super::alone::{commit, commit_again};
use super::job::{self, WithJobs};
use super::{column, idempotency};
use crate::failure::Step;
use crate::named::Named;
use crate::query::run_in;
use crate::rows::{CellParam, Instant, perfil_params, type_name};
use crate::statement::{OnPool, Sql, params};

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
    // Checked after the insertion: an insertion that waited for an erasure sees it only now.
    if !run_in(&tx, &rights::erasure(command.id)).await?.is_empty() {
        return Err(StoreError::LeadNotFound.into());
    }
    if !command.obra.is_empty() {
        run_in(&tx, &put_obra(command.id, &command.obra)).await?;
    }
    // No other transaction sees the lead yet, so its jobs need no lock.
    let loose = job::insert(&tx, command.id, &command.jobs, command.at).await?;
    commit(tx).await?;
    Ok(WithJobs { done: Done::Now, loose })
}

static INSERT: Sql =
    Sql::new(|| Named::parse(fill(include_str!("../../sql/lead/insert.sql"), type_name).leak()));

async fn insert(tx: &Transaction<'_>, c: &CreateLead) -> Step<()> {
    let p = &c.perfil;
    // If a name occurs twice, its last value counts, as in a JSON object.
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
        importado: c.imported,
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
