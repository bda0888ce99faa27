//! `POST /api/leads/:id/mensajeria` (contract §3): the lead chose to go on by messaging.

use axum::extract::State;
use axum::response::Response;
use embudo_domain::Invalido;
use embudo_domain::cuerpo::{Cuerpo as DelDominio, Datos};
use embudo_domain::esquema::Campo;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_store::command::RecordEvento;
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestar, tras};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

/// The wish itself; the body may be empty and names no field.
pub(crate) struct Mensajeria;

impl DelDominio for Mensajeria {
    const CAMPOS: &'static [Campo] = &[];

    fn armar(_: Datos) -> Self {
        Self
    }

    fn leer(bytes: &[u8]) -> Result<Self, Invalido> {
        if bytes.is_empty() { Ok(Self) } else { <SinCampos as DelDominio>::leer(bytes).map(|_| Self) }
    }
}

struct SinCampos;

impl DelDominio for SinCampos {
    const CAMPOS: &'static [Campo] = &[];

    fn armar(_: Datos) -> Self {
        Self
    }
}

pub(crate) async fn start(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Mensajeria>,
) -> Result<Response, Problema> {
    let en = estado.app.ahora();
    let respuesta = contestar(StatusCode::OK, &json!({ "ok": true, "senal": false }));
    let evento =
        Evento { tipo: TipoEvento::Mensajeria, simulado: true, ok: false, detalle: None, creado_en: en };
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, en));
    let command = RecordEvento { lead: lead.existe()?, evento, idempotencia };
    Ok(tras(estado.app.store.record_evento(command).await?, respuesta))
}
