//! The profile signal: values and photo ids as they were fixed, pictures fetched while it is sent.

use std::sync::Arc;

use async_trait::async_trait;
use embudo_delivery::senales::{FuenteFotos, ImagenTexto, perfil};
use embudo_delivery::{Envio, ErrorFuente};
use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::senal::PerfilSenal;
use embudo_domain::trabajo::Trabajo;
use embudo_domain::{FotoId, LeadId, Timestamp};
use embudo_store::StoreError;
use jiff::SignedDuration;

use super::Desenlace;
use crate::App;

/// How long a link in a signal opens its photo.
const VIDA_DEL_ENLACE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// n8n's own limit for the body of a call; other receivers have one of that size too.
const USUAL_LIMIT: u64 = 16 << 20;

pub(super) async fn attempt(app: &App, trabajo: &Trabajo) -> Desenlace {
    let Some(url) = app.outbound.destino(trabajo.tipo) else {
        return Desenlace::luego("PERFIL_WEBHOOK_URL ya no está configurada");
    };
    let Ok(senal) = serde_json::from_str::<PerfilSenal>(&trabajo.carga) else {
        return Desenlace::nunca("la señal guardada no se puede leer");
    };
    let ahora = app.ahora();
    let fotos = Arc::new(Pictures { app: app.clone(), caduca: ahora + VIDA_DEL_ENLACE });
    let envio = Envio { id: trabajo.id.to_string(), timestamp: ahora, body: perfil(&senal, fotos) };
    let intento = app.outbound.webhooks.send(url, envio).await;
    let body_bytes = intento.body_bytes;
    let mut desenlace = Desenlace::from(intento);
    if let Some(nota) = size_note(app, body_bytes) {
        desenlace.error = desenlace.error.map(|error| format!("{} {nota}", error.trim_end()));
    }
    desenlace
}

/// What a receiver may have against a long body that carries photos.
fn size_note(app: &App, body_bytes: u64) -> Option<String> {
    let is_inline = app.outbound.enlaces.is_none();
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
    caduca: Timestamp,
}

#[async_trait]
impl FuenteFotos for Pictures {
    async fn imagen(&self, lead: LeadId, foto: FotoId) -> Result<Option<ImagenTexto>, ErrorFuente> {
        let guardada = match self.app.store.foto(lead, foto).await {
            Ok(foto) => foto.imagen,
            Err(StoreError::FotoNotFound) => return Ok(None),
            Err(error) => return Err(ErrorFuente(error.to_string())),
        };
        let blob = async |huella| {
            let bytes = self.app.blobs.get(lead, &huella).await;
            bytes.map_err(|error| ErrorFuente(error.to_string()))
        };
        Ok(Some(match (guardada, &self.app.outbound.enlaces) {
            (ImagenGuardada::Url(url), _) => ImagenTexto::Texto(url),
            (_, Some(con)) => {
                ImagenTexto::Texto(format!("{}{}", con.public_url, con.enlaces.ruta(lead, foto, self.caduca)))
            }
            (ImagenGuardada::Canonica { prefijo, bytes }, None) => {
                ImagenTexto::Base64 { prefijo, bytes: blob(bytes).await? }
            }
            (
                ImagenGuardada::Informal { prefijo, crudo, .. } | ImagenGuardada::Ilegible { prefijo, crudo },
                None,
            ) => ImagenTexto::Crudo { prefijo, contenido: blob(crudo).await? },
        }))
    }
}
