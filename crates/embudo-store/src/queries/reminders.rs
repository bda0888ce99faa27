//! What clients may be reminded of.

use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::Etapa;
use embudo_domain::job::JobKind;
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use super::Query;
use crate::read::{QuietLead, Stretch, UnansweredQuote};

pub fn unanswered(
    empresa: EmpresaId,
    stretch: Stretch,
    today: Date,
    after: Option<UnansweredQuote>,
    limit: u32,
) -> Query<UnansweredQuote> {
    let all = Query::new(include_str!("../../sql/presupuesto/list_unanswered.sql"), |c| {
        Ok(UnansweredQuote {
            id: c.get("id").map(PresupuestoId)?,
            lead: c.get("lead_id").map(LeadId)?,
            emitido_en: c.get("emitido_en")?,
        })
    })
    .only("p.empresa_id = :empresa")
    .only("p.estado = :emitido")
    .bind("emitido", PresupuestoState::Emitido.as_str())
    .only("p.emitido_en >= :since")
    .only("p.emitido_en <= :until")
    .only("p.hasta >= :today")
    .bind("today", today)
    .only("e.etapa = :etapa")
    .bind("etapa", Etapa::PresupuestoEnviado.as_str())
    .only(
        "NOT EXISTS (SELECT 1 FROM turno t WHERE t.lead_id = p.lead_id AND t.rol = :user AND t.creado_en > p.emitido_en)",
    )
    .bind("user", Rol::User.as_str())
    .only(&not_reminded("p.lead_id"));
    let all = match after {
        None => all,
        Some(last) => all
            .only("(p.emitido_en, p.id) > (:after, :after_id)")
            .bind("after", last.emitido_en)
            .bind("after_id", last.id.0),
    };
    within(all, empresa, stretch).then("ORDER BY p.emitido_en, p.id LIMIT :limit").bind("limit", limit)
}

pub fn quiet(empresa: EmpresaId, stretch: Stretch, after: Option<QuietLead>, limit: u32) -> Query<QuietLead> {
    let all = Query::new(include_str!("../../sql/lead/list_quiet.sql"), |c| {
        Ok(QuietLead { id: c.get("id").map(LeadId)?, creado_en: c.get("creado_en")? })
    })
    .only("l.empresa_id = :empresa")
    .only("l.creado_en >= :since")
    .only("l.creado_en <= :until")
    .only("l.canal_origen = :canal")
    .bind("canal", CanalOrigen::WebForm.as_str())
    .only("e.etapa = :etapa")
    .bind("etapa", Etapa::Nuevo.as_str())
    .only(&not_reminded("l.id"));
    let all = match after {
        None => all,
        Some(last) => all
            .only("(l.creado_en, l.id) > (:after, :after_id)")
            .bind("after", last.creado_en)
            .bind("after_id", last.id.0),
    };
    within(all, empresa, stretch).then("ORDER BY l.creado_en, l.id LIMIT :limit").bind("limit", limit)
}

fn not_reminded(lead: &str) -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM trabajo r WHERE r.lead_id = {lead} AND r.tipo = :recordatorio AND r.creado_en > :reminded_before)"
    )
}

fn within<T>(all: Query<T>, empresa: EmpresaId, stretch: Stretch) -> Query<T> {
    all.bind("empresa", empresa.0)
        .bind("since", stretch.since)
        .bind("until", stretch.until)
        .bind("recordatorio", JobKind::Reminder.as_str())
        .bind("reminded_before", stretch.reminded_before)
}

pub fn done(scope: &str, key: &str, now: Timestamp) -> Query<bool> {
    Query::new(include_str!("../../sql/idempotencia/done.sql"), |c| c.get("done"))
        .bind("ambito", scope)
        .bind("clave", key)
        .bind("now", now)
}
