//! `GET /api/pendiente` (contract §3): what a person should do today, the most urgent first.

use axum::extract::{Query, State};
use axum::response::Response;
use embudo_domain::ids::parse_uuid;
use embudo_domain::{EmpresaId, Invalid};

use super::list::{LIMIT, MAX_LIMIT};
use crate::extract::Authorized;
use crate::problem::Problem;
use crate::views::today::TodayView;
use crate::{HttpState, answer};

/// The names of the query.
#[cfg(test)]
pub(crate) const NAMES: &[&str] = &["tenantId", "limite"];

pub(crate) async fn list(
    key: Authorized,
    State(state): State<HttpState>,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let Query(pairs) =
        query.map_err(|_| Invalid::one("", "formato", "La consulta de la dirección no se entiende."))?;
    let (named, limit) = read(&pairs)?;
    let all = state.app.store.list_empresas().await?.into_iter().map(|empresa| empresa.id);
    // A key that is bound to one company sees nothing of another company.
    let may_see = |empresa: &EmpresaId| key.empresa.is_none_or(|own| own == *empresa);
    let wanted = |empresa: &EmpresaId| named.is_none_or(|named| named == *empresa);
    let empresas = all.filter(|empresa| may_see(empresa) && wanted(empresa)).collect();
    Ok(answer::ok(&TodayView { today: &state.app.inbox().today(empresas, limit).await? }))
}

fn read(pairs: &[(String, String)]) -> Result<(Option<EmpresaId>, u32), Invalid> {
    let mut wrong = Invalid::default();
    let (mut named, mut limit) = (None, LIMIT);
    for (nombre, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        match nombre.as_str() {
            "tenantId" => match parse_uuid(value) {
                Some(id) => named = Some(EmpresaId(id)),
                None => wrong.note_down("tenantId", "formato", "El valor de este filtro no es válido."),
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
    if wrong.is_empty() { Ok((named, limit)) } else { Err(wrong) }
}
