//! Drafts, and the drafts that quotes were made from.

use embudo_domain::{AuditId, EmpresaId, LeadId, PresupuestoId, Timestamp};

use super::Query;
use crate::drafts::{DraftReason, DraftStretch, ListedDraft, StoredDraft};
use crate::row::Columns;
use crate::rows;

pub fn get(id: PresupuestoId) -> Query<StoredDraft> {
    whole().only("id = :id").bind("id", id.0)
}

/// The lead's draft.
pub fn of_lead(lead: LeadId) -> Query<StoredDraft> {
    whole().only("lead_id = :lead").bind("lead", lead.0)
}

/// The stretch in which a draft was last saved.
pub fn stretch(id: PresupuestoId) -> Query<DraftStretch> {
    let text = include_str!("../../sql/borrador/tramo.sql");
    let row = |c: &Columns<'_>| {
        Ok(DraftStretch { entry: AuditId(c.get("tramo_apunte")?), before: c.get("tramo_hoja")? })
    };
    Query::new(text, row).bind("id", id.0)
}

fn whole() -> Query<StoredDraft> {
    Query::new(include_str!("../../sql/borrador/list.sql"), rows::draft)
}

/// A company's drafts with one reason, those saved last first, after the last one of the previous page.
pub fn of_empresa(
    empresa: EmpresaId,
    reason: DraftReason,
    after: Option<(Timestamp, PresupuestoId)>,
    limit: u32,
) -> Query<ListedDraft> {
    let all = Query::new(include_str!("../../sql/borrador/list_of_empresa.sql"), rows::listed_draft)
        .only("b.empresa_id = :empresa")
        .bind("empresa", empresa.0)
        .only("b.motivo = :reason")
        .bind("reason", reason.as_str().to_owned());
    let all = match after {
        Some((at, id)) => all.only("(b.guardado_en, b.id) < (:at, :id)").bind("at", at).bind("id", id.0),
        None => all,
    };
    all.then("ORDER BY b.guardado_en DESC, b.id DESC LIMIT :limit").bind("limit", i64::from(limit))
}

/// The draft from which a quote was made: its own, or else the newest one of the versions before it, from whose lines
/// it was made.
pub fn of_quote(quote: PresupuestoId) -> Query<(PresupuestoId, String)> {
    sent_drafts()
        .only("lead_id = (SELECT q.lead_id FROM presupuesto q WHERE q.id = :id AND q.version >= presupuesto.version)")
        .bind("id", quote.0)
        .then("ORDER BY version DESC LIMIT 1")
}

/// The draft of the lead's newest quote that has one.
pub fn last_sent(lead: LeadId) -> Query<(PresupuestoId, String)> {
    sent_drafts().only("lead_id = :lead").bind("lead", lead.0).then("ORDER BY version DESC LIMIT 1")
}

fn sent_drafts() -> Query<(PresupuestoId, String)> {
    let read: super::Meaning<_> = |c| Ok((PresupuestoId(c.get("id")?), c.get("hoja")?));
    Query::new("SELECT id, hoja FROM presupuesto\n", read).only("hoja IS NOT NULL")
}
