//! Rows of visits and calendars.

use embudo_domain::etapa::Etapa;
use embudo_domain::visita::{Busy, Cancelled, Visita, VisitaState};
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId, VisitaId};
use uuid::Uuid;

use crate::Result;
use crate::row::{Columns, damaged};
use crate::visits::{ListedVisita, ListedWork, StoredAgenda};

pub fn visita(c: &Columns<'_>) -> Result<Visita> {
    let slots: Vec<i64> = c.word("huecos", |json| serde_json::from_str(json).ok())?;
    let slots: Option<Vec<Timestamp>> =
        slots.into_iter().map(|micros| Timestamp::from_microsecond(micros).ok()).collect();
    Ok(Visita {
        id: VisitaId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        state: c.word("estado", VisitaState::parse)?,
        revision: c.get("revision")?,
        sequence: c.get("secuencia")?,
        slots: slots.ok_or_else(|| damaged("huecos"))?,
        start: c.get("inicio")?,
        minutes: c.get("minutos")?,
        address: c.get("direccion")?,
        people: c.word("personas", |json| serde_json::from_str(json).ok())?,
        notes: c.get("notas")?,
        measurements: c.get("medidas")?,
        creada_en: c.get("creada_en")?,
        cambiada_en: c.get("cambiada_en")?,
        cancelled: cancelled(c)?,
    })
}

fn cancelled(c: &Columns<'_>) -> Result<Option<Cancelled>> {
    let by = c.get::<Option<Uuid>>("cancelada_por")?.map(UserId);
    Ok(c.get::<Option<Timestamp>>("cancelada_en")?.map(|at| Cancelled { at, by }))
}

pub fn listed_work(c: &Columns<'_>) -> Result<ListedWork> {
    Ok(ListedWork {
        lead: LeadId(c.get("lead_id")?),
        nombre: c.get("nombre")?,
        first: c.get("obra_inicio")?,
        last: c.get("obra_fin")?,
        etapa: c.word("etapa", Etapa::parse)?,
        assigned: c.get::<Option<Uuid>>("asignado_id")?.map(UserId),
    })
}

pub fn listed_visita(c: &Columns<'_>) -> Result<ListedVisita> {
    Ok(ListedVisita { visita: visita(c)?, nombre: c.get("nombre")? })
}

pub fn busy(c: &Columns<'_>) -> Result<Busy> {
    Ok(Busy { visita: VisitaId(c.get("id")?), start: c.get("inicio")?, end: c.get("fin")? })
}

pub fn agenda(c: &Columns<'_>) -> Result<StoredAgenda> {
    let agenda = c.word_opt("datos", |json| serde_json::from_str(json).ok())?;
    let feed = c.get::<Option<_>>("calendario")?.zip(c.get("calendario_en")?);
    Ok(StoredAgenda {
        user: UserId(c.get("usuario_id")?),
        revision: c.get("revision")?,
        agenda: agenda.unwrap_or_default(),
        feed,
    })
}
