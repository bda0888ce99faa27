//! Rows of the inbox by their leads, for lists, searches and duplicates.

use embudo_domain::LeadId;

use super::Reader;
use crate::Result;
use crate::inbox::{InboxRow, Viewer};
use crate::queries::inbox;

pub(super) async fn inbox_rows(
    reader: &impl Reader,
    viewer: &Viewer,
    leads: &[LeadId],
) -> Result<Vec<InboxRow>> {
    if leads.is_empty() || viewer.empresas.is_empty() {
        return Ok(Vec::new());
    }
    reader.read(inbox::rows(&viewer.empresas, viewer.who, leads)).await
}
