//! `GET /api/leads` (contract §3): newest first, keyset pages, filters.

use axum::extract::{Query, State};
use axum::response::Response;
use embudo_domain::busqueda::plegar;
use embudo_domain::calificacion::Nivel;
use embudo_domain::contacto::{Email, Telefono};
use embudo_domain::ids::parse_uuid;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::{EmpresaId, Invalido, LeadId, Zona, fecha};
use embudo_store::query::{Cursor, FiltroLeads};

use crate::extraer::Autorizado;
use crate::problema::Problema;
use crate::views::lead::LeadsPage;
use crate::{HttpState, answer};

/// Leads on a page unless asked otherwise, and at most.
pub(crate) const LIMITE: u32 = 50;
pub(crate) const MAX_LIMITE: u32 = 200;

pub(crate) async fn list(
    _: Autorizado,
    State(estado): State<HttpState>,
    query: Result<Query<Vec<(String, String)>>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problema> {
    let Query(pares) =
        query.map_err(|_| Invalido::uno("", "formato", "La consulta de la dirección no se entiende."))?;
    let consulta = Consulta::leer(&pares)?;
    let uno_mas = consulta.limite + 1;
    let mut leads = estado.app.store.list_leads(consulta.filtro, consulta.cursor, uno_mas).await?;
    let hay_mas = leads.len() > consulta.limite as usize;
    leads.truncate(consulta.limite as usize);
    let siguiente = leads
        .last()
        .filter(|_| hay_mas)
        .map(|r| escribir_cursor(Cursor { creado_en: r.lead.creado_en, id: r.lead.id }));
    Ok(answer::ok(&LeadsPage { leads: &leads, siguiente }))
}

struct Consulta {
    filtro: FiltroLeads,
    cursor: Option<Cursor>,
    limite: u32,
}

impl Consulta {
    /// Reads the query by name; unknown names are ignored, of a repeated one the last wins, an empty value is no filter.
    fn leer(pares: &[(String, String)]) -> Result<Self, Invalido> {
        let mut mal = Invalido::default();
        let mut filtro = FiltroLeads::default();
        let (mut cursor, mut limite) = (None, LIMITE);
        for (nombre, valor) in pares.iter().filter(|(_, v)| !v.is_empty()) {
            if valor.contains('\0') {
                mal.anotar(
                    nombre_conocido(nombre),
                    "caracter_nulo",
                    "No se admite el carácter nulo (U+0000).",
                );
                continue;
            }
            let ok = match nombre.as_str() {
                "tenantId" => poner(&mut filtro.empresa, parse_uuid(valor).map(EmpresaId)),
                "telefono" => poner(&mut filtro.telefono_e164, Telefono::parse(valor).ok().map(|t| t.e164)),
                "email" => poner(&mut filtro.email_normal, Email::parse(valor).ok().map(|e| e.normal)),
                "tipoReforma" => poner(&mut filtro.tipo_reforma, Zona::parse(valor)),
                "nivel" => poner(&mut filtro.nivel, Nivel::parse(valor)),
                "canalOrigen" => poner(&mut filtro.canal_origen, CanalOrigen::parse(valor)),
                "viable" => poner(&mut filtro.viable, leer_bool(valor)),
                "estadoWa" => poner(&mut filtro.estado_wa, EstadoWa::parse(valor)),
                "texto" => poner(&mut filtro.texto, Some(plegar(valor))),
                "desde" => poner(&mut filtro.desde, fecha::parse(valor)),
                "hasta" => poner(&mut filtro.hasta, fecha::parse(valor)),
                "cursor" => poner(&mut cursor, leer_cursor(valor)),
                "limite" => match valor.parse() {
                    Ok(n) if (1..=MAX_LIMITE).contains(&n) => {
                        limite = n;
                        true
                    }
                    _ => false,
                },
                _ => true,
            };
            if !ok {
                mal.anotar(nombre_conocido(nombre), "formato", "El valor de este filtro no es válido.");
            }
        }
        if mal.is_empty() { Ok(Self { filtro, cursor, limite }) } else { Err(mal) }
    }
}

/// The names of the query, which errors may repeat; a name of the client's own is not echoed.
pub(crate) const NOMBRES: &[&str] = &[
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

fn nombre_conocido(nombre: &str) -> &'static str {
    NOMBRES.iter().copied().find(|n| *n == nombre).unwrap_or("")
}

fn poner<T>(sitio: &mut Option<T>, valor: Option<T>) -> bool {
    let ok = valor.is_some();
    *sitio = valor;
    ok
}

fn leer_bool(texto: &str) -> Option<bool> {
    match texto {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn escribir_cursor(cursor: Cursor) -> String {
    format!("{}_{}", cursor.creado_en.as_microsecond(), cursor.id)
}

fn leer_cursor(texto: &str) -> Option<Cursor> {
    let (micros, id) = texto.split_once('_')?;
    let creado_en = jiff::Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    Some(Cursor { creado_en, id: LeadId::parse(id)? })
}
