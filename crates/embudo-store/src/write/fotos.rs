//! Deleting photos, and writing renditions.

use async_trait::async_trait;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, FotoId, LeadId, Timestamp};

use super::{Engine, Load, Lock, Tx, blobs, sql};
use crate::queries::rights::wrote;
use crate::touches::Touch;
use crate::{FotoStore, Result, StoreError};

#[async_trait]
impl<E: Engine> FotoStore for E {
    async fn delete_foto(&self, lead: LeadId, foto: FotoId, at: Timestamp) -> Result<()> {
        let (load, command) = (Load::on(lead.0), (lead, foto, at));
        self.write(load, command, |tx, (lead, foto, at)| Box::pin(delete(tx, *lead, *foto, *at))).await?;
        self.touched().note(lead, Touch::seen());
        Ok(())
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        let (load, command) = (Load::on(rendition.lead.0), (rendition, swept));
        self.write(load, command, |tx, (new, swept)| Box::pin(blobs::save_rendition(tx, new, swept))).await
    }
}

/// Removes a photo and its rendition.
async fn delete(tx: &Tx<'_>, lead: LeadId, foto: FotoId, at: Timestamp) -> Result<()> {
    tx.lock(Lock::Lead(lead)).await?;
    tx.run(wrote(&[lead], at)).await?;
    tx.run_or(sql!("foto/delete.sql", lead: lead.0, id: foto.0), StoreError::FotoNotFound).await?;
    tx.run(sql!("rendicion/delete.sql", lead: lead.0, foto: foto.0)).await.map(drop)
}
