//! Blobs of leads: the marks of a sweep, the check for swept blobs, and renditions.

use async_trait::async_trait;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, LeadId, Timestamp};

use super::{Load, Lock, Native, Tx, run, sql};
use crate::queries::{Statement, blob as queries, lead as leads};
use crate::{BlobMarkStore, Result, StoreError, rows};

#[async_trait]
impl<E: Native> BlobMarkStore for E {
    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        Native::mark_blob(self, lead, digest, at).await
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        let swept = sql!("blob_marca/swept.sql", lead: lead.0, huella: digest, vez: nth);
        run(self, Load::on(lead.0), swept).await.map(drop)
    }

    async fn purge_marks(&self, before: Timestamp, max: u32) -> Result<u64> {
        Native::purge_marks(self, before, max).await
    }
}

/// Writes the rendition of a photo. Deleting the photo locks the lead too, so the two commands take turns.
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

/// Refuses a blob that a sweep is about to delete, or may have deleted after its bytes were put. `swept` lists the
/// deletions after which the caller put the bytes again. Their traces are not needed any more and are deleted here.
pub(super) async fn check(tx: &Tx<'_>, lead: LeadId, digest: Digest, swept: &[(Digest, i64)]) -> Result<()> {
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
