//! `GET /api/leads/:id/eventos` (contract §3): a lead's events in pages, oldest first.

use axum::extract::{Query, State};
use axum::response::Response;
use embudo_domain::Invalido;
use embudo_store::query::CursorEvento;

use super::lista::{LIMITE, MAX_LIMITE};
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;
use crate::views::parts::EventosPage;
use crate::{HttpState, answer};

pub(crate) async fn list(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problema> {
    let Query(pares) =
        query.map_err(|_| Invalido::uno("", "formato", "La consulta de la dirección no se entiende."))?;
    let (cursor, limite) = leer(&pares)?;
    let mut eventos = estado.app.store.eventos(lead.existe()?, cursor, limite + 1).await?;
    let hay_mas = eventos.len() > limite as usize;
    eventos.truncate(limite as usize);
    let siguiente = eventos.last().filter(|_| hay_mas).map(|e| escribir_cursor(e.cursor));
    Ok(answer::ok(&EventosPage { eventos: &eventos, siguiente }))
}

fn leer(pares: &[(String, String)]) -> Result<(Option<CursorEvento>, u32), Invalido> {
    let mut mal = Invalido::default();
    let (mut cursor, mut limite) = (None, LIMITE);
    for (nombre, valor) in pares.iter().filter(|(_, valor)| !valor.is_empty()) {
        match nombre.as_str() {
            "cursor" => match leer_cursor(valor) {
                Some(leido) => cursor = Some(leido),
                None => mal.anotar("cursor", "formato", "No es el «siguiente» de una página de eventos."),
            },
            "limite" => match valor.parse() {
                Ok(n) if (1..=MAX_LIMITE).contains(&n) => limite = n,
                _ => mal.anotar("limite", "formato", format!("Debe ser un número del 1 al {MAX_LIMITE}.")),
            },
            _ => {}
        }
    }
    if mal.is_empty() { Ok((cursor, limite)) } else { Err(mal) }
}

fn escribir_cursor(cursor: CursorEvento) -> String {
    format!("{}_{}_{}", cursor.creado_en.as_microsecond(), cursor.clase, cursor.n)
}

fn leer_cursor(texto: &str) -> Option<CursorEvento> {
    let mut partes = texto.splitn(3, '_');
    let micros = partes.next()?.parse().ok()?;
    let creado_en = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(CursorEvento { creado_en, clase: partes.next()?.parse().ok()?, n: partes.next()?.parse().ok()? })
}
