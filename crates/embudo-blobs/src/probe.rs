//! Checks whether bytes can be stored: writes, reads and deletes a probe.

use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};

use crate::folder::PROBE;
use crate::s3::Patience;
use crate::{BlobError, Blobs, Inner, Kind, LIMIT_SHORT, S3Config, local_store};

impl Blobs {
    /// Checks whether an existing folder can store bytes, without creating anything in it except a probe.
    pub async fn check_folder(path: &FilePath) -> Result<(), BlobError> {
        let place = path.display().to_string();
        let (store, base) = (local_store(path, &place)?, Path::default());
        Self(Arc::new(Inner { store, base, place, kind: Kind::Plain })).check().await
    }

    /// Checks whether a bucket can store bytes.
    pub async fn check_s3(config: &S3Config) -> Result<(), BlobError> {
        let (store, base) = (Arc::new(config.connect(Patience::Short)?), config.base()?);
        let place = config.place();
        Self(Arc::new(Inner { store, base, place, kind: Kind::S3(Patience::Short) })).check().await
    }

    /// Writes, reads and deletes a probe, for `doctor` and readiness. The error says what to fix.
    pub async fn check(&self) -> Result<(), BlobError> {
        let path = self.0.base.clone().join(format!("{PROBE}{}", uuid::Uuid::new_v4()));
        let probe = Bytes::from_static(b"embudo");
        let store = &self.0.store;
        let result = self
            .within(LIMIT_SHORT, async {
                store.put(&path, PutPayload::from_bytes(probe.clone())).await?;
                store.get(&path).await?.bytes().await
            })
            .await;
        // The probe is deleted even after a failed write or read, because it may exist nevertheless.
        let removed = self.within(LIMIT_SHORT, store.delete(&path)).await;
        let read = result.map_err(|error| error.never_missing(&self.0.place))?;
        removed.map_err(|error| error.never_missing(&self.0.place))?;
        if read == probe {
            return Ok(());
        }
        Err(BlobError::Unavailable {
            place: self.0.place.clone(),
            reason: "a probe came back with other bytes".to_owned(),
            mend: "check the disk or the storage server",
        })
    }
}
