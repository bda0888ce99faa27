//! What a client says of a quote: accepted or declined, with the evidence.

use std::net::IpAddr;

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::presupuesto::{Presupuesto, RespuestaCliente};
use embudo_store::StoreError;
use embudo_store::presupuestos::{AnswerPresupuesto, Contestacion};

use super::Quotes;
use crate::AppError;
use crate::avisos::Aviso;

/// The version of the words that a client agrees to when accepting.
pub const TEXTO_ACEPTACION: &str = "2026-11";

/// What the client said.
#[derive(Debug, Clone)]
pub struct ClientAnswer {
    /// Accepted or declined.
    pub aceptado: bool,
    /// Why, in the client's words.
    pub motivo: Option<String>,
    /// Where from.
    pub ip: Option<IpAddr>,
}

impl Quotes<'_> {
    /// Writes down what a client says of the quote they were shown. The company is told.
    pub async fn answer(
        self,
        presupuesto: &Presupuesto,
        answer: ClientAnswer,
    ) -> Result<Contestacion, AppError> {
        let pdf = presupuesto.pdf.ok_or(StoreError::PresupuestoNotFound)?;
        let en = self.app.ahora();
        let tipo =
            if answer.aceptado { TipoEvento::PresupuestoAceptado } else { TipoEvento::PresupuestoRechazado };
        let numero = presupuesto.numero.to_string();
        let aviso = Aviso::Contestado {
            numero: numero.clone(),
            aceptado: answer.aceptado,
            motivo: answer.motivo.clone(),
        };
        let command = AnswerPresupuesto {
            id: presupuesto.id,
            respuesta: RespuestaCliente {
                aceptado: answer.aceptado,
                motivo: answer.motivo,
                ip: answer.ip.map(|ip| ip.to_string()),
                texto_version: TEXTO_ACEPTACION.to_owned(),
                pdf_sha256: pdf.sha256,
                en,
            },
            hoy: self.app.hoy(),
            evento: Evento { tipo, simulado: false, ok: true, detalle: Some(numero), creado_en: en },
            trabajos: self.app.jobs().notice(&aviso),
        };
        Ok(self.app.store.answer_presupuesto(command).await?)
    }
}
