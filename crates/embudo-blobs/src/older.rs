//! Bytes that an older version of the program kept directly under the folder or the bucket, `leads/<lead>/<blake3>`, where
//! databases could not be told apart.
//!
//! They are read where they are until the database that names them takes them over. Nothing else touches them: what no
//! database names stays as it is.

use futures_util::Stream;
use object_store::ObjectStoreExt;
use object_store::path::Path;

use crate::{BlobError, BlobInfo, Blobs, Kind, LIMIT_BYTES, LIMIT_SHORT, may_hide_absence};
use embudo_domain::{Digest, LeadId};

impl Blobs {
    /// Everything that lies in the older place, whosever it is, in no order.
    pub fn list_older(&self) -> impl Stream<Item = Result<BlobInfo, BlobError>> + Send + 'static {
        self.list_under(self.older_leads())
    }

    /// Moves a blob from the older place to this database's own. At every moment it is in one of the two, so this may be
    /// interrupted, repeated, and done by several processes at once.
    pub async fn take_over(&self, blob: &BlobInfo) -> Result<(), BlobError> {
        let (lead, digest, len) = (blob.lead, blob.digest, blob.size);
        if let Kind::BlobFolder(folder) = &self.0.kind {
            let _writing = folder.writing(lead).await;
            return self.blocking(folder, move |c| c.take_over(lead, &digest, len)).await;
        }
        let (from, to) = (self.older_path(lead, &digest), self.path(lead, &digest));
        let kept = match self.within(LIMIT_SHORT, self.0.store.head(&to)).await {
            Ok(meta) => meta.size == len,
            Err(error @ BlobError::Unavailable { .. }) if !may_hide_absence(&error) => return Err(error),
            Err(_) => false,
        };
        if !kept {
            match self.within(LIMIT_BYTES, self.0.store.copy(&from, &to)).await {
                // Another process was quicker.
                Err(BlobError::Missing) => return Ok(()),
                copied => copied?,
            }
        }
        self.delete_path(&from).await
    }

    pub(crate) fn older_leads(&self) -> Path {
        self.0.older.clone().join("leads")
    }

    pub(crate) fn older_path(&self, lead: LeadId, digest: &Digest) -> Path {
        self.older_leads().join(lead.to_string()).join(digest.to_string())
    }
}
