//! The profile signal. Values and photo ids were fixed when the job was made; pictures are fetched while it is sent.

use std::sync::Arc;

use async_trait::async_trait;
use embudo_delivery::signals::{FotoSource, ImageText, perfil};
use embudo_delivery::{OutgoingSignal, SourceError};
use embudo_domain::foto::StoredImage;
use embudo_domain::job::Job;
use embudo_domain::signal::PerfilSignal;
use embudo_domain::{FotoId, LeadId, Timestamp};
use embudo_store::StoreError;
use jiff::SignedDuration;

use super::Ending;
use crate::App;

/// How long the link to a photo in a signal is valid.
const LINK_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// n8n's own limit for the body of a call; other receivers have limits of a similar size.
const USUAL_LIMIT: u64 = 16 << 20;

pub(super) async fn attempt(app: &App, job: &Job, start: Timestamp) -> Ending {
    let receiver = match app.receiver_of(job).await {
        Ok(receiver) => receiver,
        Err(error) => return Ending::retry(error),
    };
    let Ok(signal) = serde_json::from_str::<PerfilSignal>(&job.payload) else {
        return Ending::never("la señal guardada no se puede leer");
    };
    let fotos = Arc::new(Pictures { app: app.clone(), expires: start + LINK_LIFE });
    let sending = OutgoingSignal { id: job.id.to_string(), timestamp: start, body: perfil(&signal, fotos) };
    let intento = app.send_signal(&receiver, sending).await;
    let body_bytes = intento.body_bytes;
    let mut ending = Ending::of_signal(intento, &receiver);
    if let Some(nota) = size_note(app, body_bytes) {
        ending.error = ending.error.map(|error| format!("{} {nota}", error.trim_end()));
    }
    ending
}

/// A remark about a long body that contains photos: the receiver may refuse it.
fn size_note(app: &App, body_bytes: u64) -> Option<String> {
    let is_inline = app.outbound.links.is_none();
    (is_inline && body_bytes > USUAL_LIMIT).then(|| {
        let mb = format!("{:.1}", body_bytes as f64 / f64::from(1 << 20)).replace('.', ",");
        format!(
            "La señal ocupa {mb} MB porque lleva las fotos dentro, y n8n no acepta más de 16 MB: con PUBLIC_URL llevaría enlaces."
        )
    })
}

/// The pictures of one attempt.
struct Pictures {
    app: App,
    expires: Timestamp,
}

#[async_trait]
impl FotoSource for Pictures {
    async fn image(&self, lead: LeadId, foto: FotoId) -> Result<Option<ImageText>, SourceError> {
        let stored = match self.app.store.foto(lead, foto).await {
            Ok(foto) => foto.image,
            Err(StoreError::FotoNotFound) => return Ok(None),
            Err(error) => return Err(SourceError(error.to_string())),
        };
        let blob = async |digest| {
            let bytes = self.app.blobs.get(lead, &digest).await;
            bytes.map_err(|error| SourceError(error.to_string()))
        };
        Ok(Some(match (stored, &self.app.outbound.links) {
            (StoredImage::Url(url), _) => ImageText::Text(url),
            (_, Some(with)) => {
                ImageText::Text(format!("{}{}", with.public_url, with.links.path(lead, foto, self.expires)))
            }
            (StoredImage::Canonical { prefix, bytes }, None) => {
                ImageText::Base64 { prefix, bytes: blob(bytes).await? }
            }
            (StoredImage::Informal { prefix, raw, .. } | StoredImage::Unreadable { prefix, raw }, None) => {
                ImageText::Raw { prefix, content: blob(raw).await? }
            }
        }))
    }
}
