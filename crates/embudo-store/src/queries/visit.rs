//! Visits and calendars.

use embudo_domain::etapa::Etapa;
use embudo_domain::visita::{Busy, Visita, VisitaState};
use embudo_domain::{Digest, EmpresaId, LeadId, Timestamp, UserId, VisitaId};
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::Query;
use crate::desk::MAX_WORK_DAYS;
use crate::inbox::UpcomingVisit;
use crate::row::Columns;
use crate::rows;
use crate::visits::{ListedVisita, ListedWork, StoredAgenda};

pub fn get(id: VisitaId) -> Query<Visita> {
    all().only("id = :id").bind("id", id.0)
}

pub fn of_lead(lead: LeadId, id: VisitaId) -> Query<Visita> {
    all().only("lead_id = :lead").bind("lead", lead.0).only("id = :id").bind("id", id.0)
}

/// A lead's visits, newest change first. There are few: they are sorted by an expression, so that no planner scans
/// another index for the order.
pub fn all_of_lead(lead: LeadId, limit: u32) -> Query<Visita> {
    all()
        .only("lead_id = :lead")
        .bind("lead", lead.0)
        .then("ORDER BY coalesce(cambiada_en, cambiada_en) DESC, id LIMIT :limit")
        .bind("limit", limit)
}

fn all() -> Query<Visita> {
    Query::new(include_str!("../../sql/visita/list.sql"), rows::visita)
}

/// A company's visits that begin from one moment to another, in order.
pub fn calendar(empresa: EmpresaId, from: Timestamp, to: Timestamp, limit: u32) -> Query<ListedVisita> {
    of_empresa(empresa)
        .only("v.inicio >= :from")
        .bind("from", from)
        .only("v.inicio < :to")
        .bind("to", to)
        .then("ORDER BY v.inicio, v.id LIMIT :limit")
        .bind("limit", limit)
}

/// A company's accepted work that takes place between two days, the second not included, by its first day.
pub fn works(empresa: EmpresaId, from: Date, to: Date, limit: u32) -> Query<ListedWork> {
    Query::new(include_str!("../../sql/lead_gestion/works.sql"), rows::listed_work)
        .bind("empresa", empresa.0)
        .bind("since", from.saturating_sub(i64::from(MAX_WORK_DAYS).days()))
        .bind("from", from)
        .bind("to", to)
        .bind("aceptado", Etapa::Aceptado.as_str())
        .bind("en_obra", Etapa::EnObra.as_str())
        .bind("terminado", Etapa::Terminado.as_str())
        .bind("limit", limit)
}

/// A company's agreed visits that begin before a moment and are not over, by their start.
pub fn upcoming(empresa: EmpresaId, now: Timestamp, until: Timestamp, limit: u32) -> Query<UpcomingVisit> {
    let read =
        |c: &Columns<'_>| Ok(UpcomingVisit { lead: LeadId(c.get("lead_id")?), start: c.get("inicio")? });
    Query::new(include_str!("../../sql/visita/upcoming.sql"), read)
        .bind("empresa", empresa.0)
        .bind("confirmada", VisitaState::Confirmada.as_str())
        .bind("since", now.saturating_sub(LONGEST_VISIT).unwrap_or(Timestamp::MIN))
        .bind("now", now)
        .bind("until", until)
        .bind("limit", limit)
}

/// No visit lasts longer.
const LONGEST_VISIT: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

/// A company's visits that have no agreed time yet, newest first.
pub fn proposed(empresa: EmpresaId, limit: u32) -> Query<ListedVisita> {
    of_empresa(empresa)
        .only("v.estado = :estado")
        .bind("estado", VisitaState::Propuesta.as_str())
        .then("ORDER BY v.cambiada_en DESC, v.id DESC LIMIT :limit")
        .bind("limit", limit)
}

fn of_empresa(empresa: EmpresaId) -> Query<ListedVisita> {
    Query::new(include_str!("../../sql/visita/list_of_empresa.sql"), rows::listed_visita)
        .only("v.empresa_id = :empresa")
        .bind("empresa", empresa.0)
}

/// The visits in a person's calendar, the latest first.
pub fn of_person(user: UserId, from: Timestamp, limit: u32) -> Query<ListedVisita> {
    Query::new(include_str!("../../sql/visita/list_of_person.sql"), rows::listed_visita)
        .only("p.usuario_id = :usuario")
        .bind("usuario", user.0)
        .only("p.fin > :from")
        .bind("from", from)
        .then("ORDER BY p.fin DESC LIMIT :limit")
        .bind("limit", limit)
}

/// The times of these people's agreed visits that overlap with the given time.
pub fn busy(people: &[UserId], from: Timestamp, to: Timestamp) -> Query<Busy> {
    Query::new(include_str!("../../sql/visita/busy.sql"), rows::busy)
        .only_among("p.usuario_id", "usuario", people.iter().map(|user| user.0))
        .only("p.fin > :from")
        .bind("from", from)
        .only("v.inicio < :to")
        .bind("to", to)
        .only("v.estado = :estado")
        .bind("estado", VisitaState::Confirmada.as_str())
        .then("ORDER BY v.inicio LIMIT :limit")
        .bind("limit", crate::visits::MAX_LISTED)
}

pub fn passed(now: Timestamp, limit: u32) -> Query<LeadId> {
    Query::new(include_str!("../../sql/visita/passed.sql"), |c| c.get("lead_id").map(LeadId))
        .bind("now", now)
        .bind("limit", limit)
}

pub fn agendas(people: &[UserId]) -> Query<StoredAgenda> {
    Query::new(include_str!("../../sql/agenda/list.sql"), rows::agenda)
        .only_in("usuario_id", people.iter().map(|user| user.0))
}

pub fn feed(secret: Digest) -> Query<StoredAgenda> {
    Query::new(include_str!("../../sql/agenda/list.sql"), rows::agenda)
        .only("calendario = :calendario")
        .bind("calendario", secret)
}
