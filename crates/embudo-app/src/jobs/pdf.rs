//! The quote by messaging: the signal's fields as they were fixed, the PDF read when it is sent.

use bytes::Bytes;
use embudo_delivery::Envio;
use embudo_delivery::senales::pdf;
use embudo_domain::senal::PdfSenal;
use embudo_domain::trabajo::Trabajo;
use embudo_domain::{Huella, PresupuestoId};
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Desenlace;
use crate::App;

/// What the job keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CargaPdf {
    /// The fields of the signal.
    pub senal: PdfSenal,
    /// Which PDF.
    #[serde(flatten)]
    pub pdf: WhichPdf,
}

/// The PDF that a job delivers.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WhichPdf {
    /// The one that this quote was sealed with, whoever drew it: two finalizations may draw different bytes, and one is kept.
    Sealed { presupuesto: PresupuestoId },
    /// This blob: so jobs named it before they named the quote, and some may still wait.
    Blob { pdf: String },
}

pub(super) async fn attempt(app: &App, trabajo: &Trabajo) -> Desenlace {
    let Some(url) = app.outbound.destino(trabajo.tipo) else {
        return Desenlace::luego("MESSAGING_WEBHOOK_URL ya no está configurada");
    };
    let Ok(carga) = serde_json::from_str::<CargaPdf>(&trabajo.carga) else {
        return Desenlace::nunca("la señal guardada no se puede leer");
    };
    let bytes = match pdf_bytes(app, trabajo, &carga.pdf).await {
        Ok(bytes) => bytes,
        Err(desenlace) => return desenlace,
    };
    let envio = Envio { id: trabajo.id.to_string(), timestamp: app.ahora(), body: pdf(&carga.senal, bytes) };
    app.outbound.webhooks.send(url, envio).await.into()
}

/// The PDF of a job that delivers a quote.
pub(super) async fn pdf_bytes(app: &App, trabajo: &Trabajo, which: &WhichPdf) -> Result<Bytes, Desenlace> {
    let later = |error: &dyn std::fmt::Display| Desenlace::luego(error.to_string());
    let presupuesto = match which {
        WhichPdf::Sealed { presupuesto } => *presupuesto,
        WhichPdf::Blob { pdf } => {
            let huella =
                Huella::parse(pdf).ok_or_else(|| Desenlace::nunca("el trabajo no dice qué PDF entrega"))?;
            return app.blobs.get(trabajo.lead, &huella).await.map_err(|error| later(&error));
        }
    };
    let sealed = match app.store.presupuesto(presupuesto).await {
        Ok(presupuesto) => presupuesto.pdf,
        Err(StoreError::PresupuestoNotFound) => {
            return Err(Desenlace::nunca("el presupuesto ya no existe"));
        }
        Err(error) => return Err(later(&error)),
    };
    let sealed = sealed.ok_or_else(|| Desenlace::luego("el presupuesto todavía no tiene PDF"))?;
    let bytes = app.blobs.get(trabajo.lead, &sealed.huella).await.map_err(|error| later(&error))?;
    let copy = bytes.clone();
    let sha256 = tokio::task::spawn_blocking(move || Sha256::digest(&copy)).await;
    if sha256.map_err(|error| later(&error))?.as_slice() != sealed.sha256 {
        return Err(Desenlace::luego("el PDF guardado está dañado: no es el que se emitió"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::CargaCorreo;

    #[test]
    fn jobs_name_the_quote_and_those_of_before_their_blob() {
        let blob = Huella::of(b"%PDF-").to_string();
        let before = format!(
            r#"{{"numero":"2026-0001","titulo":"x","filename":"x.pdf","pdf":"{blob}","pagina":null}}"#
        );
        let read: CargaCorreo = serde_json::from_str(&before).expect("readable");
        assert_eq!(read.pdf, WhichPdf::Blob { pdf: blob });
        let presupuesto = PresupuestoId(uuid::Uuid::now_v7());
        let now = CargaCorreo { pdf: WhichPdf::Sealed { presupuesto }, ..read };
        let written = serde_json::to_string(&now).expect("plain");
        assert!(written.contains(&format!(r#""presupuesto":"{presupuesto}""#)), "{written}");
        let again: CargaCorreo = serde_json::from_str(&written).expect("readable");
        assert_eq!(again.pdf, now.pdf);
    }
}
