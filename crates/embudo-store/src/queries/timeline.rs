//! A lead's timeline, kind by kind: one page of each, newest first.

use embudo_domain::job::Delivery;
use embudo_domain::timeline::{Moment, MomentKind, TimelineCursor};
use embudo_domain::{JobId, LeadId};

use super::{Meaning, Query, unindexed};
use crate::row::Columns;
use crate::rows;

/// How the entries of a kind are read.
struct Source {
    text: &'static str,
    lead: &'static str,
    at: String,
    /// The columns that order entries of the same instant, the latest first.
    then: &'static str,
    read: Meaning<Moment>,
}

macro_rules! meaning {
    ($variant:ident, $read:path) => {
        |c: &Columns<'_>| $read(c).map(Moment::$variant)
    };
}

fn source(kind: MomentKind) -> Source {
    let plain = |text, read| {
        let at = "creado_en".to_owned();
        Source { text, lead: "lead_id = :lead", at, then: "n DESC", read }
    };
    match kind {
        // A reply that was recorded is shown instead of its turn.
        MomentKind::Turno => Source {
            lead: "lead_id = :lead AND NOT EXISTS (SELECT 1 FROM mensaje m WHERE m.lead_id = :lead AND m.turno_id = turno.id)",
            ..plain(include_str!("../../sql/turno/recent.sql"), meaning!(Turno, rows::turno))
        },
        MomentKind::Reply => Source {
            lead: "m.lead_id = :lead",
            at: unindexed("m.creado_en"),
            then: "m.n DESC",
            ..plain(include_str!("../../sql/mensaje/recent.sql"), meaning!(Reply, rows::reply))
        },
        MomentKind::Nota => plain(include_str!("../../sql/nota/recent.sql"), meaning!(Nota, rows::nota)),
        // There are few internal notes, so they are found by the lead and sorted.
        MomentKind::NotaInterna => {
            let text = include_str!("../../sql/nota_interna/recent.sql");
            Source { at: unindexed("creado_en"), ..plain(text, meaning!(NotaInterna, rows::nota_interna)) }
        }
        MomentKind::Intento => {
            plain(include_str!("../../sql/intento/recent.sql"), meaning!(Intento, rows::intento))
        }
        MomentKind::Event => plain(include_str!("../../sql/evento/recent.sql"), meaning!(Event, rows::event)),
        MomentKind::State => {
            plain(include_str!("../../sql/estado_historia/recent.sql"), meaning!(State, rows::state_change))
        }
        MomentKind::Consentimiento => {
            let text = include_str!("../../sql/consentimiento/recent.sql");
            let at = "otorgado_en".to_owned();
            Source { at, ..plain(text, meaning!(Consentimiento, rows::consentimiento)) }
        }
        MomentKind::Fotos => {
            let text = include_str!("../../sql/foto/recent.sql");
            Source { then: "zona, momento", ..plain(text, meaning!(Fotos, rows::foto_group)) }
        }
        // A lead has few jobs: they are found by the lead and then sorted.
        MomentKind::Job => {
            let text = include_str!("../../sql/trabajo/recent.sql");
            let at = unindexed("creado_en");
            Source { at, then: "id DESC", ..plain(text, meaning!(Job, rows::sent_job)) }
        }
        MomentKind::Presupuesto => {
            let text = include_str!("../../sql/presupuesto/recent.sql");
            Source {
                lead: "p.lead_id = :lead",
                at: "p.creado_en".to_owned(),
                then: "p.version DESC",
                ..plain(text, |c: &Columns<'_>| {
                    Ok(Moment::Presupuesto(Box::new(rows::presupuesto_summary(c)?)))
                })
            }
        }
        MomentKind::Answer => Source {
            text: include_str!("../../sql/presupuesto_respuesta/recent.sql"),
            lead: "p.lead_id = :lead",
            at: "r.creado_en".to_owned(),
            then: "r.n DESC",
            read: meaning!(Answer, rows::quote_answer),
        },
    }
}

/// The entries of one kind, newest first, after a position.
pub fn page(lead: LeadId, kind: MomentKind, before: Option<TimelineCursor>, limit: u32) -> Query<Moment> {
    let Source { text, lead: of_lead, at, then, read } = source(kind);
    let (is_inclusive, skip) = before.map_or((true, 0), |place| place.rest_of(kind, lead));
    let older = if is_inclusive { format!("{at} <= :before") } else { format!("{at} < :before") };
    Query::new(text, read)
        .only(of_lead)
        .bind("lead", lead.0)
        .only_if(&older, "before", before.map(|place| place.at))
        .then(&format!("ORDER BY {at} DESC, {then} LIMIT :limit OFFSET :skip"))
        .bind("limit", limit)
        .bind("skip", skip)
}

/// The attempts at these jobs (at least one), the latest first.
pub fn deliveries(jobs: &[JobId]) -> Query<(JobId, Delivery)> {
    Query::new(include_str!("../../sql/entrega/list.sql"), rows::delivery_of)
        .only_in("trabajo_id", jobs.iter().map(|job| job.0))
        .then("ORDER BY n DESC")
}

/// The last consents.
pub fn consents(lead: LeadId, limit: u32) -> Query<embudo_domain::consentimiento::Consentimiento> {
    Query::new(include_str!("../../sql/consentimiento/recent.sql"), rows::consentimiento)
        .only("lead_id = :lead")
        .bind("lead", lead.0)
        .then("ORDER BY n DESC LIMIT :limit")
        .bind("limit", limit)
}
