//! Leads: their creation and the correction of their contact data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::columns::fill;
use embudo_store::command::{CreateLead, UpdateContacto};
use embudo_store::query::texto_busqueda;
use embudo_store::{Hecho, StoreError};

use tokio_postgres::types::ToSql;

use super::alone::commit;
use super::trabajo::{self, Con};
use super::{evento, idempotencia};
use crate::failure::Step;
use crate::rows::{self, CellParam, Instante, type_name};

/// Creates a lead.
pub(crate) async fn create(pool: &Pool, command: &CreateLead) -> Step<Con> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(key) = &command.idempotencia
        && let Some(before) = idempotencia::take(&tx, key).await?
    {
        return Ok(Con::nada(before));
    }
    insert(&tx, command).await?;
    // Nobody else sees the lead yet, so its jobs need no lock.
    let sueltos = trabajo::insert(&tx, command.id, &command.trabajos, command.en).await?;
    commit(tx).await?;
    Ok(Con { hecho: Hecho::Ahora, sueltos })
}

static INSERT: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/insert.sql"), 21, type_name));

async fn insert(tx: &Transaction<'_>, c: &CreateLead) -> Step<()> {
    let p = &c.perfil;
    let en = Instante::from(c.en);
    // Of a name that stands twice the last value counts, as in a JSON object.
    let utm: BTreeMap<&str, &str> = c.utm.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let (u_nombres, u_valores): (Vec<&str>, Vec<&str>) = utm.into_iter().unzip();
    let k = &c.consentimientos;
    let k_finalidades: Vec<&str> = k.iter().map(|k| k.finalidad.as_str()).collect();
    let k_canales: Vec<Option<&str>> = k.iter().map(|k| k.canal.as_deref()).collect();
    let k_versiones: Vec<&str> = k.iter().map(|k| k.texto_version.as_str()).collect();
    let k_fuentes: Vec<Option<&str>> = k.iter().map(|k| k.fuente.as_deref()).collect();
    let k_otorgados: Vec<bool> = k.iter().map(|k| k.otorgado).collect();
    let k_times: Vec<Instante> = k.iter().map(|k| k.otorgado_en.unwrap_or(c.en).into()).collect();
    let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    let mut historia: Vec<(&str, &str)> = Vec::new();
    historia.extend(estado_wa.map(|estado| ("estado_wa", estado)));
    historia.extend(p.bot_step.as_deref().map(|paso| ("bot_step", paso)));
    let (h_campos, h_valores): (Vec<&str>, Vec<&str>) = historia.into_iter().unzip();

    let empresa = c.empresa.map(|e| e.0);
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![
        &c.id.0,
        &empresa,
        &c.nombre,
        &c.telefono.tecleado,
        &c.telefono.e164,
        &c.email.tecleado,
        &c.email.normal,
        &c.provincia,
        &c.busqueda,
        &en,
        &u_nombres,
        &u_valores,
        &k_finalidades,
        &k_canales,
        &k_versiones,
        &k_fuentes,
        &k_otorgados,
        &k_times,
        &h_campos,
        &h_valores,
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
    nuevos: &[Consentimiento],
    en: Timestamp,
) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let empresa = evento::empresa_of(&tx, lead).await?;
    let finalidades: Vec<&str> = nuevos.iter().map(|k| k.finalidad.as_str()).collect();
    let canales: Vec<Option<&str>> = nuevos.iter().map(|k| k.canal.as_deref()).collect();
    let versiones: Vec<&str> = nuevos.iter().map(|k| k.texto_version.as_str()).collect();
    let fuentes: Vec<Option<&str>> = nuevos.iter().map(|k| k.fuente.as_deref()).collect();
    let otorgados: Vec<bool> = nuevos.iter().map(|k| k.otorgado).collect();
    let times: Vec<Instante> = nuevos.iter().map(|k| k.otorgado_en.unwrap_or(en).into()).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/consentimiento/insert.sql")).await?;
    tx.execute(
        &insert,
        &[
            &lead.0,
            &empresa,
            &Instante::from(en),
            &finalidades,
            &canales,
            &versiones,
            &fuentes,
            &otorgados,
            &times,
        ],
    )
    .await?;
    commit(tx).await
}

/// Corrects contact data, and the search text with it.
pub(crate) async fn update_contacto(pool: &Pool, command: &UpdateContacto) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let get = tx.prepare_cached(include_str!("../../sql/lead/get_contacto.sql")).await?;
    let row = tx.query_opt(&get, &[&command.lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
    let (nombre, telefono, email, provincia) = rows::contacto(&row)?;
    let patch = command.patch.clone();
    let nombre = patch.nombre.unwrap_or(nombre);
    let telefono = patch.telefono.unwrap_or(telefono);
    let email = patch.email.unwrap_or(email);
    let provincia = patch.provincia.or(provincia);
    let busqueda = texto_busqueda(&nombre, &email.tecleado, &telefono.e164, provincia.as_deref());
    let update = tx.prepare_cached(include_str!("../../sql/lead/update_contacto.sql")).await?;
    tx.execute(
        &update,
        &[
            &command.lead.0,
            &nombre,
            &telefono.tecleado,
            &telefono.e164,
            &email.tecleado,
            &email.normal,
            &provincia,
            &busqueda,
            &Instante::from(command.en),
        ],
    )
    .await?;
    commit(tx).await
}
