//! Which blobs are named by a row, and marks that keep a sweep and an ingestion of the same bytes apart.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::blob_marks::BlobMark;
use embudo_store::leases::Lease;
use embudo_store::{BlobMarkStore, BlobReads, Result};

use super::Memory;
use crate::model::step::Step;

#[async_trait]
impl BlobMarkStore for Memory {
    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        if self.is_held(Lease::Backup) {
            return Ok(None);
        }
        let mut world = self.world();
        let is_marked = world.make(Step::Mark(lead, digest, at))? == "true";
        Ok(is_marked.then(|| world.marks[&(lead, digest)].0.nth))
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        let mut world = self.world();
        let that_one = world.marks.get(&(lead, digest)).is_some_and(|(m, _)| m.nth == nth);
        if that_one { world.make(Step::Sweep(lead, digest)).map(drop) } else { Ok(()) }
    }

    async fn purge_marks(&self, before: Timestamp, max: u32) -> Result<u64> {
        let mut world = self.world();
        let traces = world.marks.iter().filter(|(_, (mark, at))| mark.sweep && *at < before);
        let these: Vec<_> = traces.map(|(k, _)| *k).take(max as usize).collect();
        world.marks.retain(|k, _| !these.contains(k));
        Ok(these.len() as u64)
    }
}

#[async_trait]
impl BlobReads for Memory {
    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        Ok(self.world().in_use(lead, digest))
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        let world = self.world();
        Ok(world.marks.iter().filter(|((of, _), _)| *of == lead).map(|(_, (mark, _))| *mark).collect())
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        Ok(self.world().marked())
    }
}
