//! Lists of leads.

use std::collections::HashMap;

use deadpool_postgres::Pool;
use embudo_domain::record::LeadSummary;
use embudo_store::query::{Cursor, LeadFilter};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::failure::Step;
use crate::rows::{self, Instant};

/// One page, newest first.
pub(crate) async fn list(
    pool: &Pool,
    filter: &LeadFilter,
    cursor: Option<Cursor>,
    limit: u32,
) -> Step<Vec<LeadSummary>> {
    let client = pool.get().await?;
    let rows = client
        .query_typed(
            include_str!("../../sql/lead/list.sql"),
            &[
                (&filter.empresa.map(|e| e.0), Type::UUID),
                (&filter.telefono_e164, Type::TEXT),
                (&filter.email_normal, Type::TEXT),
                (&filter.tipo_reforma.map(embudo_domain::Zona::as_str), Type::TEXT),
                (&filter.nivel.map(embudo_domain::calificacion::Nivel::as_str), Type::TEXT),
                (&filter.canal_origen.map(embudo_domain::perfil::CanalOrigen::as_str), Type::TEXT),
                (&filter.viable, Type::BOOL),
                (&filter.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str), Type::TEXT),
                (&filter.text, Type::TEXT),
                (&filter.since.map(Instant::from), Type::TIMESTAMPTZ),
                (&filter.until.map(Instant::from), Type::TIMESTAMPTZ),
                (&cursor.map(|c| Instant::from(c.creado_en)), Type::TIMESTAMPTZ),
                (&cursor.map(|c| c.id.0), Type::UUID),
                (&i64::from(limit), Type::INT8),
            ],
        )
        .await?;
    let mut page = rows.iter().map(rows::lead_summary).collect::<Step<Vec<_>>>()?;
    if page.is_empty() {
        return Ok(page);
    }
    // Campaign ids never change, so a second question sees the same leads.
    let ids: Vec<Uuid> = page.iter().map(|summary| summary.lead.id.0).collect();
    let statement = client.prepare_cached(include_str!("../../sql/utm/list.sql")).await?;
    let mut utm: HashMap<Uuid, Vec<(String, String)>> = HashMap::new();
    for row in client.query(&statement, &[&ids]).await? {
        utm.entry(row.try_get("lead_id")?).or_default().push((row.try_get("nombre")?, row.try_get("valor")?));
    }
    for summary in &mut page {
        summary.lead.utm = utm.remove(&summary.lead.id.0).unwrap_or_default();
    }
    Ok(page)
}
