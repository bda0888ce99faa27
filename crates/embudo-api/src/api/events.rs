//! `GET /api/leads/:id/eventos` (contract §3): a lead's events in pages, oldest first.

use axum::extract::{Query, State};
use axum::response::Response;
use embudo_domain::Invalid;
use embudo_store::leads::EventCursor;

use super::list::{LIMIT, MAX_LIMIT};
use crate::extract::{Authorized, LeadInPath};
use crate::problem::Problem;
use crate::views::parts::EventsPage;
use crate::{HttpState, answer};

pub(crate) async fn list(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let Query(pairs) =
        query.map_err(|_| Invalid::one("", "formato", "La consulta de la dirección no se entiende."))?;
    let (cursor, limit) = read(&pairs)?;
    let mut events = state.app.store.events(lead.open_to(&key, &state).await?, cursor, limit + 1).await?;
    let has_more = events.len() > limit as usize;
    events.truncate(limit as usize);
    let next = events.last().filter(|_| has_more).map(|e| write_cursor(e.cursor));
    Ok(answer::ok(&EventsPage { events: &events, next }))
}

fn read(pairs: &[(String, String)]) -> Result<(Option<EventCursor>, u32), Invalid> {
    let mut wrong = Invalid::default();
    let (mut cursor, mut limit) = (None, LIMIT);
    for (nombre, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        match nombre.as_str() {
            "cursor" => match parse_cursor(value) {
                Some(read) => cursor = Some(read),
                None => {
                    wrong.note_down("cursor", "formato", "No es el «siguiente» de una página de eventos.");
                }
            },
            "limite" => match value.parse() {
                Ok(n) if (1..=MAX_LIMIT).contains(&n) => limit = n,
                _ => {
                    wrong.note_down("limite", "formato", format!("Debe ser un número del 1 al {MAX_LIMIT}."));
                }
            },
            _ => {}
        }
    }
    if wrong.is_empty() { Ok((cursor, limit)) } else { Err(wrong) }
}

fn write_cursor(cursor: EventCursor) -> String {
    format!("{}_{}_{}", cursor.creado_en.as_microsecond(), cursor.class, cursor.n)
}

fn parse_cursor(text: &str) -> Option<EventCursor> {
    let mut parts = text.splitn(3, '_');
    let micros = parts.next()?.parse().ok()?;
    let creado_en = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(EventCursor { creado_en, class: parts.next()?.parse().ok()?, n: parts.next()?.parse().ok()? })
}
