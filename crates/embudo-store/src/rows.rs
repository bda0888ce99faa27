//! Reading rows, for both engines: their columns have the same names.

mod access;
mod company_key;
mod figures;
mod inbox;
mod job;
mod lead;
mod quote;
mod reply;
mod timeline;
mod visit;

use embudo_domain::empresa::Empresa;
use embudo_domain::notice::Topics;
use embudo_domain::{Digest, EmpresaId, LeadId};

use crate::Result;
use crate::blob_marks::BlobMark;
use crate::idempotency::KeyRow;
use crate::row::Columns;

pub use access::{audit_entry, credentials, membership, push_device, recipient, session, user};
pub use company_key::{company_key, live_key};
pub use figures::{issued_quote, lead_count, lead_figures, sums};
pub use inbox::{cursor, desk, inbox, lead_change, lead_facts, nota_interna, projected_facts};
pub use job::{
    delivery_of, due_jobs, job, job_count, job_with_delivery, listed_job, overdue, pause, sent_job,
    standing_count,
};
pub use lead::{
    ImageColumns, calificacion, consentimiento, event, event_in_list, foto, image_columns, intento, lead,
    lead_summary, nota, obra, state_change, turno, utm, watched_loop,
};
pub use quote::{
    RenditionColumns, blocked_quote, brand, draft, lead_amount, listed_draft, listed_quote, presupuesto,
    presupuesto_summary, quote_delivery, rendition, rendition_columns, settings, tarifa, tarifa_version,
};
pub use reply::reply;
pub use timeline::{foto_group, quote_answer};
pub use visit::{agenda, busy, listed_visita, listed_work, visita};

pub fn empresa(c: &Columns<'_>) -> Result<Empresa> {
    Ok(Empresa {
        id: EmpresaId(c.get("id")?),
        nombre: c.get("nombre")?,
        slug: c.get("slug")?,
        por_defecto: c.get("por_defecto")?,
        email_avisos: c.get("email_avisos")?,
        notices: c.get("avisos")?,
        topics: c.word("avisos_elegidos", Topics::parse)?,
        personal_topics: c.word("avisos_personas", Topics::parse)?,
    })
}

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
