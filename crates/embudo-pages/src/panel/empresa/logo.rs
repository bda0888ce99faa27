//! `POST /panel/empresa/marca/logo`: saves a new logo or removes the logo.

use axum::extract::{Request, State};
use bytes::Bytes;
use embudo_store::edited::Edited;
use futures_util::stream;
use http::StatusCode;
use http::header::CONTENT_TYPE;

use super::brand::{PATH, page};
use super::company;
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::Returned;
use crate::panel::{PanelResult, Signed};
use crate::parts::{Refusal, clean, read_public, redirect};

/// The maximum size of a logo file, and of a form with one.
const MAX_BYTES: usize = 5 * 1024 * 1024;
const MAX_FORM: usize = MAX_BYTES + 16 * 1024;
/// The maximum number of parts of the form, which contains the file, the version of the logo and the button.
const MAX_PARTS: usize = 6;

const TOO_BIG: &str = "El archivo pesa más de 5 MB: guárdalo más pequeño y vuelve a subirlo.";
const STALE: &str = "Alguien ha cambiado el logo mientras tanto. No se ha guardado el tuyo: mira el de ahora y súbelo otra vez si sigues queriendo.";

#[derive(Default)]
struct Sent {
    version: String,
    is_removed: bool,
    file: Option<Bytes>,
}

pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    signed.empresa()?;
    let (parts, body) = request.into_parts();
    let read = match read_public(&state, &parts, body, MAX_FORM).await {
        Ok(read) => read,
        Err(Refusal::Big) => return back(&state, &signed, StatusCode::PAYLOAD_TOO_LARGE, TOO_BIG).await,
        Err(other) => return Err(other),
    };
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let Sent { version, is_removed, file } = split(kind, read.bytes).await?;
    let file = match file {
        _ if is_removed => None,
        Some(file) if file.len() > MAX_BYTES => {
            return back(&state, &signed, StatusCode::PAYLOAD_TOO_LARGE, TOO_BIG).await;
        }
        Some(file) => Some(file),
        None => return back(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, "Elige un archivo.").await,
    };
    let (empresa, stored) = company(&state, &signed).await?;
    // A version that is not the stored digest belongs to a logo that was replaced meanwhile.
    let seen = stored.logo.filter(|digest| digest.to_string() == version);
    let is_stale = seen.is_none() && !(version.is_empty() && stored.logo.is_none());
    if is_stale {
        return back(&state, &signed, StatusCode::CONFLICT, STALE).await;
    }
    let done = state.app.empresas().change_logo(empresa.id, seen, file, &signed.actor()).await?;
    drop(read.permit);
    match done {
        Ok(Edited::Saved | Edited::Same) if is_removed => Ok(redirect(&format!("{PATH}?hecho=sin-logo"))),
        Ok(Edited::Saved | Edited::Same) => Ok(redirect(&format!("{PATH}?hecho=logo"))),
        Ok(Edited::Stale) => back(&state, &signed, StatusCode::CONFLICT, STALE).await,
        Err(reason) => {
            let mistake = format!("No sirve como logo: {reason}. Sube un PNG, JPEG o WebP.");
            back(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, mistake).await
        }
    }
}

async fn back(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    mistake: impl Into<String>,
) -> PanelResult {
    let form = FormState::wrong("logo", mistake);
    page(state, signed, None, Returned { status, form, ..Returned::default() }).await
}

/// Splits the form into its parts. A body that is not multipart, so without a file, counts as an empty form.
async fn split(kind: &str, body: Bytes) -> Result<Sent, Refusal> {
    let mut sent = Sent::default();
    let Ok(limit) = multer::parse_boundary(kind) else { return Ok(sent) };
    let body = stream::once(async { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(body, limit);
    let mut how_many = 0;
    while let Some(part) = parts.next_field().await.map_err(|_| Refusal::NotUnderstood)? {
        how_many += 1;
        if how_many > MAX_PARTS {
            return Err(Refusal::NotUnderstood);
        }
        let name = part.name().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.map_err(|_| Refusal::NotUnderstood)?;
        match name.as_str() {
            "version" => sent.version = clean(&String::from_utf8_lossy(&bytes[..bytes.len().min(100)])),
            "quitar" => sent.is_removed = true,
            "logo" if !bytes.is_empty() => sent.file = Some(bytes),
            _ => {}
        }
    }
    Ok(sent)
}
