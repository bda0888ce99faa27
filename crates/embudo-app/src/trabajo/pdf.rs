//! The quote by messaging: the signal's fields as they were fixed, the PDF read when it is sent.

use embudo_delivery::Envio;
use embudo_delivery::senales::pdf;
use embudo_domain::Huella;
use embudo_domain::senal::PdfSenal;
use embudo_domain::trabajo::Trabajo;
use serde::{Deserialize, Serialize};

use super::Desenlace;
use crate::App;

/// What the job keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CargaPdf {
    /// The fields of the signal.
    pub senal: PdfSenal,
    /// The PDF's blob.
    pub pdf: String,
}

impl App {
    pub(super) async fn attempt_pdf(&self, trabajo: &Trabajo) -> Desenlace {
        let Some(url) = self.salidas.destino(trabajo.tipo) else {
            return Desenlace::nunca("MESSAGING_WEBHOOK_URL ya no está configurada");
        };
        let Ok(carga) = serde_json::from_str::<CargaPdf>(&trabajo.carga) else {
            return Desenlace::nunca("la señal guardada no se puede leer");
        };
        let bytes = match self.pdf_bytes(trabajo, &carga.pdf).await {
            Ok(bytes) => bytes,
            Err(desenlace) => return desenlace,
        };
        let envio =
            Envio { id: trabajo.id.to_string(), timestamp: self.ahora(), body: pdf(&carga.senal, bytes) };
        self.salidas.webhooks.send(url, envio).await.into()
    }

    /// The PDF of a job that delivers a quote.
    pub(super) async fn pdf_bytes(&self, trabajo: &Trabajo, pdf: &str) -> Result<bytes::Bytes, Desenlace> {
        let huella =
            Huella::desde_hex(pdf).ok_or_else(|| Desenlace::nunca("el trabajo no dice qué PDF entrega"))?;
        self.blobs.get(trabajo.lead, &huella).await.map_err(|error| Desenlace::luego(error.to_string()))
    }
}
