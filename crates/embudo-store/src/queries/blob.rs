//! The marks of the blob sweep.

use embudo_domain::{Digest, LeadId};

use super::Query;
use crate::blob_marks::BlobMark;
use crate::rows;

/// Whether a row of the lead names the blob: a photo, a rendition or a quote's PDF.
pub fn in_use(lead: LeadId, digest: Digest) -> Query<bool> {
    let text = include_str!("../../sql/blob_marca/in_use.sql");
    Query::new(text, |c| c.get("found")).bind("lead", lead.0).bind("huella", digest)
}

/// The mark or trace of a blob.
pub fn mark(lead: LeadId, digest: Digest) -> Query<BlobMark> {
    let text = include_str!("../../sql/blob_marca/mark.sql");
    Query::new(text, rows::blob_mark).bind("lead", lead.0).bind("huella", digest)
}

/// The marks and traces of a lead.
pub fn marks(lead: LeadId) -> Query<BlobMark> {
    Query::new(include_str!("../../sql/blob_marca/list.sql"), rows::blob_mark).bind("lead", lead.0)
}

/// Every blob that is marked and not yet swept.
pub fn marked() -> Query<(LeadId, Digest)> {
    Query::new(include_str!("../../sql/blob_marca/list_marked.sql"), rows::marked_blob)
}
