//! Lists of leads.

use std::collections::HashMap;

use deadpool_postgres::Pool;
use embudo_domain::ficha::LeadResumen;
use embudo_store::query::{Cursor, FiltroLeads};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::failure::Step;
use crate::rows::{self, Instante};

/// One page, newest first.
pub(crate) async fn list(
    pool: &Pool,
    filtro: &FiltroLeads,
    cursor: Option<Cursor>,
    limit: u32,
) -> Step<Vec<LeadResumen>> {
    let client = pool.get().await?;
    let rows = client
        .query_typed(
            include_str!("../../sql/lead/list.sql"),
            &[
                (&filtro.empresa.map(|e| e.0), Type::UUID),
                (&filtro.telefono_e164, Type::TEXT),
                (&filtro.email_normal, Type::TEXT),
                (&filtro.tipo_reforma.map(embudo_domain::Zona::as_str), Type::TEXT),
                (&filtro.nivel.map(embudo_domain::calificacion::Nivel::as_str), Type::TEXT),
                (&filtro.canal_origen.map(embudo_domain::perfil::CanalOrigen::as_str), Type::TEXT),
                (&filtro.viable, Type::BOOL),
                (&filtro.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str), Type::TEXT),
                (&filtro.texto, Type::TEXT),
                (&filtro.desde.map(Instante::from), Type::TIMESTAMPTZ),
                (&filtro.hasta.map(Instante::from), Type::TIMESTAMPTZ),
                (&cursor.map(|c| Instante::from(c.creado_en)), Type::TIMESTAMPTZ),
                (&cursor.map(|c| c.id.0), Type::UUID),
                (&i64::from(limit), Type::INT8),
            ],
        )
        .await?;
    let mut page = rows.iter().map(rows::lead_resumen).collect::<Step<Vec<_>>>()?;
    if page.is_empty() {
        return Ok(page);
    }
    // Campaign ids never change, so a second question sees the same leads.
    let ids: Vec<Uuid> = page.iter().map(|resumen| resumen.lead.id.0).collect();
    let statement = client.prepare_cached(include_str!("../../sql/utm/list.sql")).await?;
    let mut utm: HashMap<Uuid, Vec<(String, String)>> = HashMap::new();
    for row in client.query(&statement, &[&ids]).await? {
        utm.entry(row.try_get("lead_id")?).or_default().push((row.try_get("nombre")?, row.try_get("valor")?));
    }
    for resumen in &mut page {
        resumen.lead.utm = utm.remove(&resumen.lead.id.0).unwrap_or_default();
    }
    Ok(page)
}
