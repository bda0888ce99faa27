//! Reading rows, for both engines: their columns have the same names.

mod access;
mod company_key;
mod empresa;
mod figures;
mod inbox;
mod job;
mod lead;
mod quote;
mod rendition;
mod reply;
mod timeline;
mod visit;

use embudo_domain::{Digest, LeadId};

use crate::Result;
use crate::blob_marks::BlobMark;
use crate::idempotency::KeyRow;
use crate::row::Columns;

pub use access::{audit_entry, credentials, membership, push_device, recipient, session, user};
pub use company_key::{company_key, live_key};
pub use empresa::{brand, empresa, settings, tarifa, tarifa_version};
pub use figures::{issued_quote, lead_count, lead_figures, sums};
pub use inbox::{cursor, desk, inbox, lead_change, lead_facts, nota_interna, projected_facts};
pub use job::{
    delivery_of, due_jobs, job, job_count, job_with_delivery, listed_job, overdue, pause, paused_kind,
    sent_job, standing_count,
};
pub use lead::{
    ImageColumns, calificacion, consentimiento, event, event_in_list, foto, image_columns, intento, lead,
    lead_summary, nota, obra, state_change, turno, utm, watched_loop,
};
pub use quote::{
    blocked_quote, draft, lead_amount, listed_draft, listed_quote, presupuesto, presupuesto_summary,
    quote_delivery,
};
pub use rendition::{RenditionColumns, rendition, rendition_columns};
pub use reply::reply;
pub use timeline::{foto_group, quote_answer};
pub use visit::{agenda, busy, listed_visita, listed_work, visita};

pub fn marked_blob(c: &Columns<'_>) -> Result<(LeadId, Digest)> {
    Ok((LeadId(c.get("lead_id")?), c.get("huella")?))
}

pub fn blob_mark(c: &Columns<'_>) -> Result<BlobMark> {
    Ok(BlobMark { digest: c.get("huella")?, nth: c.get("vez")?, sweep: c.get("barrido")? })
}

/// A stored idempotency key.
pub fn idempotency_key(c: &Columns<'_>) -> Result<KeyRow> {
    Ok(KeyRow {
        cuerpo_sha256: c.get("cuerpo_sha256")?,
        status: c.get("status")?,
        body: c.get("cuerpo")?,
        jobs: c.get("trabajos")?,
        expira_en: c.get("expira_en")?,
    })
}
