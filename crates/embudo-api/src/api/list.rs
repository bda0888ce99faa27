//! `GET /api/leads` (contract §3): newest first, keyset pages, filters.

use axum::extract::{Query, State};
use axum::response::Response;
use embudo_domain::calificacion::Nivel;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::ids::parse_uuid;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::search::fold;
use embudo_domain::{EmpresaId, Invalid, LeadId, Zona, date};
use embudo_store::leads::{Cursor, LeadFilter};

use crate::extract::Authorized;
use crate::problem::Problem;
use crate::views::lead::LeadsPage;
use crate::{HttpState, answer};

/// Leads per page unless the query says otherwise, and the maximum.
pub(crate) const LIMIT: u32 = 50;
pub(crate) const MAX_LIMIT: u32 = 200;

pub(crate) async fn list(
    key: Authorized,
    State(state): State<HttpState>,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let Query(pairs) =
        query.map_err(|_| Invalid::one("", "formato", "La consulta de la dirección no se entiende."))?;
    let mut asked = ListQuery::read(&pairs)?;
    if let Some(own) = key.empresa {
        // A key of one company sees no lead of another company.
        if asked.filter.empresa.is_some_and(|named| named != own) {
            return Ok(answer::ok(&LeadsPage { leads: &[], next: None }));
        }
        asked.filter.empresa = Some(own);
    }
    let one_more = asked.limit + 1;
    let mut leads = state.app.store.list_leads(asked.filter, asked.cursor, one_more).await?;
    let has_more = leads.len() > asked.limit as usize;
    leads.truncate(asked.limit as usize);
    let next = leads
        .last()
        .filter(|_| has_more)
        .map(|r| write_cursor(Cursor { creado_en: r.lead.creado_en, id: r.lead.id }));
    Ok(answer::ok(&LeadsPage { leads: &leads, next }))
}

struct ListQuery {
    filter: LeadFilter,
    cursor: Option<Cursor>,
    limit: u32,
}

impl ListQuery {
    /// Reads the query by name. Unknown names are ignored, of a repeated name the last value wins, an empty value is no
    /// filter.
    fn read(pairs: &[(String, String)]) -> Result<Self, Invalid> {
        let mut wrong = Invalid::default();
        let mut filter = LeadFilter::default();
        let (mut cursor, mut limit) = (None, LIMIT);
        for (nombre, value) in pairs.iter().filter(|(_, v)| !v.is_empty()) {
            if value.contains('\0') {
                wrong.note_down(
                    known_name(nombre),
                    "caracter_nulo",
                    "No se admite el carácter nulo (U+0000).",
                );
                continue;
            }
            let ok = match nombre.as_str() {
                "tenantId" => put(&mut filter.empresa, parse_uuid(value).map(EmpresaId)),
                "telefono" => put(&mut filter.telefono_e164, Telefono::parse(value).ok().map(|t| t.e164)),
                "email" => put(&mut filter.email_normal, Email::parse(value).ok().map(|e| e.normal)),
                "tipoReforma" => put(&mut filter.tipo_reforma, Zona::parse(value)),
                "nivel" => put(&mut filter.nivel, Nivel::parse(value)),
                "canalOrigen" => put(&mut filter.canal_origen, CanalOrigen::parse(value)),
                "viable" => put(&mut filter.viable, parse_bool(value)),
                "estadoWa" => put(&mut filter.estado_wa, EstadoWa::parse(value)),
                "texto" => put(&mut filter.text, Some(fold(value))),
                "desde" => put(&mut filter.since, date::parse(value)),
                "hasta" => put(&mut filter.until, date::parse(value)),
                "cursor" => put(&mut cursor, parse_cursor(value)),
                "limite" => match value.parse() {
                    Ok(n) if (1..=MAX_LIMIT).contains(&n) => {
                        limit = n;
                        true
                    }
                    _ => false,
                },
                _ => true,
            };
            if !ok {
                wrong.note_down(known_name(nombre), "formato", "El valor de este filtro no es válido.");
            }
        }
        if wrong.is_empty() { Ok(Self { filter, cursor, limit }) } else { Err(wrong) }
    }
}

/// The known names of the query. Errors may repeat these names, but never a name that the client made up.
pub(crate) const NAMES: &[&str] = &[
    "tenantId",
    "telefono",
    "email",
    "tipoReforma",
    "nivel",
    "canalOrigen",
    "viable",
    "estadoWa",
    "texto",
    "desde",
    "hasta",
    "cursor",
    "limite",
];

fn known_name(nombre: &str) -> &'static str {
    NAMES.iter().copied().find(|n| *n == nombre).unwrap_or("")
}

fn put<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let ok = value.is_some();
    *place = value;
    ok
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn write_cursor(cursor: Cursor) -> String {
    format!("{}_{}", cursor.creado_en.as_microsecond(), cursor.id)
}

fn parse_cursor(text: &str) -> Option<Cursor> {
    let (micros, id) = text.split_once('_')?;
    let creado_en = jiff::Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    Some(Cursor { creado_en, id: LeadId::parse(id)? })
}
