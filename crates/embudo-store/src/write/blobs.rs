//! Blobs of leads, beside the sweep: what was made of photos, and what was swept.

use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, LeadId};

use super::{Engine, Load, Lock, Tx, run, sql};
use crate::queries::{Statement, blob as queries, lead as leads};
use crate::{Result, StoreError, rows};

/// Turns this very mark into a trace of its deletion.
pub async fn blob_swept(engine: &impl Engine, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
    let swept = sql!("blob_marca/swept.sql", lead: lead.0, huella: digest, vez: nth);
    run(engine, Load::on(lead.0), swept).await.map(drop)
}

/// Writes what was made of a photo. Whoever takes the photo away locks the lead too.
pub(super) async fn save_rendition(
    tx: &Tx<'_>,
    rendition: &Rendition,
    swept: &[(Digest, i64)],
) -> Result<()> {
    let lead = rendition.lead;
    tx.lock(Lock::Lead(lead)).await?;
    tx.lock(Lock::Blobs(lead)).await?;
    tx.first(leads::foto(lead, rendition.foto)).await?.ok_or(StoreError::FotoNotFound)?;
    for digest in rendition.digests() {
        check(tx, lead, digest, swept).await?;
    }
    tx.run(upsert(rendition)).await.map(drop)
}

/// Refuses a blob that is being swept, or was swept since its bytes were put. A trace that the call knows of has done its
/// service and goes.
async fn check(tx: &Tx<'_>, lead: LeadId, digest: Digest, swept: &[(Digest, i64)]) -> Result<()> {
    match tx.first(queries::mark(lead, digest)).await? {
        None => Ok(()),
        Some(mark) if mark.sweep && swept.contains(&(digest, mark.nth)) => {
            tx.run(sql!("blob_marca/drop.sql", lead: lead.0, huella: digest)).await.map(drop)
        }
        Some(_) => Err(StoreError::BlobMarked),
    }
}

fn upsert(rendition: &Rendition) -> Statement {
    let (impresion, ancho, alto, miniatura, motivo) = rows::rendition_columns(&rendition.result);
    sql!(
        "rendicion/upsert.sql",
        lead: rendition.lead.0,
        foto: rendition.foto.0,
        copia: rendition.copy,
        impresion,
        ancho,
        alto,
        miniatura,
        motivo,
        creado_en: rendition.creada_en,
    )
}
