//! Leads that may be the same person.

use embudo_domain::LeadId;

use super::Reader;
use super::inbox_rows::inbox_rows;
use crate::Result;
use crate::inbox::{InboxRow, MAX_DUPLICATES, Viewer};
use crate::queries::{lead, projection};

pub(super) async fn duplicates(
    reader: &impl Reader,
    viewer: &Viewer,
    leads: &[LeadId],
) -> Result<Vec<InboxRow>> {
    let mut found = Vec::new();
    for lead in leads {
        found.extend(reader.read(lead::some_duplicates(*lead, MAX_FOUND)).await?);
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let principals = reader.read(projection::principals(&found)).await?;
    for lead in &mut found {
        if let Some((_, principal)) = principals.iter().find(|(of, _)| of == lead) {
            *lead = *principal;
        }
    }
    found.retain(|lead| !leads.contains(lead));
    found.sort();
    found.dedup();
    let mut rows = inbox_rows(reader, viewer, &found).await?;
    rows.sort_by_key(|row| (row.summary.lead.creado_en, row.summary.lead.id));
    rows.truncate(MAX_DUPLICATES);
    Ok(rows)
}

/// The maximum of duplicates that are read for each lead: some of them may be united already.
const MAX_FOUND: u32 = 50;
