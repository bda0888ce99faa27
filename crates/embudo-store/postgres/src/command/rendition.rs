//! What was made of photos.

use deadpool_postgres::Pool;
use embudo_domain::Digest;
use embudo_domain::rendition::{Rendition, RenditionOutcome};
use embudo_store::StoreError;
use uuid::Uuid;

use super::alone::commit;
use super::blob;
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Writes what was made of a photo. The photo's row is held, so that it cannot go without what was made of it.
pub(crate) async fn save_rendition(pool: &Pool, r: &Rendition, swept: &[(Digest, i64)]) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    tx.execute(sql!("blob_marca/share.sql"), params! { lock: blob::sweep_lock(r.lead) }).await?;
    let row = tx.row_opt(sql!("foto/hold.sql"), params! { lead: r.lead.0, id: r.foto.0 }).await?;
    let empresa: Uuid = row.ok_or(StoreError::FotoNotFound)?.try_get("empresa_id")?;
    let digests: Vec<Digest> = r.digests().collect();
    blob::check(&tx, r.lead, &digests, swept).await?;
    let (done, reason) = match &r.result {
        RenditionOutcome::Done(derived) => (Some(derived), None),
        RenditionOutcome::Failed(reason) => (None, Some(reason)),
    };
    let rendition = params! {
        lead: r.lead.0,
        foto: r.foto.0,
        empresa,
        copia: r.copy.as_ref().map(|h| h.0.as_slice()),
        impresion: done.map(|d| d.print.0.as_slice()),
        ancho: done.map(|d| i64::from(d.width)),
        alto: done.map(|d| i64::from(d.height)),
        miniatura: done.map(|d| d.thumbnail.0.as_slice()),
        motivo: reason,
        creado_en: Instant::from(r.creada_en),
    };
    tx.execute(sql!("rendicion/upsert.sql"), rendition).await?;
    commit(tx).await
}
