//! The quote by messaging. The fields of the signal were fixed when the job was made; the PDF is read when it is sent.

use bytes::Bytes;
use embudo_delivery::OutgoingSignal;
use embudo_delivery::signals::pdf;
use embudo_domain::job::Job;
use embudo_domain::signal::PdfSignal;
use embudo_domain::{Digest, PresupuestoId, Timestamp};
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Ending;
use crate::App;

/// The payload of the job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PdfPayload {
    /// The fields of the signal.
    #[serde(rename = "senal")]
    pub signal: PdfSignal,
    #[serde(flatten)]
    pub pdf: WhichPdf,
}

/// The PDF that a job delivers.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WhichPdf {
    /// The PDF that is stored with this quote. Two finalizations may draw different bytes, and only one of these PDFs
    /// is stored.
    Sealed { presupuesto: PresupuestoId },
    /// This blob. An older format, in which jobs did not name the quote; such jobs may still be stored.
    Blob { pdf: String },
}

pub(super) async fn attempt(app: &App, job: &Job, start: Timestamp) -> Ending {
    let receiver = match app.receiver_of(job).await {
        Ok(receiver) => receiver,
        Err(error) => return Ending::retry(error),
    };
    let Ok(payload) = serde_json::from_str::<PdfPayload>(&job.payload) else {
        return Ending::never("la señal guardada no se puede leer");
    };
    let bytes = match pdf_bytes(app, job, &payload.pdf).await {
        Ok(bytes) => bytes,
        Err(ending) => return ending,
    };
    let sending =
        OutgoingSignal { id: job.id.to_string(), timestamp: start, body: pdf(&payload.signal, bytes) };
    Ending::of_signal(app.send_signal(&receiver, sending).await, &receiver)
}

/// The PDF of a job that delivers a quote.
pub(super) async fn pdf_bytes(app: &App, job: &Job, which: &WhichPdf) -> Result<Bytes, Ending> {
    let retry = |error: &dyn std::fmt::Display| Ending::retry(error.to_string());
    let presupuesto = match which {
        WhichPdf::Sealed { presupuesto } => *presupuesto,
        WhichPdf::Blob { pdf } => {
            let digest =
                Digest::parse(pdf).ok_or_else(|| Ending::never("el trabajo no dice qué PDF entrega"))?;
            return app.blobs.get(job.lead, &digest).await.map_err(|error| retry(&error));
        }
    };
    let sealed = match app.store.presupuesto(presupuesto).await {
        Ok(presupuesto) => presupuesto.pdf,
        Err(StoreError::PresupuestoNotFound) => {
            return Err(Ending::never("el presupuesto ya no existe"));
        }
        Err(error) => return Err(retry(&error)),
    };
    let sealed = sealed.ok_or_else(|| Ending::retry("el presupuesto todavía no tiene PDF"))?;
    let bytes = app.blobs.get(job.lead, &sealed.digest).await.map_err(|error| retry(&error))?;
    let copy = bytes.clone();
    let sha256 = tokio::task::spawn_blocking(move || Sha256::digest(&copy)).await;
    if sha256.map_err(|error| retry(&error))?.as_slice() != sealed.sha256 {
        return Err(Ending::retry("el PDF guardado está dañado: no es el que se emitió"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::MailPayload;

    #[test]
    fn jobs_name_the_quote_and_those_of_before_their_blob() {
        let blob = Digest::of(b"%PDF-").to_string();
        let before = format!(
            r#"{{"numero":"2026-0001","titulo":"x","filename":"x.pdf","pdf":"{blob}","pagina":null}}"#
        );
        let read: MailPayload = serde_json::from_str(&before).expect("readable");
        assert_eq!(read.pdf, WhichPdf::Blob { pdf: blob });
        let presupuesto = PresupuestoId(uuid::Uuid::now_v7());
        let now = MailPayload { pdf: WhichPdf::Sealed { presupuesto }, ..read };
        let written = serde_json::to_string(&now).expect("plain");
        assert!(written.contains(&format!(r#""presupuesto":"{presupuesto}""#)), "{written}");
        let again: MailPayload = serde_json::from_str(&written).expect("readable");
        assert_eq!(again.pdf, now.pdf);
    }
}
